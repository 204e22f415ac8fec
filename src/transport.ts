import { Agent, request } from "undici";
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
      body: response.body,
      discard: () => void response.body.destroy(),
    };
  } catch (thrown) {
    throw signal.aborted ? thrown : new TransportError(stageOf(thrown), thrown);
  }
}

const CONNECT_CODES = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
]);

function stageOf(thrown: unknown): TransportStage {
  const { code, name } = thrown as { code?: unknown; name?: unknown };
  if (code === "UND_ERR_CONNECT_TIMEOUT") return "connect_timeout";
  if (code === "UND_ERR_INVALID_ARG" || name === "TypeError") return "request";
  if (typeof code === "string" && (CONNECT_CODES.has(code) || /CERT|TLS|SSL/.test(code))) return "connect";
  return "closed";
}
