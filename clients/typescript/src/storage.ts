import type { OutboxEntry, OutboxStorage } from "./outbox.js";

/** Keeps entries in memory. They are lost when the program ends. */
export class MemoryStorage implements OutboxStorage {
  readonly #entries = new Map<string, string>();

  async load(): Promise<OutboxEntry[]> {
    return inOrder([...this.#entries.values()]);
  }

  async put(entry: OutboxEntry): Promise<void> {
    this.#entries.set(entry.key, JSON.stringify(entry));
  }

  async remove(key: string): Promise<void> {
    this.#entries.delete(key);
  }
}

/** Keeps entries in `localStorage`. They remain when the page is closed. */
export class LocalStorage implements OutboxStorage {
  readonly #storage: Storage;
  readonly #prefix: string;

  constructor(prefix = "claw-outbox:", storage: Storage = localStorage) {
    this.#prefix = prefix;
    this.#storage = storage;
  }

  async load(): Promise<OutboxEntry[]> {
    const names = Array.from({ length: this.#storage.length }, (_, place) => this.#storage.key(place));
    const own = names.filter((name) => name?.startsWith(this.#prefix) === true) as string[];
    return inOrder(own.map((name) => this.#storage.getItem(name) ?? "null"));
  }

  async put(entry: OutboxEntry): Promise<void> {
    this.#storage.setItem(this.#prefix + entry.key, JSON.stringify(entry));
  }

  async remove(key: string): Promise<void> {
    this.#storage.removeItem(this.#prefix + key);
  }
}

/** Parses entries. Other values under the same prefix are ignored. */
function inOrder(texts: string[]): OutboxEntry[] {
  const entries = texts.flatMap((text) => {
    try {
      const entry = JSON.parse(text) as OutboxEntry | null;
      return typeof entry?.key === "string" && typeof entry.route === "string" ? [entry] : [];
    } catch {
      return [];
    }
  });
  return entries.sort((a, b) => a.order - b.order);
}
