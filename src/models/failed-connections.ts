import type { TransportStage } from "./wire/transport.ts";

const CONNECT_CODES = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"]);
const NAME_CODES = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL"]);

/** Returns how far a request came that has failed. */
export function stageOf(thrown: unknown): TransportStage {
  // A name with several addresses gives one error per address. The first one is as good as any.
  const [first] = thrown instanceof AggregateError ? thrown.errors : [thrown];
  const { code, name, message } = first as { code?: unknown; name?: unknown; message?: unknown };
  // Proxies have no errors of their own: what they answered is in the message alone.
  if (/\bproxy\b/i.test(String(message))) return "proxy";
  if (code === "UND_ERR_INVALID_ARG" || name === "TypeError") return "request";
  if (typeof code !== "string") return "unanswered";
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") return "connect_timeout";
  if (NAME_CODES.has(code)) return "name";
  if (CONNECT_CODES.has(code)) return "connect";
  return /CERT|TLS|SSL|EPROTO|SIGNATURE/.test(code) ? "certificate" : "unanswered";
}
