import type {
  AskUserQuestionsRequest,
  Json,
  PermissionRequest,
  SessionPhase,
  StopReason,
  UiMessage,
} from "../generated.js";
import type { Reducer } from "../replica.js";
import { sliceBytes } from "../utf8.js";

export interface UiTurn {
  /** The sequence in the turn id. */
  readonly sequence: number;
  readonly text: string;
  /** Why it ended; `null` while it runs. */
  readonly stopReason: StopReason | null;
}

export interface UiTool {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  readonly state: "running" | "completed" | "failed";
  readonly result: string | null;
}

/** Something that waits for an answer, by the id to answer with. */
export type UiRequest =
  | { readonly id: string; readonly permission: PermissionRequest }
  | { readonly id: string; readonly batch: readonly (PermissionRequest | null)[] }
  | { readonly id: string; readonly questions: AskUserQuestionsRequest }
  | { readonly id: string; readonly kind: string; readonly request: Json };

export interface UiState {
  readonly phase: SessionPhase | null;
  readonly turns: readonly UiTurn[];
  readonly tools: readonly UiTool[];
  readonly requests: readonly UiRequest[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly errors: readonly string[];
}

/** The reducer of the dialect `ui`. It has what a simple screen needs; see `UiMessage` for more. */
export const ui: Reducer<UiState, UiMessage> = {
  dialect: "ui",

  initial() {
    return { phase: null, turns: [], tools: [], requests: [], inputTokens: 0, outputTokens: 0, errors: [] };
  },

  reduce(state, message) {
    if ("TextChunk" in message) {
      const { turn_id, text } = message.TextChunk;
      return turn(state, turn_id.sequence, (old) => ({ ...old, text: old.text + text }));
    }
    if ("TextRetracted" in message) {
      const { turn_id, offset, length } = message.TextRetracted;
      return turn(state, turn_id.sequence, (old) => {
        return { ...old, text: sliceBytes(old.text, 0, offset) + sliceBytes(old.text, offset + length) };
      });
    }
    if ("Complete" in message) {
      const { turn_id, stop_reason } = message.Complete;
      return turn(state, turn_id.sequence, (old) => ({ ...old, stopReason: stop_reason }));
    }
    if ("ToolExecuting" in message) {
      const { tool_use_id: id, tool_name: name, input } = message.ToolExecuting;
      const started: UiTool = { id, name, input, state: "running", result: null };
      return { ...state, tools: [...state.tools.filter((one) => one.id !== id), started] };
    }
    if ("ToolFailed" in message) {
      return tool(state, message.ToolFailed.tool_use_id, (old) => ({ ...old, state: "failed" }));
    }
    if ("ToolCompleted" in message) {
      const { tool_use_id, result } = message.ToolCompleted;
      return tool(state, tool_use_id, (old) => {
        return { ...old, state: old.state === "failed" ? "failed" : "completed", result };
      });
    }
    if ("PermissionRequired" in message) {
      const { tool_use_id: id, request } = message.PermissionRequired;
      return ask(state, { id, permission: request });
    }
    if ("BatchPermissionRequired" in message) {
      const { batch_id: id, requests } = message.BatchPermissionRequired;
      return ask(state, { id, batch: requests });
    }
    if ("UserInteractionRequired" in message) {
      const { tool_use_id: id, request } = message.UserInteractionRequired;
      return ask(state, { id, questions: request });
    }
    if ("InteractionRequired" in message) {
      const { interaction_id: id, kind, request } = message.InteractionRequired;
      return ask(state, { id, kind, request });
    }
    if ("InteractionResolved" in message) {
      const { interaction_id, batch } = message.InteractionResolved;
      const requests = state.requests
        .filter((one) => one.id !== interaction_id || "batch" in one)
        .map((one) => (batch !== null && one.id === batch.batch_id ? resolveOne(one, batch.index) : one))
        .filter((one) => !("batch" in one) || one.batch.some((request) => request !== null));
      return { ...state, requests };
    }
    if ("TokenUpdate" in message) {
      const { input_tokens, output_tokens } = message.TokenUpdate;
      return { ...state, inputTokens: input_tokens, outputTokens: output_tokens };
    }
    if ("SessionState" in message) return { ...state, phase: message.SessionState.state };
    if ("Error" in message) return { ...state, errors: [...state.errors, message.Error.message] };
    if ("Gap" in message) {
      const last = state.turns.at(-1);
      // Later text of the running turn does not continue what is there.
      return last?.stopReason === null ? turn(state, last.sequence, (old) => ({ ...old, text: "" })) : state;
    }
    return state;
  },
};

function turn(state: UiState, sequence: number, to: (old: UiTurn) => UiTurn): UiState {
  const turns = [...state.turns];
  const place = turns.findIndex((one) => one.sequence === sequence);
  turns[place < 0 ? turns.length : place] = to(turns[place] ?? { sequence, text: "", stopReason: null });
  return { ...state, turns };
}

function tool(state: UiState, id: string, to: (old: UiTool) => UiTool): UiState {
  return { ...state, tools: state.tools.map((one) => (one.id === id ? to(one) : one)) };
}

/** Adds a request, or replaces the one with its id. */
function ask(state: UiState, request: UiRequest): UiState {
  return { ...state, requests: [...state.requests.filter((one) => one.id !== request.id), request] };
}

/** Requests of a batch keep their index. */
function resolveOne(request: UiRequest, place: number): UiRequest {
  if (!("batch" in request)) return request;
  return { ...request, batch: request.batch.map((one, index) => (index === place ? null : one)) };
}
