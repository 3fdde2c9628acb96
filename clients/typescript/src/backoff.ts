export interface BackoffOptions {
  /** The first delay in milliseconds. */
  minDelayMs: number;
  /** The longest delay in milliseconds. */
  maxDelayMs: number;
  /** Returns a number from 0 to 1. */
  random: () => number;
}

export const DEFAULT_BACKOFF: BackoffOptions = {
  minDelayMs: 500,
  maxDelayMs: 30_000,
  random: Math.random,
};

/** Returns the delay before an attempt. Half of it is random: clients must not reconnect at the same time. */
export function delayMs(attempt: number, options: BackoffOptions): number {
  const full = Math.min(options.maxDelayMs, options.minDelayMs * 2 ** Math.min(attempt, 30));
  return full / 2 + (full / 2) * options.random();
}

/** Waits, or returns early when one of the signals is aborted. */
export function wait(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    for (const signal of signals) signal.addEventListener("abort", done);
    if (signals.some((signal) => signal.aborted)) done();
  });
}
