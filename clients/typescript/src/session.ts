import type { Api } from "./api.js";
import { Connection, type ConnectionOptions, type ConnectionState } from "./connection.js";
import type { Frame } from "./generated.js";
import { type Reducer, type Replica, applyFrame, disconnect, replica } from "./replica.js";

export interface FollowOptions<S> extends Omit<ConnectionOptions, "api" | "session" | "dialect" | "onFrame" | "onLost"> {
  /** A stored state, with its cursor in `after`. */
  state?: S;
  /** Called after every change of the state. */
  onChange?: (state: S) => void;
}

/** A followed session, with the state computed from the received frames. */
export class FollowedSession<S, M> {
  readonly connection: Connection;
  readonly #reducer: Reducer<S, M>;
  #replica: Replica<S>;

  constructor(api: Api, session: string, reducer: Reducer<S, M>, options: FollowOptions<S> = {}) {
    const { state, onChange = () => {}, ...rest } = options;
    const after = options.after ?? 0;
    this.#reducer = reducer;
    this.#replica = replica(state ?? reducer.initial(after), after);
    const change = (to: Replica<S>) => {
      const isNew = to.shown !== this.#replica.shown;
      this.#replica = to;
      if (isNew) onChange(to.shown);
    };
    this.connection = new Connection({
      ...rest,
      api,
      session,
      dialect: reducer.dialect,
      onFrame: (frame) => {
        // The gateway sends the requested dialect.
        const next = applyFrame(this.#reducer, this.#replica, frame as Frame<M>);
        if (next === "missing") return next;
        change(next);
      },
      onLost: () => change(disconnect(this.#reducer, this.#replica)),
    });
  }

  /** The state to show. */
  get state(): S {
    return this.#replica.shown;
  }

  /** The state to store, with the cursor that belongs to it. */
  get kept(): { state: S; after: number } {
    return { state: this.#replica.kept, after: this.#replica.after };
  }

  get connectionState(): ConnectionState {
    return this.connection.state;
  }

  close(): void {
    this.connection.close();
  }
}

/** Follows a session, and computes its state with a reducer. */
export function follow<S, M>(
  api: Api,
  session: string,
  reducer: Reducer<S, M>,
  options: FollowOptions<S> = {},
): FollowedSession<S, M> {
  return new FollowedSession(api, session, reducer, options);
}
