import { type Api, ProblemError } from "./api.js";
import { type BackoffOptions, DEFAULT_BACKOFF, delayMs, wait } from "./backoff.js";
import type { DialectName, Frame, Json, Problem } from "./generated.js";
import { SseParser } from "./sse.js";

export type ConnectionState =
  | { name: "connecting"; attempt: number }
  /** The gateway has accepted the request, and sends frames. */
  | { name: "live" }
  /** The connection was lost, and another attempt follows. */
  | { name: "waiting"; attempt: number; delayMs: number; reason: string }
  /** `close` was called, or the gateway refused the request permanently. */
  | { name: "closed"; problem: Problem | null };

export interface ConnectionOptions extends Partial<BackoffOptions> {
  api: Api;
  session: string;
  dialect: DialectName;
  /** The cursor to resume from, 0 for everything. */
  after?: number;
  /**
   * Receives each frame. If it returns `"missing"`, a frame before this one was lost: the frame is
   * not counted, and the connection resumes from the cursor.
   */
  onFrame: (frame: Frame<Json>) => "missing" | void;
  /** The connection was lost: discard what came after the last frame whose `after` increased. */
  onLost?: () => void;
  onState?: (state: ConnectionState) => void;
  /** After this long without data, the connection is lost. The gateway sends a comment every 15 s. */
  silenceMs?: number;
}

/** The data of an event. Frames with `resync` and `ended` have no message. */
type Envelope = Frame<Json> & { resync?: boolean; ended?: boolean };

/** An error that a callback of the program has thrown. */
class CallbackError extends Error {}

/**
 * Follows a session over server-sent events, and resumes from its cursor after every loss.
 *
 * `EventSource` is not used, because it cannot send the token as a header.
 */
export class Connection {
  readonly #options: Required<Omit<ConnectionOptions, "after">>;
  readonly #closed = new AbortController();
  #after: number;
  #state: ConnectionState = { name: "connecting", attempt: 0 };
  #retry = new AbortController();
  #stream = new AbortController();

  constructor(options: ConnectionOptions) {
    this.#options = {
      onLost: () => {},
      onState: () => {},
      silenceMs: 45_000,
      ...DEFAULT_BACKOFF,
      ...options,
    };
    this.#after = options.after ?? 0;
    // Starts later, so that no callback is called before the constructor returns. If a callback
    // throws, the connection is closed, so that its state is not wrong.
    void Promise.resolve().then(() => this.#run()).catch((error: unknown) => {
      this.close();
      throw error instanceof CallbackError ? error.cause : error;
    });
  }

  /** The cursor: the last `after` that increased. */
  get after(): number {
    return this.#after;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Ends the delay before the next attempt, for example when the device is online again. */
  retryNow(): void {
    this.#retry.abort();
  }

  close(): void {
    this.#closed.abort();
    this.#stream.abort();
    if (this.#state.name !== "closed") this.#enter({ name: "closed", problem: null });
  }

  #enter(state: ConnectionState): void {
    this.#state = state;
    this.#call(() => this.#options.onState(state));
  }

  #call<T>(callback: () => T): T {
    try {
      return callback();
    } catch (cause) {
      throw new CallbackError("a callback has failed", { cause });
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    let attempt = 0;
    while (!signal.aborted) {
      this.#enter({ name: "connecting", attempt });
      const received = { messages: 0 };
      let reason = "the gateway ended the stream";
      let least = 0;
      try {
        reason = await this.#follow(received);
      } catch (error) {
        // Another attempt would receive the same frame.
        if (error instanceof CallbackError) throw error;
        if (error instanceof ProblemError) {
          if (!error.isTemporary) return this.#refuse(error.problem);
          least = error.retryAfterMs ?? 0;
        }
        reason = error instanceof Error ? error.message : String(error);
      }
      if (signal.aborted) return;
      this.#options.onLost();
      // Comments and notices do not count: a gateway that cannot read the log sends them as well.
      attempt = received.messages > 0 ? 0 : attempt + 1;
      const delay = Math.max(least, delayMs(attempt, this.#options));
      this.#retry = new AbortController();
      this.#enter({ name: "waiting", attempt, delayMs: delay, reason });
      await wait(delay, [signal, this.#retry.signal]);
    }
  }

  #refuse(problem: Problem): void {
    this.#options.onLost();
    this.#closed.abort();
    this.#enter({ name: "closed", problem });
  }

  /** Reads one stream to its end, and returns why it ended. */
  async #follow(received: { messages: number }): Promise<string> {
    const { api, session, dialect, silenceMs } = this.#options;
    const stream = new AbortController();
    this.#stream = stream;
    const onSilence = () => stream.abort(new Error(`nothing was received for ${silenceMs} ms`));
    let timer = setTimeout(onSilence, silenceMs);
    try {
      const args = { path: { session }, query: { dialect, after: this.#after } };
      const response = await api.send("GET /v1/sessions/{session}/events", args, stream.signal);
      const reader = response.body?.getReader();
      if (reader === undefined) return "the response has no body";
      // Node.js 20 does not abort a body whose request was collected as garbage.
      stream.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
      if (this.#closed.signal.aborted) return "closed";
      this.#enter({ name: "live" });
      const parser = new SseParser();
      for (;;) {
        const { done, value } = await reader.read();
        // Frames that arrive after `close` are not delivered.
        if (this.#closed.signal.aborted) return "closed";
        stream.signal.throwIfAborted();
        if (done) return "the gateway ended the stream";
        clearTimeout(timer);
        timer = setTimeout(onSilence, silenceMs);
        for (const { event, data } of parser.push(value)) {
          if (event !== "message" && event !== "resync") continue;
          const frame = JSON.parse(data) as Envelope;
          const ended = this.#frame(frame);
          if (ended !== null) return ended;
          if (frame.message !== undefined) received.messages += 1;
          if (this.#closed.signal.aborted) return "closed";
        }
      }
    } finally {
      clearTimeout(timer);
      stream.abort();
    }
  }

  /** Delivers a frame. Returns the reason if the stream must end. */
  #frame(frame: Envelope): string | null {
    // The client's own cursor is kept: everything up to it was delivered.
    if (frame.resync === true) return "the gateway has dropped frames";
    if (frame.ended === true) return "the gateway ended the stream";
    if (frame.message === undefined) return null;
    if (this.#call(() => this.#options.onFrame(frame)) === "missing") return "a frame is missing";
    this.#after = Math.max(this.#after, frame.after);
    return null;
  }
}
