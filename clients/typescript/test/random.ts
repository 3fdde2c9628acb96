/** Returns a generator of numbers from 0 to 1 that repeats for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a whole number below a bound. */
export function below(random: () => number, bound: number): number {
  return Math.floor(random() * bound);
}

/** Splits bytes into random pieces, some of them empty. */
export function split(random: () => number, bytes: Uint8Array, most = 20): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = from + below(random, most);
    pieces.push(bytes.subarray(from, to));
    from = to;
  }
  return pieces;
}

const LETTERS = ["a", "b", " ", "\n", "é", "漢", "🦀", "e\u0301", "👩‍👩‍👧"];

/** Returns a text with characters of one to four bytes. */
export function randomText(random: () => number, most: number): string {
  return Array.from({ length: below(random, most) }, () => LETTERS[below(random, LETTERS.length)]).join("");
}
