import type { WireResponse } from "../../protocol/model.ts";

type Headers = WireResponse["headers"];

const UNIT_SECONDS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 };
/** A longer wait means a spent quota, not a pause. */
const MAX_SECONDS = 7 * 86400;

/** Returns the seconds after which a vendor says to retry, from its headers or the text of its answer. */
export function retryAfterSeconds(headers: Headers, body = "", now = Date.now()): number | undefined {
  const seconds = fromHeaders(headers, now) ?? fromBody(body, now);
  if (seconds === undefined || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(Math.round(seconds * 1000) / 1000, MAX_SECONDS);
}

function fromHeaders(headers: Headers, now: number): number | undefined {
  const milliseconds = number(header(headers, "retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds / 1000;
  const value = header(headers, "retry-after");
  if (value !== undefined) return number(value) ?? duration(value) ?? untilDate(value, now);
  return undefined;
}

function fromBody(body: string, now: number): number | undefined {
  // Gemini: "retryDelay": "30s". OpenAI and Groq: "Please try again in 1m2.5s." OpenRouter: "X-RateLimit-Reset": "<epoch ms>".
  const delay = /"retryDelay"\s*:\s*"([\d.]+s)"/.exec(body)?.[1];
  if (delay) return duration(delay);
  const words = /(?:try again|retry)(?: after| in) ([\d.]+ ?(?:ms|seconds?|s|m|h|d)[\d.hms]*)/i.exec(
    body,
  )?.[1];
  if (words) return duration(words.replace(/ ?seconds?/i, "s"));
  const reset = /"x-ratelimit-reset"\s*:\s*"?(\d{13})"?/i.exec(body)?.[1];
  return reset ? Math.max(0, (Number(reset) - now) / 1000) : undefined;
}

/** `1m2.5s`, `20ms`, `6s`. */
function duration(text: string): number | undefined {
  let total: number | undefined;
  for (const [, amount, unit] of text.matchAll(/([\d.]+) ?(ms|s|m|h|d)/g)) {
    total = (total ?? 0) + Number(amount) * (UNIT_SECONDS[unit ?? ""] ?? 0);
  }
  return total;
}

function untilDate(value: string, now: number): number | undefined {
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

function number(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

/** Returns one value of a header. The name must be in lower case. */
function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
