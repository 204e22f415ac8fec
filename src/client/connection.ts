import { Failure } from "../protocol/failure.ts";
import { failureOf, stopped, unreachable } from "./failure.ts";
import { type Patience, waitBefore } from "./patience.ts";

export interface ConnectionOptions {
  /** An API key or session token, sent as a bearer token. */
  token?: string;
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch;
  /** Added to every request. */
  headers?: Record<string, string>;
}

export interface Call {
  method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  /** A body of bytes instead. */
  bytes?: Uint8Array;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Set if the request may be sent twice: if the connection is lost, it is tried again a few times. */
  repeatable?: boolean;
  /** Set if a browser should finish the request after the page is closed. */
  keepalive?: boolean;
}

const MAX_ATTEMPTS = 4;

/** A server, and the credentials for it. */
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
    // On the server's own pages the browser sends a cookie, which stays valid after signing in.
    this.#hasCookies = page !== undefined && page.origin === this.origin;
  }

  /** Sends a request. Rejects with the server's Failure, or UPSTREAM_ERROR if it can't be reached. */
  async call(path: string, call: Call = {}): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(path, call);
      } catch (error) {
        if (error instanceof Failure) throw error;
        if (!call.repeatable || attempt >= MAX_ATTEMPTS) throw unreachable(this.origin, error);
        await waitBefore(attempt, this.patience, call.signal);
      }
    }
  }

  /** Sends a request and returns the JSON of its answer. */
  async json<Answer>(path: string, call: Call = {}): Promise<Answer> {
    const response = await this.call(path, call);
    if (response.status === 204) return undefined as Answer;
    try {
      return (await response.json()) as Answer;
    } catch (error) {
      if (call.signal?.aborted) throw stopped(error);
      throw new Failure("UPSTREAM_ERROR", `The server at ${this.origin} is not a Tackle server.`, {
        cause: error,
      });
    }
  }

  /** Sends a request and ignores the body of its answer. */
  async tell(path: string, call: Call): Promise<void> {
    const response = await this.call(path, call);
    // Reading the body frees the connection. If that fails, the request has succeeded anyway.
    await response.text().catch(() => "");
  }

  /** Makes one attempt. Rejects with a Failure if the server returned an error, and with anything else if it didn't answer. */
  async once(path: string, call: Call): Promise<Response> {
    let response: Response;
    try {
      response = await (this.#options.fetch ?? fetch)(this.#address(path, call.query), {
        method: call.method ?? "GET",
        headers: this.#headers(call),
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        ...(call.bytes === undefined ? {} : { body: new Uint8Array(call.bytes) }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
        ...(call.keepalive ? { keepalive: true } : {}),
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
      ...(call.bytes === undefined ? {} : { "content-type": "application/octet-stream" }),
      ...this.#options.headers,
      ...call.headers,
    };
  }

  #remember(response: Response): void {
    if (this.#hasCookies || this.#options.token !== undefined) return;
    // If the server no longer knows the guest, the next request creates a new one.
    if (response.status === 401) this.#guestToken = undefined;
    this.#guestToken ??= response.headers.get("x-tackle-guest") ?? undefined;
  }
}

function baseOf(url: string, page: string | undefined): URL {
  const whole = url.endsWith("/") ? url : `${url}/`;
  const base = URL.canParse(whole, page) ? new URL(whole, page) : undefined;
  if (base?.protocol === "http:" || base?.protocol === "https:") return base;
  throw new Failure(
    "INVALID_INPUT",
    `"${url}" is not a server address: it must begin with http:// or https://.`,
  );
}
