/** A message of a session in the dialect of the client. */
export interface Frame<M = Json> {
  /** The session. */
  session: string;
  /** The cursor to resume from. */
  after: number;
  /** The message, as the dialect writes it. */
  message: M;
}
