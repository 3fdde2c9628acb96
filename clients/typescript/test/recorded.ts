import { readFileSync } from "node:fs";

import type { Frame } from "../src/index.js";

/** Returns the frames of a recording. They were recorded by a test of the gateway. */
export function recorded<M>(dialect: string): Frame<M>[] {
  // The compiled tests are in `build/test`.
  const file = new URL(`../../test/fixtures/${dialect}.ndjson`, import.meta.url);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Frame<M>);
}
