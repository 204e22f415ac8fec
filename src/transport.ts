import { Agent, request } from "undici";
import { packetsOf } from "./packets.ts";
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
  type TransportStage,
} from "./wire/transport.ts";

export interface TransportOptions {
  /** How long a connection may take to open, TLS included. */
  connectTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Connections to model providers: kept open between requests, never redirected, so a key stays with its host. */
export function createTransport(options: TransportOptions = {}): Transport {
  const agent = new Agent({
    connect: { timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS },
    pipelining: 1,
    keepAliveTimeout: 30_000,
    allowH2: false,
    // The exchange has deadlines of its own, each with its own words.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    send: (message) => send(agent, message),
    close: () => agent.destroy(),
  };
}

async function send(agent: Agent, message: TransportRequest): Promise<TransportResponse> {
  const { method, headers, body, signal } = message;
  try {
    const response = await request(message.url, { dispatcher: agent, method, headers, body, signal });
    // An abort ends the body with an error; whoever reads it hears of it there.
    response.body.on("error", () => undefined);
    return {
      status: response.statusCode,
      headers: response.headers,
      body: packetsOf(response.body),
      discard: () => void response.body.destroy(),
    };
  } catch (thrown) {
    throw signal.aborted ? thrown : new TransportError(stageOf(thrown), thrown);
  }
}

const CONNECT_CODES = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"]);
const NAME_CODES = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL"]);

function stageOf(thrown: unknown): TransportStage {
  // Where a name has several addresses, each has its own error; they fail alike.
  const [first] = thrown instanceof AggregateError ? thrown.errors : [thrown];
  const { code, name } = first as { code?: unknown; name?: unknown };
  if (code === "UND_ERR_INVALID_ARG" || name === "TypeError") return "request";
  if (typeof code !== "string") return "unanswered";
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") return "connect_timeout";
  if (NAME_CODES.has(code)) return "name";
  if (CONNECT_CODES.has(code)) return "connect";
  return /CERT|TLS|SSL|EPROTO|SIGNATURE/.test(code) ? "certificate" : "unanswered";
}
