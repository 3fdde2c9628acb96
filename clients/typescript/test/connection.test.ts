import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Api, Connection, type ConnectionOptions, type ConnectionState, type Frame, type Json } from "../src/index.js";
import { seeded, split } from "./random.js";

/** What one request gets: a status, the text of a stream, and how it ends. */
interface Answer {
  status?: number;
  text?: string;
  end?: "close" | "error" | "open";
}

const encoder = new TextEncoder();

function frame(after: number, message: Json): string {
  const text = JSON.stringify({ session: "s", after, message });
  return `: ping\n\nid: ${after}\ndata: ${text}\n\n`;
}

/** Runs a connection until a check holds, and returns what it has done. */
async function run(
  answers: (after: number, count: number) => Answer,
  until: (log: { frames: Frame<Json>[]; states: ConnectionState[] }) => boolean,
  options: Partial<ConnectionOptions> = {},
) {
  const log = { frames: [] as Frame<Json>[], states: [] as ConnectionState[], afters: [] as number[], lost: 0 };
  const random = seeded(3);
  const send = (async (url: URL, init: RequestInit) => {
    assert.equal((init.headers as Record<string, string>).authorization, "Bearer t");
    assert.equal(url.searchParams.get("dialect"), "events");
    const after = Number(url.searchParams.get("after"));
    log.afters.push(after);
    const { status = 200, text = "", end = "close" } = answers(after, log.afters.length);
    if (status === 0) throw new TypeError("fetch failed");
    if (status !== 200) {
      return Response.json({ status, code: "c", title: "t", detail: "d" }, { status });
    }
    const pieces = split(random, encoder.encode(text)).filter((piece) => piece.length > 0);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        init.signal?.addEventListener("abort", () => {
          try {
            controller.error(init.signal?.reason);
          } catch {
            // It has ended already.
          }
        });
      },
      pull(controller) {
        const piece = pieces.shift();
        if (piece !== undefined) controller.enqueue(piece);
        else if (end === "close") controller.close();
        else if (end === "error") controller.error(new Error("the network failed"));
        else return new Promise(() => {});
      },
    });
    return new Response(body);
  }) as unknown as typeof fetch;
  let connection: Connection | undefined;
  await new Promise<void>((resolve) => {
    const check = () => {
      if (until(log)) {
        connection?.close();
        resolve();
      }
    };
    connection = new Connection({
      api: new Api({ url: "http://127.0.0.1:1/", token: () => "t", fetch: send }),
      session: "s",
      dialect: "events",
      minDelayMs: 0,
      maxDelayMs: 1,
      onLost: () => (log.lost += 1),
      onState: (state) => {
        log.states.push(state);
        if (state.name === "closed") resolve();
        check();
      },
      ...options,
      onFrame: (frame) => {
        const result = options.onFrame?.(frame);
        if (result === "missing") return result;
        log.frames.push(frame);
        check();
      },
    });
  });
  return { ...log, after: connection!.after };
}

test("a connection resumes from the last cursor that increased", async () => {
  const { frames, afters, lost } = await run(
    (after, count) => ({
      text: frame(after, "provisional") + frame(after + 1, `event ${after + 1}`) + frame(after + 1, "lost"),
      end: count % 2 === 0 ? "close" : "error",
    }),
    ({ frames }) => frames.length >= 15,
  );
  assert.deepEqual(afters, [0, 1, 2, 3, 4]);
  assert.equal(lost, 4);
  assert.deepEqual(frames.filter((_, place) => place % 3 === 1).map((one) => one.message), [
    "event 1", "event 2", "event 3", "event 4", "event 5",
  ]);
});

test("a frame that reports a gap of the client is not counted", async () => {
  let isLost = false;
  const { frames, afters } = await run(
    (after) => ({ text: frame(after + 1, "a") + frame(after + 2, "b"), end: "open" }),
    ({ frames }) => frames.length >= 3,
    {
      onFrame: (frame) => {
        if (frame.message !== "b" || isLost) return;
        isLost = true;
        return "missing";
      },
    },
  );
  assert.deepEqual(afters, [0, 1]);
  assert.deepEqual(frames.map((one) => one.after), [1, 2, 3]);
});

test("a resync frame continues from the cursor", async () => {
  const { frames, afters, lost } = await run(
    (after) => ({
      text: frame(after + 1, "a") + `data: {"session":"s","after":${after + 1},"resync":true}\n\n` + frame(9, "b"),
      end: "open",
    }),
    ({ frames }) => frames.length >= 2,
  );
  assert.deepEqual([afters, lost], [[0, 1], 1]);
  assert.deepEqual(frames.map((one) => one.after), [1, 2]);
});

test("refusals for good close the connection with the problem", async () => {
  for (const status of [400, 401, 403, 404, 409, 410]) {
    const { states, afters } = await run(() => ({ status }), () => false, { after: 5 });
    const last = states.at(-1);
    assert.ok(last?.name === "closed" && last.problem?.status === status);
    assert.deepEqual(afters, [5]);
  }
});

test("temporary failures are repeated with growing delays", async () => {
  const { states } = await run(
    (_, count) => (count > 6 ? { text: frame(1, "a") } : { status: [503, 0, 429][count % 3]! }),
    ({ frames }) => frames.length > 0,
    { minDelayMs: 1, maxDelayMs: 8, random: () => 1 },
  );
  const delays = states.flatMap((state) => (state.name === "waiting" ? [state.delayMs] : []));
  assert.deepEqual(delays, [2, 4, 8, 8, 8, 8]);
  const names = states.map((state) => state.name);
  assert.deepEqual(names.slice(0, 3), ["connecting", "waiting", "connecting"]);
  assert.deepEqual(names.slice(-2), ["live", "closed"]);
});

test("a connection without bytes for 45 s is given up", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const answers = [{ text: ": ping\n\n", end: "open" }, { text: frame(1, "a"), end: "open" }] as const;
    const running = run(
      (_, count) => answers[count - 1] ?? { status: 500 },
      ({ frames }) => frames.length > 0,
      { silenceMs: 45_000 },
    );
    // Timers are set between the turns of the event loop.
    for (let turn = 0; turn < 1000; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      mock.timers.tick(100);
    }
    const { states } = await running;
    const reasons = states.flatMap((state) => (state.name === "waiting" ? [state.reason] : []));
    assert.deepEqual(reasons, ["nothing was received for 45000 ms"]);
  } finally {
    mock.timers.reset();
  }
});

test("nothing is delivered after close", async () => {
  const { frames, states } = await run(
    () => ({ text: frame(1, "a") + frame(2, "b"), end: "open" }),
    ({ frames }) => frames.length === 1,
  );
  assert.equal(frames.length, 1);
  assert.deepEqual(states.at(-1), { name: "closed", problem: null });
});

test("a stream that ends without a message does not end the backoff", async () => {
  const { states, frames } = await run(
    () => ({ text: ': ping\n\ndata: {"session":"s","after":0,"ended":true}\n\n', end: "open" }),
    ({ states }) => states.filter((state) => state.name === "waiting").length >= 4,
    { minDelayMs: 1, maxDelayMs: 8, random: () => 1 },
  );
  const delays = states.flatMap((state) => (state.name === "waiting" ? [state.delayMs] : []));
  assert.deepEqual([delays, frames], [[2, 4, 8, 8], []]);
});

test("a callback that throws closes the connection", async () => {
  // The runner would count the rejection, which is expected here, as a failure of the test.
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  try {
    const reported = new Promise((resolve) => process.once("unhandledRejection", resolve));
    const failure = new Error("the reducer has failed");
    const { states, afters } = await run(
      () => ({ text: frame(1, "a"), end: "open" }),
      () => false,
      {
        onFrame: () => {
          throw failure;
        },
      },
    );
    assert.equal(await reported, failure);
    assert.deepEqual([states.at(-1)?.name, afters], ["closed", [0]]);
  } finally {
    for (const listener of listeners) process.on("unhandledRejection", listener);
  }
});
