const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the length in bytes of UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** Returns the text from a byte on. */
export function sliceBytes(text: string, from: number, to?: number): string {
  return decoder.decode(encoder.encode(text).subarray(from, to));
}
