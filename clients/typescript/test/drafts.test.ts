import assert from "node:assert/strict";
import { test } from "node:test";

import { type EventsMessage, type SessionState, events, turnText } from "../src/index.js";
import { below, randomText, seeded } from "./random.js";

function started(): SessionState {
  const event = { v: 1, seq: 1, epoch: 1, at: 0, turn: 1, kind: "turn_started", body: { inputs: [] as string[] } } as const;
  return events.reduce(events.initial(0), { event }, 1);
}

function stored(state: SessionState, text: string): SessionState {
  const body = { type: "assistant", uuid: "line", message: { id: "m", content: [{ type: "text", text }] } };
  const event = { v: 1, seq: state.seq + 1, epoch: 1, at: 0, turn: 1, kind: "message", body } as const;
  return events.reduce(state, { event }, event.seq);
}

function add(state: SessionState, message: EventsMessage): SessionState {
  return events.reduce(state, message, state.seq);
}

function deltas(random: () => number, text: string): EventsMessage[] {
  const letters = [...text];
  const pieces: EventsMessage[] = [];
  let offset = 0;
  while (letters.length > 0) {
    const piece = letters.splice(0, 1 + below(random, 5)).join("");
    pieces.push({ delta: { turn: 1, message_id: "m", block: 0, offset, text: piece } });
    offset += new TextEncoder().encode(piece).length;
  }
  return pieces;
}

test("deltas in order show the whole text", () => {
  const random = seeded(1);
  const text = randomText(random, 200);
  const state = deltas(random, text).reduce(add, started());
  assert.equal(turnText(state, 1), text);
});

test("lost, doubled and reordered deltas show a prefix, and the stored text replaces it", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = seeded(seed);
    const text = randomText(random, 60);
    const sent = deltas(random, text).flatMap((delta) => {
      const luck = random();
      return luck < 0.1 ? [] : luck < 0.3 ? [delta, delta] : [delta];
    });
    for (let swaps = below(random, 10); swaps > 0; swaps -= 1) {
      const [a, b] = [below(random, sent.length), below(random, sent.length)];
      if (sent.length > 0) [sent[a], sent[b]] = [sent[b]!, sent[a]!];
    }
    let state = started();
    for (const delta of sent) {
      state = add(state, delta);
      assert.ok(text.startsWith(turnText(state, 1)), `seed ${seed}`);
    }
    state = stored(state, text);
    assert.equal(turnText(state, 1), text, `seed ${seed}`);
    const late = sent.reduce(add, state);
    assert.equal(turnText(late, 1), text, `seed ${seed}, late deltas`);
  }
});

test("reordered deltas that are all there show the whole text", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = seeded(seed);
    const text = randomText(random, 60);
    const sent = deltas(random, text).sort(() => random() - 0.5);
    assert.equal(turnText(sent.reduce(add, started()), 1), text, `seed ${seed}`);
  }
});

test("a retracted block disappears, and so does text that was never stored", () => {
  const random = seeded(2);
  const half = deltas(random, "half a text").reduce(add, started());
  const gone = add(half, {
    delta: { turn: 1, message_id: "m", block: 0, offset: 0, text: "", retracted: true },
  });
  assert.equal(turnText(gone, 1), "");
  const body = { ending: "Interrupted" } as const;
  const ended = { v: 1, seq: 2, epoch: 1, at: 0, turn: 1, kind: "turn_ended", body } as const;
  assert.equal(turnText(add(half, { event: ended }), 1), "");
});
