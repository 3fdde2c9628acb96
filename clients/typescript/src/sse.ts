/** An event of a stream of server-sent events. */
export interface SseEvent {
  /** Its name, `message` by default. */
  event: string;
  data: string;
  /** The last id of the stream, empty if there was none. */
  id: string;
}

/** The longest line that is read, in characters. */
const MAX_LINE = 64 * 1024 * 1024;

/**
 * Parses server-sent events from chunks of bytes. Does no I/O.
 *
 * An event is complete when the empty line after it has arrived. An incomplete event at the end of
 * a stream is dropped, as the standard requires.
 */
export class SseParser {
  #decoder = new TextDecoder();
  #line = "";
  #afterCr = false;
  #event = "";
  #data: string[] = [];
  #id = "";

  /** Returns the events that these bytes complete. */
  push(bytes: Uint8Array): SseEvent[] {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (this.#afterCr && text !== "") {
      if (text.startsWith("\n")) text = text.slice(1);
      this.#afterCr = false;
    }
    const lines = text.split(/\r\n|\n|\r/);
    // A line feed at the start of the next chunk belongs to this carriage return.
    this.#afterCr ||= text.endsWith("\r");
    const events: SseEvent[] = [];
    const last = lines.pop() ?? "";
    for (const line of lines) {
      this.#parseLine(this.#line + line, events);
      this.#line = "";
    }
    this.#line += last;
    if (this.#line.length > MAX_LINE) throw new Error("a line of the stream is too long");
    return events;
  }

  #parseLine(line: string, events: SseEvent[]): void {
    if (line === "") {
      if (this.#data.length > 0) {
        events.push({ event: this.#event || "message", data: this.#data.join("\n"), id: this.#id });
      }
      this.#event = "";
      this.#data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
  }
}
