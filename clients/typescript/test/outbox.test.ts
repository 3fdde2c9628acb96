import assert from "node:assert/strict";
import { test } from "node:test";

import { Api, LocalStorage, MemoryStorage, Outbox, type OutboxEntry, type OutboxStorage, ProblemError } from "../src/index.js";
import { seeded } from "./random.js";

interface Request {
  key: string;
  path: string;
  body: unknown;
}

/** A gateway that answers requests as told. */
function gateway(answer: (request: Request, count: number) => Response | Error) {
  const requests: Request[] = [];
  const send = (async (url: URL, init: RequestInit) => {
    const headers = init.headers as Record<string, string>;
    const request = {
      key: headers["idempotency-key"] ?? "",
      path: url.pathname,
      body: JSON.parse(String(init.body)) as unknown,
    };
    requests.push(request);
    const answered = answer(request, requests.length);
    if (answered instanceof Error) throw answered;
    return answered;
  }) as unknown as typeof fetch;
  return { requests, api: new Api({ url: "http://127.0.0.1:1", token: "t", fetch: send }) };
}

function stored(): Response {
  return Response.json({ position: 1, is_repeat: false }, { status: 202 });
}

function problem(status: number): Response {
  return Response.json({ status, code: "c", title: "t", detail: "d" }, { status });
}

const quick = { minDelayMs: 0, maxDelayMs: 1 };

test("an input is stored before it is sent, and removed when it is acknowledged", async () => {
  const storage = new MemoryStorage();
  let inStorage: OutboxEntry[] = [];
  const { requests, api } = gateway(() => stored());
  const checked: OutboxStorage = {
    load: () => storage.load(),
    put: async (entry) => {
      assert.ok(entry.state === "sent" || requests.length === 0, "it was sent before it was stored");
      await storage.put(entry);
      inStorage = await storage.load();
    },
    remove: (key) => storage.remove(key),
  };
  const states: string[] = [];
  const outbox = await Outbox.open({ api, storage: checked, onChange: (entry) => states.push(entry.state) });
  assert.deepEqual(await outbox.input("s", "Hello", "Steer"), { position: 1, is_repeat: false });
  assert.deepEqual(requests[0]?.body, { content: "Hello", mode: "Steer" });
  assert.equal(requests[0]?.path, "/v1/sessions/s/inputs");
  assert.equal(inStorage[0]?.key, requests[0]?.key);
  assert.deepEqual(states, ["stored", "sent", "acknowledged"]);
  assert.deepEqual(await storage.load(), []);
});

test("failed attempts are repeated in order with the same key", async () => {
  const random = seeded(7);
  const accepted: unknown[] = [];
  const { requests, api } = gateway(({ body }) => {
    const luck = random();
    if (luck < 0.3) return new Error("the connection was lost");
    if (luck < 0.5) return problem(503);
    // The acknowledgement is lost: the gateway has it, and the client does not know.
    accepted.push((body as { content: unknown }).content);
    return luck < 0.7 ? new Error("the connection was lost") : stored();
  });
  const outbox = await Outbox.open({ api, storage: new MemoryStorage(), ...quick });
  const texts = Array.from({ length: 50 }, (_, number) => `input ${number}`);
  await Promise.all(texts.map((text) => outbox.input("s", text)));
  assert.deepEqual([...new Set(accepted)], texts);
  const keys = new Set(requests.map((request) => `${request.key} ${JSON.stringify(request.body)}`));
  assert.equal(keys.size, texts.length);
  assert.equal(new Set(requests.map((request) => request.key)).size, texts.length);
});

test("a refused request is reported, and the next one is sent", async () => {
  const { api } = gateway((_, count) => (count === 1 ? problem(409) : stored()));
  const states: string[] = [];
  const outbox = await Outbox.open({
    api,
    storage: new MemoryStorage(),
    onChange: (entry) => states.push(`${entry.order} ${entry.state}`),
  });
  const first = outbox.input("s", "one");
  const second = outbox.answer("s", "i", { decline: "no" });
  await assert.rejects(first, (error) => error instanceof ProblemError && error.problem.status === 409);
  await second;
  assert.ok(states.includes("1 refused") && states.includes("2 acknowledged"), states.join());
  assert.deepEqual(outbox.entries, []);
});

test("a refused token keeps the request until there is another", async () => {
  let isAccepted = false;
  const { requests, api } = gateway(() => (isAccepted ? stored() : problem(401)));
  let refused = () => {};
  const wasRefused = new Promise<void>((resolve) => (refused = resolve));
  const outbox = await Outbox.open({
    api,
    storage: new MemoryStorage(),
    onChange: (entry) => {
      if (entry.problem?.status === 401) refused();
    },
  });
  const sent = outbox.input("s", "one");
  await wasRefused;
  assert.equal(outbox.entries[0]?.state, "sent");
  isAccepted = true;
  // The refusal is reported before the queue stops.
  await new Promise((resolve) => setImmediate(resolve));
  outbox.retryNow();
  await sent;
  assert.equal(requests[0]?.key, requests[1]?.key);
});

test("requests that are left in the storage are sent with their key by the next outbox", async () => {
  const values = new Map<string, string>([["claw-outbox:broken", "{"]]);
  const local = {
    get length() {
      return values.size;
    },
    key: (place: number) => [...values.keys()][place] ?? null,
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  } as Storage;
  const storage = () => new LocalStorage("claw-outbox:", local);
  let failed = () => {};
  const hasFailed = new Promise<void>((resolve) => (failed = resolve));
  const down = gateway(() => {
    failed();
    return new Error("the connection was lost");
  });
  const first = await Outbox.open({ api: down.api, storage: storage(), minDelayMs: 1e6, maxDelayMs: 1e6 });
  const lost = [first.input("s", "one"), first.input("s", "two")].map((sent) => assert.rejects(sent));
  await hasFailed;
  first.close();
  await Promise.all(lost);

  let done = () => {};
  const isDone = new Promise<void>((resolve) => (done = resolve));
  const up = gateway(() => stored());
  const second = await Outbox.open({
    api: up.api,
    storage: storage(),
    onChange: (entry) => {
      if (entry.state === "acknowledged" && entry.order === 2) done();
    },
  });
  await isDone;
  assert.equal(up.requests[0]?.key, down.requests[0]?.key);
  assert.deepEqual(up.requests.map((request) => request.body), [{ content: "one" }, { content: "two" }]);
  await second.input("s", "three");
  assert.deepEqual([...values.keys()], ["claw-outbox:broken"]);
});

test("what cannot be stored is not sent", async () => {
  const { requests, api } = gateway(() => stored());
  const storage = new MemoryStorage();
  storage.put = () => Promise.reject(new Error("the storage is full"));
  const outbox = await Outbox.open({ api, storage });
  await assert.rejects(outbox.input("s", "one"), /the storage is full/);
  assert.deepEqual(requests, []);
});

test("an answer that is ahead of its interaction is repeated", async () => {
  const { requests, api } = gateway((_, count) => (count <= 3 ? problem(404) : stored()));
  const outbox = await Outbox.open({ api, storage: new MemoryStorage(), ...quick });
  await outbox.answer("s", "i", { decline: "no" });
  assert.equal(new Set(requests.map((request) => request.key)).size, 1);
  assert.equal(requests.length, 4);
});

test("an answer without an interaction is refused in the end", async () => {
  const { api } = gateway(() => problem(404));
  const outbox = await Outbox.open({ api, storage: new MemoryStorage(), ...quick });
  await assert.rejects(outbox.answer("s", "i", { decline: "no" }), ProblemError);
  await assert.rejects(outbox.input("s", "one"), ProblemError);
});

/** A gateway whose first response never arrives. */
function silent(onRequest: () => void = () => {}) {
  const keys: string[] = [];
  const send = (async (_: URL, init: RequestInit) => {
    keys.push((init.headers as Record<string, string>)["idempotency-key"] ?? "");
    if (keys.length > 1) return stored();
    return new Promise((_, reject) => {
      init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      onRequest();
    });
  }) as unknown as typeof fetch;
  return { keys, api: new Api({ url: "http://127.0.0.1:1", token: "t", fetch: send }) };
}

test("a request without a response is repeated", async () => {
  const { keys, api } = silent();
  const outbox = await Outbox.open({ api, storage: new MemoryStorage(), ...quick, requestMs: 5 });
  await outbox.input("s", "one");
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

test("retryNow ends a request that waits for its response, and the delay after it", async () => {
  let requested = () => {};
  const isRequested = new Promise<void>((resolve) => (requested = resolve));
  const { keys, api } = silent(() => requested());
  const slow = { minDelayMs: 1e6, maxDelayMs: 1e6, requestMs: 1e6 };
  const outbox = await Outbox.open({ api, storage: new MemoryStorage(), ...slow });
  const sent = outbox.input("s", "one");
  await isRequested;
  outbox.retryNow();
  await sent;
  assert.equal(keys.length, 2);
});

test("a request behind one that cannot be stored is sent", async () => {
  const { requests, api } = gateway(() => stored());
  const storage = new MemoryStorage();
  const put = storage.put.bind(storage);
  let fail = () => {};
  const hasFailed = new Promise<void>((_, reject) => (fail = () => reject(new Error("the storage is full"))));
  storage.put = (entry) => (entry.order === 1 ? hasFailed : put(entry));
  const outbox = await Outbox.open({ api, storage });
  const first = assert.rejects(outbox.input("s", "one"), /the storage is full/);
  const second = outbox.input("s", "two");
  // The second one is stored before the first one fails.
  await new Promise((resolve) => setImmediate(resolve));
  fail();
  await first;
  await second;
  assert.deepEqual(requests.map((request) => request.body), [{ content: "two" }]);
});

test("a result is reported even if its entry cannot be removed", async () => {
  const { api } = gateway((_, count) => (count === 1 ? stored() : problem(409)));
  const storage = new MemoryStorage();
  storage.remove = () => Promise.reject(new Error("the storage is read-only"));
  const outbox = await Outbox.open({ api, storage });
  assert.deepEqual(await outbox.input("s", "one"), { position: 1, is_repeat: false });
  await assert.rejects(outbox.input("s", "two"), ProblemError);
});
