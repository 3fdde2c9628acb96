import assert from "node:assert/strict";
import { test } from "node:test";

import {
  type EventsMessage,
  type Frame,
  type MobileMessage,
  type Reducer,
  type Replica,
  type UiMessage,
  applyFrame,
  disconnect,
  events,
  mobile,
  replica,
  turnText,
  ui,
} from "../src/index.js";
import { recorded } from "./recorded.js";
import { below, seeded } from "./random.js";

/** Receives frames, and returns `null` at one that shows that another was lost. */
function receive<S, M>(reducer: Reducer<S, M>, from: Replica<S>, frames: Frame<M>[]): [Replica<S>, boolean] {
  let now = from;
  for (const frame of frames) {
    const next = applyFrame(reducer, now, frame);
    if (next === "missing") return [now, false];
    now = next;
  }
  return [now, true];
}

/** Returns what a gateway sends to a client that resumes from a cursor. */
function resume<M>(frames: Frame<M>[], after: number): Frame<M>[] {
  const place = frames.findIndex((frame) => frame.after >= after);
  return after === 0 ? frames : frames.slice(place + 1);
}

function whole<S, M>(reducer: Reducer<S, M>, frames: Frame<M>[]): S {
  const [end, isWhole] = receive(reducer, replica(reducer.initial(0)), frames);
  assert.ok(isWhole);
  return end.shown;
}

/** Interrupts a stream many times. Each connection delivers a part of the frames, as `damage` changes it. */
function interrupted<S, M>(
  reducer: Reducer<S, M>,
  frames: Frame<M>[],
  random: () => number,
  damage: (frames: Frame<M>[]) => Frame<M>[],
): S {
  let now = replica(reducer.initial(0));
  for (let connection = 0; connection < 30; connection += 1) {
    const rest = resume(frames, now.after);
    const part = damage(rest.slice(0, below(random, Math.min(rest.length, 12) + 1)));
    now = disconnect(reducer, receive(reducer, now, part)[0]);
  }
  return receive(reducer, now, resume(frames, now.after))[0].shown;
}

/** Drops, doubles and reorders frames. */
function damaged<M>(random: () => number, frames: Frame<M>[]): Frame<M>[] {
  const sent = frames.flatMap((frame) => {
    const luck = random();
    return luck < 0.1 ? [] : luck < 0.3 ? [frame, frame] : [frame];
  });
  for (let swaps = below(random, 4); swaps > 0 && sent.length > 1; swaps -= 1) {
    const place = below(random, sent.length - 1);
    [sent[place], sent[place + 1]] = [sent[place + 1]!, sent[place]!];
  }
  return sent;
}

const recordings = {
  events: recorded<EventsMessage>("events"),
  ui: recorded<UiMessage>("ui"),
  mobile: recorded<MobileMessage>("mobile"),
};

test("the recording gives the state of the session", () => {
  const state = whole(events, recordings.events);
  assert.deepEqual(state.inputs.map((input) => [input.content, input.state]), [
    ["Input 1", "processed"],
    ["Input 2", "processed"],
    ["Input 3", "processed"],
  ]);
  assert.deepEqual(state.turn, { number: 3, ending: "Succeeded", reason: null });
  assert.equal(turnText(state, 3), "Done.");
  assert.deepEqual(state.interactions.map((one) => [one.tool_name, one.state, one.by]), [["Bash", "answered", "laptop"]]);
  assert.ok(state.tools.length > 1 && state.tools.every((tool) => tool.state !== "running"));
  assert.ok(state.usage.outputTokens > 0);
  assert.deepEqual([state.drafts, state.gaps], [[], []]);
});

test("text is shown while it is written", () => {
  const texts = new Set<string>();
  const turn = 2;
  let now = replica(events.initial(0));
  for (const frame of recordings.events) {
    const next = applyFrame(events, now, frame);
    assert.ok(next !== "missing");
    now = next;
    texts.add(turnText(now.shown, turn));
  }
  const final = turnText(now.shown, turn);
  assert.ok(texts.size > 3, [...texts].join(" | "));
  for (const text of texts) assert.ok(final.startsWith(text), text);
});

test("the dialects agree", () => {
  const state = whole(events, recordings.events);
  const screen = whole(ui, recordings.ui);
  const phone = whole(mobile, recordings.mobile);
  assert.deepEqual(screen.turns.map((turn) => turn.text), [1, 2, 3].map((turn) => turnText(state, turn)));
  assert.ok(screen.turns.every((turn) => turn.stopReason === "EndTurn"));
  assert.equal(phone.responses.join(""), screen.turns.map((turn) => turn.text).join(""));
  assert.equal(phone.completedTurn, 3);
  assert.deepEqual(screen.tools.map((tool) => tool.id), state.tools.map((tool) => tool.id));
  assert.deepEqual([screen.requests, phone.requests], [[], []]);
});

test("after disconnects the state is that of a client that stayed", () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const random = seeded(seed);
    const check = <S, M>(reducer: Reducer<S, M>, frames: Frame<M>[]) => {
      const state = interrupted(reducer, frames, random, (part) => part);
      assert.deepEqual(state, whole(reducer, frames), `${String(reducer.dialect)}, seed ${seed}`);
    };
    check(events, recordings.events);
    check(ui, recordings.ui);
    check(mobile, recordings.mobile);
  }
});

test("dropped, doubled and reordered events are noticed or do no harm", () => {
  const frames = recordings.events;
  for (let seed = 1; seed <= 100; seed += 1) {
    const random = seeded(seed);
    const state = interrupted(events, frames, random, (part) => damaged(random, part));
    assert.deepEqual(state, whole(events, frames), `seed ${seed}`);
  }
});

test("frames of an older connection are ignored in every dialect", () => {
  const check = <S, M>(reducer: Reducer<S, M>, frames: Frame<M>[]) => {
    const [end] = receive(reducer, replica(reducer.initial(0)), frames);
    const old = frames.filter((frame) => frame.after < end.after);
    assert.ok(old.length > 10);
    assert.deepEqual(receive(reducer, end, old)[0], end);
  };
  check(events, recordings.events);
  check(ui, recordings.ui);
  check(mobile, recordings.mobile);
});

test("a stored state continues where it was", () => {
  const frames = recordings.events;
  for (const place of [1, 10, 20, frames.length - 1]) {
    const [{ kept, after }] = receive(events, replica(events.initial(0)), frames.slice(0, place));
    const loaded = disconnect(events, replica(JSON.parse(JSON.stringify(kept)) as typeof kept, after));
    assert.deepEqual(receive(events, loaded, resume(frames, after))[0].shown, whole(events, frames));
  }
});

test("events that the log has lost are reported as a gap", () => {
  const frames = recordings.events;
  const [start] = receive(events, replica(events.initial(0)), frames.slice(0, 3));
  const gap: Frame<EventsMessage> = { session: "session", after: 9, message: { gap: { from: start.after + 1, to: 9 } } };
  const [state, isWhole] = receive(events, start, [gap, ...resume(frames, 9)]);
  assert.ok(isWhole);
  assert.deepEqual(state.shown.gaps, [{ from: start.after + 1, to: 9 }]);
  assert.equal(turnText(state.shown, 3), "Done.");
});

test("unknown messages change nothing", () => {
  const unknown = { session: "session", after: 0, message: { Later: {}, type: "later" } };
  const check = <S, M>(reducer: Reducer<S, M>) => {
    const start = replica(reducer.initial(0));
    assert.deepEqual(applyFrame(reducer, start, unknown as unknown as Frame<M>), start);
  };
  check(events);
  check(ui);
  check(mobile);
});
