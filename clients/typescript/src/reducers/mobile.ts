import type {
  InteractionRequest,
  MobileMessage,
  MobilePermissionRequest,
  ProgressUpdateMessage,
  QuestionRequest,
  SessionPhase,
  ToolOperation,
} from "../generated.js";
import type { Reducer } from "../replica.js";

export type MobileRequest = MobilePermissionRequest | QuestionRequest | InteractionRequest;

export interface MobileState {
  readonly phase: SessionPhase | null;
  /** The texts of the agent that were not retracted. */
  readonly responses: readonly string[];
  /** The latest message about each call. */
  readonly tools: readonly ToolOperation[];
  readonly requests: readonly MobileRequest[];
  readonly progress: ProgressUpdateMessage | null;
  /** The number of the last turn that has ended. */
  readonly completedTurn: number;
  readonly errors: readonly string[];
}

/** The reducer of the dialect `mobile`. It has what a simple screen needs. */
export const mobile: Reducer<MobileState, MobileMessage> = {
  dialect: "mobile",

  initial() {
    return { phase: null, responses: [], tools: [], requests: [], progress: null, completedTurn: 0, errors: [] };
  },

  reduce(state, message) {
    switch (message.type) {
      case "claude_response":
        return { ...state, responses: [...state.responses, message.content] };
      case "claude_response_retracted": {
        const gone = state.responses.length - 1 - message.responsesAfter;
        return { ...state, responses: state.responses.filter((_, place) => place !== gone) };
      }
      case "progress_update":
        return { ...state, progress: message };
      case "tool_operation": {
        const tools = [...state.tools];
        const place = tools.findIndex((one) => one.toolUseId === message.toolUseId);
        tools[place < 0 ? tools.length : place] = message;
        return { ...state, tools };
      }
      case "permission_request":
      case "question_request":
      case "interaction_request": {
        const others = state.requests.filter((one) => one.requestId !== message.requestId);
        return { ...state, requests: [...others, message] };
      }
      case "request_resolved":
        return { ...state, requests: state.requests.filter((one) => one.requestId !== message.requestId) };
      case "turn_complete":
        return { ...state, completedTurn: message.turn, progress: null };
      case "session_state":
        return { ...state, phase: message.state };
      case "input_failed":
        return { ...state, errors: [...state.errors, message.reason] };
      case "error":
        return { ...state, errors: [...state.errors, message.message] };
      default:
        return state;
    }
  },
};
