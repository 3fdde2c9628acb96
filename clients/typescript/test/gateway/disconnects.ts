/**
 * Drives a session on a real gateway: one client stays connected, others lose their connections at
 * random places, and the requests of the outbox fail at random. At the end all have the same state.
 *
 * A test of the gateway starts this program.
 */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

import {
  Api,
  type FollowedSession,
  MemoryStorage,
  Outbox,
  type Reducer,
  events,
  follow,
  mobile,
  pending,
  turnText,
  ui,
} from "../../src/index.js";
import { below, seeded } from "../random.js";

const [turns, losses] = process.argv.slice(2).map(Number) as [number, number];
const { CLAW_URL: url = "", CLAW_TOKEN: token = "", CLAW_FOLDER: folder = "" } = process.env;
const random = seeded(15);

/** A `fetch` whose streams break after a random number of bytes. */
function cutting(counter: { losses: number }): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    // Some frames are long: a stream that always broke before their end would never continue.
    let left = below(random, random() < 0.3 ? 100_000 : 4000);
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (chunk.length <= left) {
          left -= chunk.length;
          return controller.enqueue(chunk);
        }
        controller.enqueue(chunk.subarray(0, left));
        counter.losses += 1;
        controller.error(new Error("cut"));
      },
    });
    return new Response(response.body.pipeThrough(cut), response);
  };
}

/** A `fetch` that fails before or after the gateway has received the request. */
const failing: typeof fetch = async (input, init) => {
  const luck = random();
  if (luck < 0.2) throw new TypeError("the request was lost");
  const response = await fetch(input, init);
  if (luck >= 0.4) return response;
  await response.body?.cancel();
  throw new TypeError("the response was lost");
};

const quick = { minDelayMs: 0, maxDelayMs: 2, random };
const api = new Api({ url, token });
const key = crypto.randomUUID();
const { id: session } = await api.call("POST /v1/sessions", { key, body: { folder } });
const outbox = await Outbox.open({
  api: new Api({ url, token, fetch: failing }),
  storage: new MemoryStorage(),
  ...quick,
});

/** Waits until a check of the state holds. */
class Watch {
  #checks = new Set<() => void>();
  readonly changed = () => this.#checks.forEach((check) => check());

  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!holds()) return;
        this.#checks.delete(check);
        resolve();
      };
      this.#checks.add(check);
      check();
    });
  }
}

const watch = new Watch();
const stayed = follow(api, session, events, { onChange: watch.changed });

const processed = () => stayed.state.inputs.filter((input) => input.state === "processed").length;

/** Clients of a dialect: one that stays, and others that lose their connections. */
class Clients<S, M> {
  readonly #reducer: Reducer<S, M>;
  readonly counter = { losses: 0 };
  readonly stayed: FollowedSession<S, M>;
  readonly lossy: FollowedSession<S, M>;

  constructor(reducer: Reducer<S, M>) {
    this.#reducer = reducer;
    this.stayed = follow(api, session, reducer, { ...quick, onChange: watch.changed });
    this.lossy = this.#connect();
  }

  #connect(): FollowedSession<S, M> {
    const lossy = new Api({ url, token, fetch: cutting(this.counter) });
    return follow(lossy, session, this.#reducer, { ...quick, onChange: watch.changed });
  }

  /** Compares the clients, and others that read the session until there were enough losses. */
  async compare(): Promise<void> {
    await this.#expectEqual(this.lossy);
    while (this.counter.losses < losses) await this.#expectEqual(this.#connect());
    this.stayed.close();
  }

  async #expectEqual(lossy: FollowedSession<S, M>): Promise<void> {
    const isEqual = () => isDeepStrictEqual(lossy.state, this.stayed.state);
    const patience = new Promise((resolve) => setTimeout(() => resolve(false), 60_000).unref());
    const wasEqual = watch.until(isEqual).then(() => true);
    // Compared again only to show the difference: both may have received more since.
    if (!(await Promise.race([wasEqual, patience]))) assert.deepEqual(lossy.state, this.stayed.state);
    lossy.close();
  }
}

const dialects = { events: new Clients(events), ui: new Clients(ui), mobile: new Clients(mobile) };

for (let turn = 1; turn <= turns; turn += 1) {
  await outbox.input(session, `Input ${turn}`);
  await watch.until(() => pending(stayed.state).length > 0 || processed() === turn);
  for (const { id } of pending(stayed.state)) {
    const answered = await outbox.answer(session, id, { permission: { choice: "Allow" } });
    assert.equal(answered.outcome, "won");
  }
  await watch.until(() => processed() === turn);
}
const last = () => dialects.events.stayed.state.turn;
await watch.until(() => last()?.number === turns && last()?.ending !== null);
await watch.until(() => dialects.ui.stayed.state.turns.filter((one) => one.stopReason !== null).length === turns);
await watch.until(() => dialects.mobile.stayed.state.completedTurn === turns);
await Promise.all(Object.values(dialects).map((clients) => clients.compare()));
assert.deepEqual(
  stayed.state.inputs.map((input) => input.content),
  Array.from({ length: turns }, (_, number) => `Input ${number + 1}`),
);
assert.deepEqual(
  dialects.ui.stayed.state.turns.map((turn) => turn.text),
  Array.from({ length: turns }, (_, number) => turnText(stayed.state, number + 1)),
);
const { seq } = stayed.state;
stayed.close();
outbox.close();
const counted = Object.fromEntries(Object.entries(dialects).map(([name, one]) => [name, one.counter.losses]));
console.log(JSON.stringify({ turns, events: seq, losses: counted }));
