import { Failure } from "../protocol/failure.ts";
import { failureOf, stopped, unreachable } from "./failure.ts";
import { type Patience, waitBefore } from "./patience.ts";

export interface ConnectionOptions {
  /** An API key or session token, sent as bearer. */
  token?: string;
  /** Used in place of the global one. */
  fetch?: typeof fetch;
  /** Added to every request. */
  headers?: Record<string, string>;
}

export interface Call {
  method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** True where asking twice does no harm: a lost connection is then tried again a few times. */
  repeatable?: boolean;
}

const REPEATS = 4;

/** One server, and who we are to it. */
export class Connection {
  readonly origin: string;
  readonly patience: Patience;
  readonly #base: URL;
  readonly #options: ConnectionOptions;
  readonly #hasCookies: boolean;
  #guestToken: string | undefined;

  constructor(url: string, options: ConnectionOptions, patience: Patience) {
    const page = typeof location === "object" ? location : undefined;
    this.#base = baseOf(url, page?.href);
    this.origin = this.#base.origin;
    this.patience = patience;
    this.#options = options;
    // On its own page the browser's cookie says who we are, and goes on saying it after a sign-in.
    this.#hasCookies = page !== undefined && page.origin === this.origin;
  }

  /** Makes a request; rejects with the Failure that the server stated, or UPSTREAM_ERROR where none answered. */
  async call(path: string, call: Call = {}): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(path, call);
      } catch (error) {
        if (error instanceof Failure) throw error;
        if (!call.repeatable || attempt >= REPEATS) throw unreachable(this.origin, error);
        await waitBefore(attempt, this.patience, call.signal);
      }
    }
  }

  /** Makes a request and reads its answer as JSON. */
  async json<Answer>(path: string, call: Call = {}): Promise<Answer> {
    const response = await this.call(path, call);
    try {
      return (await response.json()) as Answer;
    } catch (error) {
      if (call.signal?.aborted) throw stopped(error);
      throw new Failure("UPSTREAM_ERROR", `The server at ${this.origin} did not answer as Tackle does.`, {
        cause: error,
      });
    }
  }

  /** Makes a request whose answer says nothing but that it went well. */
  async tell(path: string, call: Call): Promise<void> {
    const response = await this.call(path, call);
    // Reading what little there is gives the connection back; losing it does not undo what was done.
    await response.text().catch(() => "");
  }

  /** One attempt: rejects with a Failure where the server answered no, with anything else where none answered. */
  async once(path: string, call: Call): Promise<Response> {
    let response: Response;
    try {
      response = await (this.#options.fetch ?? fetch)(this.#address(path, call.query), {
        method: call.method ?? "GET",
        headers: this.#headers(call),
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      });
    } catch (error) {
      if (call.signal?.aborted) throw stopped(error);
      throw error;
    }
    this.#remember(response);
    if (!response.ok) throw await failureOf(response);
    return response;
  }

  #address(path: string, query: Call["query"] = {}): string {
    const address = new URL(path, this.#base);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) address.searchParams.set(name, String(value));
    }
    return address.href;
  }

  #headers(call: Call): Record<string, string> {
    const token = this.#options.token ?? this.#guestToken;
    return {
      accept: "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      ...this.#options.headers,
      ...call.headers,
    };
  }

  #remember(response: Response): void {
    if (this.#hasCookies || this.#options.token !== undefined) return;
    // A guest that the server no longer knows becomes a new one with the next request.
    if (response.status === 401) this.#guestToken = undefined;
    this.#guestToken ??= response.headers.get("x-tackle-guest") ?? undefined;
  }
}

function baseOf(url: string, page: string | undefined): URL {
  try {
    const base = new URL(url.endsWith("/") ? url : `${url}/`, page);
    if (base.protocol === "http:" || base.protocol === "https:") return base;
  } catch (error) {
    throw new Failure("INVALID_INPUT", `"${url}" is not an address of a server.`, { cause: error });
  }
  throw new Failure(
    "INVALID_INPUT",
    `"${url}" is not an address of a server: it must begin with http:// or https://.`,
  );
}
