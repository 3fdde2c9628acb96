import type { Operations, Problem, UnknownName } from "./generated.js";

/** A method and a path of the API, such as `GET /v1/sessions`. */
export type Route = keyof Operations;

/** The arguments of a route: names in its path, a query, a body, an idempotency key. */
export type Arguments<R extends Route> = Omit<Operations[R], "result">;

/** The result of a route. */
export type Result<R extends Route> = Operations[R]["result"];

/** Routes that take effect once for each idempotency key. */
export type KeyedRoute = { [R in Route]: Operations[R] extends { key: string } ? R : never }[Route];

export interface ApiOptions {
  /** The address of the gateway, such as `http://127.0.0.1:7171`. */
  url: string;
  /** The token of this device, or a function that returns it. */
  token: string | (() => string | Promise<string>);
  fetch?: typeof fetch;
}

/** A request that the gateway refused. */
export class ProblemError extends Error {
  constructor(
    readonly problem: Problem,
    /** The delay before another attempt, if the response has a `Retry-After`. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(`${problem.title}: ${problem.detail}`);
    this.name = "ProblemError";
  }

  /** Whether the same request can succeed later. */
  get isTemporary(): boolean {
    const { status } = this.problem;
    return status >= 500 || status === 408 || status === 425 || status === 429;
  }
}

/** The HTTP API. Its routes and their types are those of the OpenAPI document. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /**
   * Calls a route.
   *
   * @throws {ProblemError} if the gateway refuses the request; other errors mean that it is not
   * known whether the gateway has received it.
   */
  async call<R extends Route>(route: R, args: Arguments<R>, signal?: AbortSignal): Promise<Result<R>> {
    const response = await this.send(route, args, signal);
    if (response.status === 204) return undefined as Result<R>;
    return (await response.json()) as Result<R>;
  }

  /** Sends a request and returns the response. Its body is not read. */
  async send<R extends Route>(route: R, args: Arguments<R>, signal?: AbortSignal): Promise<Response> {
    const parts: { path?: object; query?: object; key?: string; body?: unknown } = args;
    const [method, template] = route.split(" ") as [string, string];
    const names = new Map(Object.entries(parts.path ?? {}));
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      return encodeURIComponent(String(names.get(name)));
    });
    const url = new URL(this.#options.url.replace(/\/$/, "") + path);
    for (const [name, value] of Object.entries(parts.query ?? {})) {
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    }
    const { token } = this.#options;
    const headers: Record<string, string> = {
      authorization: `Bearer ${typeof token === "string" ? token : await token()}`,
    };
    if (parts.key !== undefined) headers["idempotency-key"] = parts.key;
    const init: RequestInit = { method, headers, cache: "no-store", redirect: "error" };
    if (signal !== undefined) init.signal = signal;
    if (parts.body !== undefined) {
      headers["content-type"] = "application/json";
      init.body = JSON.stringify(parts.body);
    }
    const send = this.#options.fetch ?? fetch;
    const response = await send(url, init);
    if (!response.ok) throw await problemOf(response);
    return response;
  }
}

async function problemOf(response: Response): Promise<ProblemError> {
  const text = await response.text().catch(() => "");
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : null;
  const { status } = response;
  const code = "unknown" as string as UnknownName;
  let problem: Problem = { status, code, title: `status ${status}`, detail: text };
  try {
    const found = JSON.parse(text) as Partial<Problem> | null;
    if (typeof found?.code === "string") problem = { ...problem, ...found, status };
  } catch {
    // A proxy responded in its own format.
  }
  return new ProblemError(problem, retryAfterMs);
}
