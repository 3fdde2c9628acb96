import type { DialectName, Frame } from "./generated.js";

/** Computes the state of a session from the messages of a dialect. Pure: no clock, no I/O. */
export interface Reducer<S, M> {
  readonly dialect: DialectName;
  /** Returns the initial state of a client that starts at a cursor. */
  initial(after: number): S;
  /** Returns the state after a message with its cursor. The old state is not changed. */
  reduce(state: S, message: M, after: number): S;
  /** Whether a message continues the state, repeats a part of it, or follows one that was lost. */
  position?(state: S, message: M, after: number): "next" | "seen" | "missing";
  /** Drops state that is not in the log. Called when the connection is lost. */
  disconnect?(state: S): S;
}

/** The state of a session that a client has, with the cursor to resume from. */
export interface Replica<S> {
  /** The last `after` that increased. */
  readonly after: number;
  /** The state at that cursor. Store it with the cursor to resume later. */
  readonly kept: S;
  /** The state with everything that was received. Show this one. */
  readonly shown: S;
}

/** Returns the replica of a client that has received nothing, or that has stored its state. */
export function replica<S>(state: S, after = 0): Replica<S> {
  return { after, kept: state, shown: state };
}

/** Returns the replica after a frame, or `"missing"` if a frame before it was lost. */
export function applyFrame<S, M>(
  reducer: Reducer<S, M>,
  old: Replica<S>,
  frame: Frame<M>,
): Replica<S> | "missing" {
  if (frame.after < old.after) return old;
  const position = reducer.position?.(old.shown, frame.message, frame.after) ?? "next";
  if (position === "missing") return "missing";
  if (position === "seen") return old;
  const shown = reducer.reduce(old.shown, frame.message, frame.after);
  return frame.after > old.after
    ? { after: frame.after, kept: shown, shown }
    : { ...old, shown };
}

/** Returns the replica after the connection was lost: what came since the cursor is discarded. */
export function disconnect<S, M>(reducer: Reducer<S, M>, old: Replica<S>): Replica<S> {
  const state = reducer.disconnect?.(old.kept) ?? old.kept;
  return { after: old.after, kept: state, shown: state };
}
