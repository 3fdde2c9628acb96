import { type Api, type Arguments, type KeyedRoute, ProblemError, type Result } from "./api.js";
import { type BackoffOptions, DEFAULT_BACKOFF, delayMs, wait } from "./backoff.js";
import type { Answer, Json, NewInput, Problem } from "./generated.js";

/**
 * - `stored`: it is in the storage, and was not sent yet.
 * - `sent`: it was sent at least once, and it is not known whether the gateway has it.
 * - `acknowledged`: the gateway has stored it.
 * - `refused`: the gateway does not accept it, see `problem`. It has no effect.
 */
export type OutboxState = "stored" | "sent" | "acknowledged" | "refused";

/** A request in an outbox. */
export interface OutboxEntry {
  /** The idempotency key, which is the same for every attempt. */
  readonly key: string;
  /** Entries are sent in this order. */
  readonly order: number;
  readonly route: KeyedRoute;
  /** The path, the query and the body. */
  readonly args: { path?: { session?: string }; body?: unknown };
  readonly state: OutboxState;
  /** The last problem that the gateway returned, if any. Other failures are not recorded. */
  readonly problem: Problem | null;
  readonly result: unknown;
}

/** The storage of an outbox, for requests that are not acknowledged. */
export interface OutboxStorage {
  /** Returns all entries, in the order in which they were added. */
  load(): Promise<OutboxEntry[]>;
  /** Stores an entry, or replaces the one with the same key. */
  put(entry: OutboxEntry): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface OutboxOptions extends Partial<BackoffOptions> {
  api: Api;
  storage: OutboxStorage;
  /** Called after every change of an entry. An error that it throws is reported as uncaught. */
  onChange?: (entry: OutboxEntry) => void;
  /** How long to wait for a response before a request fails and is repeated. */
  requestMs?: number;
}

interface Queue {
  entries: OutboxEntry[];
  isRunning: boolean;
  attempt: number;
  /** Aborts the running request and the delay after it. */
  retry: AbortController;
}

/** How often an answer is repeated if the gateway does not have its interaction. */
const EARLY_ANSWERS = 5;

/** Whether the gateway may not have the interaction yet: clients receive its event earlier. */
function isEarly(entry: OutboxEntry, refusal: ProblemError, attempt: number): boolean {
  return entry.route.endsWith("/answer") && refusal.problem.status === 404 && attempt < EARLY_ANSWERS;
}

/**
 * Sends requests at least once with one idempotency key, so that they take effect once. A request is
 * stored before it is sent, and the requests of a session are sent in order.
 */
export class Outbox {
  readonly #options: Required<OutboxOptions>;
  readonly #queues = new Map<string, Queue>();
  readonly #waiting = new Map<string, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  readonly #closed = new AbortController();
  #order = 0;

  private constructor(options: OutboxOptions) {
    this.#options = { onChange: () => {}, requestMs: 30_000, ...DEFAULT_BACKOFF, ...options };
  }

  /** Opens an outbox, and sends the requests that are in its storage. */
  static async open(options: OutboxOptions): Promise<Outbox> {
    const outbox = new Outbox(options);
    for (const entry of await options.storage.load()) {
      outbox.#order = Math.max(outbox.#order, entry.order);
      if (entry.state === "stored" || entry.state === "sent") outbox.#push(entry);
      else await options.storage.remove(entry.key);
    }
    return outbox;
  }

  /** The requests that are neither acknowledged nor refused, in order. */
  get entries(): OutboxEntry[] {
    const all = [...this.#queues.values()].flatMap((queue) => queue.entries);
    return all.sort((a, b) => a.order - b.order);
  }

  /** Sends an input. See {@link Outbox.send}. */
  input(session: string, content: Json, mode?: "Queue" | "Steer" | "InterruptThenSend") {
    const body = { content, ...(mode === undefined ? {} : { mode }) } as NewInput;
    return this.send("POST /v1/sessions/{session}/inputs", { path: { session }, body });
  }

  /** Answers an interaction. See {@link Outbox.send}. */
  answer(session: string, interaction: string, answer: Answer) {
    const route = "POST /v1/sessions/{session}/interactions/{interaction}/answer";
    return this.send(route, { path: { session, interaction }, body: answer });
  }

  /**
   * Stores a request and sends it until it is acknowledged or refused. Returns the result of the
   * gateway.
   *
   * @throws {ProblemError} if the gateway refuses it; another error if it cannot be stored, or if
   * the outbox is closed.
   */
  async send<R extends KeyedRoute>(route: R, args: Omit<Arguments<R>, "key">): Promise<Result<R>> {
    const key = crypto.randomUUID();
    this.#order += 1;
    const entry: OutboxEntry = {
      key,
      order: this.#order,
      route,
      args: args as OutboxEntry["args"],
      state: "stored",
      problem: null,
      result: null,
    };
    const result = new Promise<Result<R>>((resolve, reject) => {
      this.#waiting.set(key, { resolve: resolve as (result: unknown) => void, reject });
    });
    // Queued before it is stored, so that the order is that of the calls.
    this.#push(entry);
    return result;
  }

  /**
   * Tries again now, for example after the network has changed: ends the running requests, the
   * delays before the next attempts, and the wait after a token was refused.
   */
  retryNow(): void {
    for (const queue of this.#queues.values()) {
      queue.retry.abort();
      void this.#run(queue);
    }
  }

  /** Stops sending. Requests that are not acknowledged stay in the storage. */
  close(): void {
    this.#closed.abort();
    for (const queue of this.#queues.values()) queue.retry.abort();
    const error = new Error("the outbox was closed; the request is still stored");
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #push(entry: OutboxEntry): void {
    const name = entry.args.path?.session ?? "";
    const queue = this.#queues.get(name) ?? {
      entries: [],
      isRunning: false,
      attempt: 0,
      retry: new AbortController(),
    };
    this.#queues.set(name, queue);
    queue.entries.push(entry);
    void this.#store(entry).then(
      () => this.#run(queue),
      (error: unknown) => {
        // A request that is not stored must not be sent: the program may send it again under
        // another key.
        queue.entries = queue.entries.filter((one) => one.key !== entry.key);
        this.#settle(entry.key)?.reject(error instanceof Error ? error : new Error(String(error)));
        void this.#run(queue);
      },
    );
  }

  readonly #stored = new Set<string>();

  async #store(entry: OutboxEntry): Promise<void> {
    await this.#options.storage.put(entry);
    this.#stored.add(entry.key);
    this.#notify(entry);
  }

  /** An error of the program must not count as a failure of the request or the storage. */
  #notify(entry: OutboxEntry): void {
    try {
      this.#options.onChange(entry);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  /** Sends the entries of a queue, one after the other. */
  async #run(queue: Queue): Promise<void> {
    if (queue.isRunning) return;
    queue.isRunning = true;
    try {
      for (;;) {
        const entry = queue.entries[0];
        if (this.#closed.signal.aborted || entry === undefined || !this.#stored.has(entry.key)) return;
        const goesOn = await this.#attempt(queue, entry);
        if (!goesOn) return;
      }
    } finally {
      queue.isRunning = false;
    }
  }

  /** Sends the first entry once. Returns `false` if the queue must stop until `retryNow`. */
  async #attempt(queue: Queue, entry: OutboxEntry): Promise<boolean> {
    const { api, requestMs } = this.#options;
    const { signal } = this.#closed;
    const retry = new AbortController();
    const request = new AbortController();
    queue.retry = retry;
    retry.signal.addEventListener("abort", () => request.abort());
    const timer = setTimeout(() => request.abort(), requestMs);
    let sent = entry;
    try {
      // From here on, the gateway may have it.
      sent = await this.#change(queue, entry, { state: "sent" });
      const args = { ...entry.args, key: entry.key } as unknown as Arguments<KeyedRoute>;
      const result = await api.call(entry.route, args, request.signal);
      await this.#finish(queue, { ...sent, state: "acknowledged", problem: null, result });
      this.#settle(entry.key)?.resolve(result as never);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      const refusal = error instanceof ProblemError ? error : null;
      if (refusal !== null && refusal.problem.status === 401) {
        // The program can provide another token and call `retryNow`.
        await this.#record(queue, sent, refusal.problem);
        return retry.signal.aborted;
      }
      if (refusal !== null && !refusal.isTemporary && !isEarly(entry, refusal, queue.attempt)) {
        await this.#finish(queue, { ...sent, state: "refused", problem: refusal.problem });
        this.#settle(entry.key)?.reject(refusal);
        return true;
      }
      if (refusal !== null) await this.#record(queue, sent, refusal.problem);
      const delay = Math.max(refusal?.retryAfterMs ?? 0, delayMs(queue.attempt, this.#options));
      queue.attempt += 1;
      await wait(delay, [signal, retry.signal]);
      return true;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Records a problem of an entry that stays queued. The entry is sent even if this fails. */
  async #record(queue: Queue, entry: OutboxEntry, problem: Problem): Promise<void> {
    await this.#change(queue, entry, { problem }).catch(() => {});
  }

  async #change(queue: Queue, entry: OutboxEntry, to: Partial<OutboxEntry>): Promise<OutboxEntry> {
    const changed = { ...entry, ...to };
    if (changed.state === entry.state && changed.problem === entry.problem) return entry;
    queue.entries = queue.entries.map((one) => (one.key === entry.key ? changed : one));
    await this.#store(changed);
    return changed;
  }

  async #finish(queue: Queue, entry: OutboxEntry): Promise<void> {
    queue.attempt = 0;
    queue.entries = queue.entries.filter((one) => one.key !== entry.key);
    this.#stored.delete(entry.key);
    try {
      await this.#options.storage.remove(entry.key);
    } catch {
      // The next outbox sends it again, under the same key.
    }
    this.#notify(entry);
  }

  #settle(key: string) {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    return waiting;
  }
}
