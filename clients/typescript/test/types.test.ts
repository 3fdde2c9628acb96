import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import ts from "typescript";

import type { AnswerOutcome, EventsMessage, UiMessage } from "../src/index.js";
import { recorded } from "./recorded.js";

const source = fileURLToPath(new URL("../../src/generated.ts", import.meta.url));

/** Compiles a program beside the generated types, and returns its errors. */
function errorsOf(text: string): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    // The generated types need none of the libraries of browsers.
    lib: ["lib.es5.d.ts"],
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    types: [],
  };
  const files = new Map([["recording.ts", text], ["generated.ts", readFileSync(source, "utf8")]]);
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => {
    const own = files.get(name.replace(/^.*\//, ""));
    return own === undefined ? read(name, version) : ts.createSourceFile(name, own, version);
  };
  const exists = host.fileExists.bind(host);
  host.fileExists = (name) => files.has(name.replace(/^.*\//, "")) || exists(name);
  const program = ts.createProgram(["recording.ts"], options, host);
  return ts.getPreEmitDiagnostics(program).map((one) => ts.flattenDiagnosticMessageText(one.messageText, "\n"));
}

const DIALECTS = [["events", "EventsMessage"], ["ui", "UiMessage"], ["mobile", "MobileMessage"]] as const;

/** A program that has the frames of a recording as literals of their type. */
function literals(dialect: string, type: string): string {
  const frames = recorded<unknown>(dialect).map((frame) => JSON.stringify(frame));
  return `import type { ${type} } from "./generated.js";\n` +
    `export const ${dialect}: { session: string; after: number; message: ${type} }[] = [\n${frames.join(",\n")}\n];\n`;
}

// Literals are checked for members that a type does not have, and for names that it does not know.
test("recorded messages have their generated types", () => {
  assert.deepEqual(errorsOf(DIALECTS.map(([dialect, type]) => literals(dialect, type)).join("")), []);
});

test("other names and members do not have the generated types", () => {
  const text = literals("mobile", "MobileMessage");
  for (const [from, to] of [['"type":"turn_complete"', '"type":"turn_completed"'], ['"turn":', '"turns":']] as const) {
    assert.ok(text.includes(from));
    assert.notDeepEqual(errorsOf(text.replaceAll(from, to)), []);
  }
});

test("known cases are narrowed, and unknown ones stay", () => {
  // The compiler checks these functions.
  const outcome = (value: AnswerOutcome): string => {
    switch (value.outcome) {
      case "won":
      case "closed":
        return value.outcome;
      case "lost":
        return value.by;
      default:
        return `unknown ${value.outcome}`;
    }
  };
  const text = (message: UiMessage): string => ("TextChunk" in message ? message.TextChunk.text : "");
  const turn = (message: EventsMessage): number[] => {
    if (!("event" in message) || message.event.kind !== "turn_started") return [];
    return message.event.body.inputs.map((input: string) => input.length);
  };
  assert.equal(outcome({ outcome: "lost", by: "phone" }), "phone");
  assert.equal(text({ TextChunk: { text: "a", session_id: 1, turn_id: { role: "Assistant", sequence: 1 } } }), "a");
  assert.deepEqual(turn({ delta: { turn: 1, message_id: "m", block: 0, offset: 0, text: "" } }), []);
});
