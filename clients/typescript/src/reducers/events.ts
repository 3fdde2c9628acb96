import type {
  AcceptedInput,
  CliMessage,
  EventsMessage,
  Interaction,
  Json,
  LifecycleState,
  ProgressUpdate,
  SessionEvent,
  TurnEnding,
} from "../generated.js";
import type { Reducer } from "../replica.js";
import { asArray, asNumber, asObject, asString } from "./json.js";
import { type Draft, addDelta } from "./drafts.js";

/** A block of a message that is stored. */
export interface Block {
  readonly type: string;
  /** The text of a `text` or `thinking` block. */
  readonly text: string;
  /** The API's block. */
  readonly content: CliMessage;
  /** The id of the CLI's line. */
  readonly line: string | null;
}

/** A message of the agent, or of a subagent. */
export interface Message {
  readonly id: string;
  /** The sequence of its first event. */
  readonly seq: number;
  readonly turn: number | null;
  /** The call that started the subagent, if it is one. */
  readonly parent: string | null;
  readonly blocks: readonly Block[];
}

export interface Tool {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  /** `no_result`: its turn ended first. */
  readonly state: "running" | "completed" | "failed" | "no_result";
  readonly result: Json;
}

export interface Input extends AcceptedInput {
  readonly seq: number;
  readonly state: "accepted" | "delivered" | "processed" | "failed" | "indeterminate";
  readonly reason: string | null;
}

export interface InteractionState extends Interaction {
  readonly seq: number;
  readonly state: "pending" | "answered" | "expired" | "withdrawn";
  /** The response that the CLI received. */
  readonly answer: Json;
  /** Who answered, if known. */
  readonly by: string | null;
}

export interface Turn {
  readonly number: number;
  /** How it ended; `null` while it runs. */
  readonly ending: TurnEnding | null;
  readonly reason: string | null;
}

/** Tokens of all turns that have ended, and the cost of the session so far. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
  readonly costUsd: number | null;
}

/** The state of a session. */
export interface SessionState {
  /** The sequence of the last event. */
  readonly seq: number;
  readonly lifecycle: LifecycleState | null;
  readonly cliSession: string | null;
  readonly turn: Turn | null;
  readonly inputs: readonly Input[];
  readonly messages: readonly Message[];
  /** Text that is being written. */
  readonly drafts: readonly Draft[];
  readonly tools: readonly Tool[];
  readonly interactions: readonly InteractionState[];
  /** The latest update of each subject, in the order in which they began. */
  readonly progress: readonly ProgressUpdate[];
  readonly usage: Usage;
  /** Events that the log no longer has. State from them is missing. */
  readonly gaps: readonly { from: number; to: number }[];
}

const NOTHING: SessionState = {
  seq: 0,
  lifecycle: null,
  cliSession: null,
  turn: null,
  inputs: [],
  messages: [],
  drafts: [],
  tools: [],
  interactions: [],
  progress: [],
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, costUsd: null },
  gaps: [],
};

/** The reducer of the dialect `events`. */
export const events: Reducer<SessionState, EventsMessage> = {
  dialect: "events",

  initial(after) {
    return { ...NOTHING, seq: after };
  },

  position(state, message, after) {
    if ("event" in message) {
      const next = state.seq + 1;
      return message.event.seq < next ? "seen" : message.event.seq > next ? "missing" : "next";
    }
    if ("delta" in message) return after > state.seq ? "missing" : "next";
    return "gap" in message && message.gap.to <= state.seq ? "seen" : "next";
  },

  reduce(state, message, after) {
    if ("event" in message) return event({ ...state, seq: message.event.seq }, message.event);
    if ("delta" in message) {
      const { delta } = message;
      const isRunning = state.turn?.number === delta.turn && state.turn.ending === null;
      const stored = messageOf(state, delta.message_id, delta.turn)?.blocks.length ?? 0;
      // The text is already stored, or its turn has ended and it is never stored.
      if (!isRunning || (delta.block < stored && delta.retracted !== true)) return state;
      return { ...state, drafts: addDelta(state.drafts, delta) };
    }
    if ("gap" in message) {
      return { ...state, seq: message.gap.to, drafts: [], gaps: [...state.gaps, message.gap] };
    }
    return after > state.seq ? { ...state, seq: after } : state;
  },

  disconnect(state) {
    return state.drafts.length === 0 ? state : { ...state, drafts: [] };
  },
};

/** Returns the text of the agent in a turn, including text that is being written. */
export function turnText(state: SessionState, turn: number): string {
  const texts = state.messages
    .filter((message) => message.turn === turn && message.parent === null)
    .flatMap((message) => message.blocks.filter((block) => block.type === "text"));
  const written = state.turn?.number === turn ? state.drafts : [];
  return [...texts, ...written].map((part) => part.text).join("");
}

/** Returns the interactions that wait for an answer. */
export function pending(state: SessionState): readonly InteractionState[] {
  return state.interactions.filter((one) => one.state === "pending");
}

function event(state: SessionState, event: SessionEvent): SessionState {
  switch (event.kind) {
    case "message":
      return line(state, event.body, event);
    case "input_accepted": {
      const input: Input = { ...event.body, seq: event.seq, state: "accepted", reason: null };
      return { ...state, inputs: [...state.inputs, input] };
    }
    case "input_delivered":
      return { ...state, inputs: change(state.inputs, event.body.id, { state: "delivered" }) };
    case "input_processed":
      return { ...state, inputs: change(state.inputs, event.body.id, { state: "processed" }) };
    case "input_failed": {
      const { id, indeterminate, reason } = event.body;
      const failed = { state: indeterminate ? "indeterminate" : "failed", reason } as const;
      return { ...state, inputs: change(state.inputs, id, failed) };
    }
    case "interaction_opened": {
      const opened = { ...event.body, seq: event.seq, state: "pending", answer: null, by: null } as const;
      const others = state.interactions.filter((one) => one.id !== opened.id);
      return { ...state, interactions: [...others, opened] };
    }
    case "interaction_answered": {
      const { id, answer, by } = event.body;
      return resolve(state, id, { state: "answered", answer, by: by ?? null });
    }
    case "interaction_expired":
      return resolve(state, event.body.id, { state: "expired" });
    case "interaction_withdrawn":
      return resolve(state, event.body.id, { state: "withdrawn" });
    case "turn_started":
      return { ...state, drafts: [], turn: { number: event.turn ?? 0, ending: null, reason: null } };
    case "turn_ended": {
      const { ending, reason } = event.body;
      const number = event.turn ?? state.turn?.number ?? 0;
      const tools =
        ending === "ContinuedInBackground"
          ? state.tools
          : state.tools.map((tool) => (tool.state === "running" ? { ...tool, state: "no_result" as const } : tool));
      return { ...state, drafts: [], tools, turn: { number, ending, reason: reason ?? null } };
    }
    case "lifecycle":
      return { ...state, lifecycle: event.body.state, drafts: [] };
    case "cli_session":
      return { ...state, cliSession: event.body.id };
    case "progress": {
      const update = event.body;
      const key = subject(update);
      const place = state.progress.findIndex((one) => subject(one) === key);
      const progress = [...state.progress];
      progress[place < 0 ? progress.length : place] = update;
      return { ...state, progress };
    }
    default:
      return state;
  }
}

function subject({ lane, subject }: ProgressUpdate): string {
  return `${lane?.tool_use_id ?? lane?.task_id ?? "main"} ${subject}`;
}

function resolve(state: SessionState, id: string, to: Partial<InteractionState>): SessionState {
  return { ...state, interactions: change(state.interactions, id, to) };
}

function change<T extends { id: string }>(items: readonly T[], id: string, to: Partial<T>): readonly T[] {
  return items.map((item) => (item.id === id ? { ...item, ...to } : item));
}

/** Applies a line of the CLI. */
function line(state: SessionState, body: CliMessage, event: SessionEvent): SessionState {
  switch (body.type) {
    case "assistant":
      return assistant(retract(state, asArray(body.supersedes)), body, event);
    case "user":
      return toolResults(state, asArray(asObject(body.message).content));
    case "system":
      return retract(state, asArray(body.retracted_message_uuids));
    case "result": {
      const used = asObject(body.usage);
      const old = state.usage;
      const usage: Usage = {
        inputTokens: old.inputTokens + asNumber(used.input_tokens),
        outputTokens: old.outputTokens + asNumber(used.output_tokens),
        cacheReadTokens: old.cacheReadTokens + asNumber(used.cache_read_input_tokens),
        cacheCreationTokens: old.cacheCreationTokens + asNumber(used.cache_creation_input_tokens),
        costUsd: typeof body.total_cost_usd === "number" ? body.total_cost_usd : old.costUsd,
      };
      return { ...state, usage };
    }
    default:
      return state;
  }
}

function assistant(state: SessionState, body: CliMessage, event: SessionEvent): SessionState {
  const received = asObject(body.message);
  const line = asString(body.uuid);
  const id = asString(received.id) ?? line ?? `event ${event.seq}`;
  const blocks = asArray(received.content).map(asObject).map((content): Block => {
    const text = asString(content.text) ?? asString(content.thinking) ?? "";
    return { type: asString(content.type) ?? "", text, content, line };
  });
  const old = messageOf(state, id, event.turn ?? null);
  const place = old === undefined ? state.messages.length : state.messages.indexOf(old);
  const message: Message = {
    id,
    seq: old?.seq ?? event.seq,
    turn: event.turn ?? null,
    parent: asString(body.parent_tool_use_id),
    blocks: [...(old?.blocks ?? []), ...blocks],
  };
  const messages = [...state.messages];
  messages[place] = message;
  const calls = blocks.filter((block) => block.type === "tool_use").map(({ content }): Tool => {
    const { id, name, input } = content;
    return { id: asString(id) ?? "", name: asString(name) ?? "", input: input ?? null, state: "running", result: null };
  });
  // Messages are stored in order: unstored text of an earlier message is never stored.
  const drafts = message.parent !== null
    ? state.drafts
    : state.drafts.filter((draft) => draft.messageId === id && draft.block >= message.blocks.length);
  return { ...state, messages, drafts, tools: [...state.tools, ...calls] };
}

/** Also compares the turn: the API does not reuse ids, but scripted APIs in tests may. */
function messageOf(state: SessionState, id: string, turn: number | null): Message | undefined {
  return state.messages.findLast((message) => message.id === id && message.turn === turn);
}

function toolResults(state: SessionState, content: readonly Json[]): SessionState {
  let tools = state.tools;
  for (const block of content.map(asObject)) {
    const id = asString(block.tool_use_id);
    if (block.type !== "tool_result" || id === null) continue;
    tools = change(tools, id, {
      state: block.is_error === true ? "failed" : "completed",
      result: block.content ?? null,
    });
  }
  return tools === state.tools ? state : { ...state, tools };
}

/** Clears the blocks of retracted lines. */
function retract(state: SessionState, lines: readonly Json[]): SessionState {
  if (lines.length === 0) return state;
  const messages = state.messages.map((message) => {
    const blocks = message.blocks.map((block) =>
      block.line !== null && lines.includes(block.line) ? { ...block, type: "retracted", text: "" } : block,
    );
    return { ...message, blocks };
  });
  return { ...state, messages };
}
