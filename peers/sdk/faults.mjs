// One row of the fault table, with the official TypeScript SDK.
//
// node faults.mjs SDK CLI ROW SECONDS, where SDK is the folder of the npm package.
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const [, , sdk, cli, row, seconds] = process.argv;
const { query } = await import(pathToFileURL(join(sdk, "sdk.mjs")).href);

const began = performance.now();
const report = { messages: 0, ordered: true };
let number = 0;
let told = false;

function stopClock() {
  report.ms ??= performance.now() - began;
}

function tell(outcome, error) {
  if (told) return;
  told = true;
  stopClock();
  report.outcome = outcome;
  report.error = error === undefined ? null : String(error?.message ?? error).slice(0, 200);
  report.peak_kib = process.resourceUsage().maxRSS;
  process.stdout.write(JSON.stringify(report) + "\n");
}

// Lives on until nobody looks any more.
process.stdin.on("data", () => {});
process.stdin.on("end", () => process.exit(0));
setTimeout(() => tell("hang"), Number(seconds) * 1000);
process.on("uncaughtException", (error) => tell("error", error));
process.on("unhandledRejection", (error) => tell("error", error));

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function take(message) {
  if (message.type === "assistant") {
    report.messages += 1;
    const found = /^message (\d+) /.exec(message.message?.content?.[0]?.text ?? "");
    if (found) {
      report.ordered &&= Number(found[1]) === number + 1;
      number = Number(found[1]);
    }
  } else if (message.type === "result" || message.type === "from_the_future") {
    report.messages += 1;
  }
}

// A conversation that stays open: control requests need one.
async function* prompts(closed) {
  yield { type: "user", message: { role: "user", content: "go" }, parent_tool_use_id: null };
  await closed;
}

async function run() {
  const options = { pathToClaudeCodeExecutable: cli };
  if (row === "permission_never") options.canUseTool = () => new Promise(() => {});
  if (row === "permission_panics") {
    options.canUseTool = async () => {
      throw new Error("the callback has a fault of its own");
    };
  }
  const isInterrupt = row.startsWith("interrupt_");
  let close;
  const closed = new Promise((done) => (close = done));
  const streams = isInterrupt || row.startsWith("permission_");
  const messages = query({ prompt: streams ? prompts(closed) : "go", options });
  if (isInterrupt) {
    for (;;) {
      const { value, done } = await messages.next();
      if (done) return tell("ends");
      take(value);
      if (value.type === "assistant") break;
    }
    await sleep(1000);
    const asked = performance.now();
    await messages.interrupt();
    report.receipt_ms = performance.now() - asked;
    for (;;) {
      const { value, done } = await messages.next();
      if (done) break;
      take(value);
      if (value.type === "result") break;
    }
    close();
    messages.close();
    return tell("interrupted");
  }
  let result;
  let count = 0;
  for await (const message of messages) {
    take(message);
    if (message.type === "result") {
      result = message;
      stopClock();
      close();
    }
    if (row.startsWith("drop_handle") && message.type === "assistant") {
      // Leaving the loop is how a program lets go.
      break;
    }
    count += 1;
    if (row === "slow_reader_3003" || (row === "flood_100000" && count % 100 === 0)) await sleep(2);
  }
  if (row.startsWith("drop_handle")) return tell("dropped");
  tell(result ? "ok" : "ends");
}

run().catch((error) => tell("error", error));
