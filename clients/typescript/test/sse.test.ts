import assert from "node:assert/strict";
import { test } from "node:test";

import { type SseEvent, SseParser } from "../src/index.js";
import { randomText, seeded, split } from "./random.js";

const encoder = new TextEncoder();

function parse(pieces: Iterable<Uint8Array>): SseEvent[] {
  const parser = new SseParser();
  return [...pieces].flatMap((piece) => parser.push(piece));
}

const STREAM =
  "\uFEFF: a comment\n\nid: 1\ndata: one\n\n" +
  "event: named\r\ndata: two\r\ndata:  lines\r\n\r\n" +
  "data:no space\rdata\r\r" +
  "id: 7\nretry: 10\nunknown: x\n\n" +
  "data: 漢🦀 é\n\nid\ndata: {\"a\":1}\n\ndata: not complete\n";

const EVENTS: SseEvent[] = [
  { event: "message", data: "one", id: "1" },
  { event: "named", data: "two\n lines", id: "1" },
  { event: "message", data: "no space\n", id: "1" },
  { event: "message", data: "漢🦀 é", id: "7" },
  { event: "message", data: '{"a":1}', id: "" },
];

test("events are parsed as the standard says", () => {
  assert.deepEqual(parse([encoder.encode(STREAM)]), EVENTS);
});

test("every split of the bytes gives the same events", () => {
  const bytes = encoder.encode(STREAM);
  for (let at = 0; at <= bytes.length; at += 1) {
    assert.deepEqual(parse([bytes.subarray(0, at), bytes.subarray(at)]), EVENTS, `split at ${at}`);
  }
  assert.deepEqual(parse(Array.from(bytes, (byte) => Uint8Array.of(byte))), EVENTS);
});

test("random streams survive random splits", () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const random = seeded(seed);
    const end = ["\n", "\r\n", "\r"][seed % 3];
    const datas = Array.from({ length: 10 }, () => JSON.stringify(randomText(random, 40)));
    const stream = datas.map((data) => `: ping${end}${end}data: ${data}${end}${end}`).join("");
    const found = parse(split(random, encoder.encode(stream), 7));
    assert.deepEqual(found.map((event) => event.data), datas, `seed ${seed}`);
  }
});
