// Processor time of this process for one turn of many messages, with the official TypeScript SDK.
//
// node messages.mjs SDK CLI, where SDK is the folder of the npm package.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , sdk, cli] = process.argv;
const { query } = await import(pathToFileURL(join(sdk, "sdk.mjs")).href);

let begin;
const ready = new Promise((done) => (begin = done));
let end;
const over = new Promise((done) => (end = done));
async function* prompts() {
  await ready;
  yield { type: "user", message: { role: "user", content: "go" }, parent_tool_use_id: null };
  await over;
}

const conversation = query({ prompt: prompts(), options: { pathToClaudeCodeExecutable: cli } });
// The handshake is not what is measured.
await conversation.supportedCommands();
const before = process.cpuUsage();
begin();
let messages = 0;
for await (const message of conversation) {
  messages += 1;
  if (message.type === "result") break;
}
const used = process.cpuUsage(before);
end();
process.stdout.write(JSON.stringify({ messages, cpu_ms: (used.user + used.system) / 1e3 }) + "\n");
process.exit(0);
