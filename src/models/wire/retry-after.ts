import type { WireResponse } from "../../protocol/provider.ts";

type Headers = WireResponse["headers"];

const UNIT_SECONDS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 };
/** A longer wait means a spent quota, not a pause. */
const MAX_SECONDS = 7 * 86400;

/** Returns the seconds after which a vendor says to retry, from its headers or the text of its answer. */
export function retryAfterSeconds(headers: Headers, body = "", now = Date.now()): number | undefined {
  const seconds = fromHeaders(headers, now) ?? fromBody(body, now);
  if (seconds === undefined || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return bounded(seconds);
}

/**
 * Returns the seconds until a limit that was hit ends, from headers such as `x-ratelimit-reset-tokens`. With several limits,
 * the one counts that has nothing left; otherwise the one that the error names.
 */
export function limitResetSeconds(headers: Headers, said: string, now = Date.now()): number | undefined {
  const limits = Object.keys(headers).flatMap((name) => {
    const seconds = /ratelimit.*reset/.test(name) ? until(header(headers, name) ?? "", now) : undefined;
    if (seconds === undefined) return [];
    const left = number(header(headers, name.replace("reset", "remaining")));
    return [{ name, seconds, spent: left === 0 }];
  });
  const spent = limits.filter((limit) => limit.spent);
  const named = limits.filter(({ name }) => name.includes(/\btokens?\b/i.test(said) ? "token" : "request"));
  if (spent.length > 0) return bounded(Math.max(...spent.map(({ seconds }) => seconds)));
  const [first] = (named.length > 0 ? named : limits).sort((a, b) => a.seconds - b.seconds);
  return first && bounded(first.seconds);
}

/** Reads a time in any of the forms that vendors use: a duration, seconds, a date, or the time since 1970. */
function until(value: string, now: number): number | undefined {
  const amount = number(value);
  if (amount === undefined) return /^[\d.hmsd]+$/.test(value) ? duration(value) : untilDate(value, now);
  if (amount < 1e9) return amount;
  return Math.max(0, (amount < 1e12 ? amount : amount / 1000) - now / 1000);
}

function bounded(seconds: number): number {
  return Math.min(Math.round(seconds * 1000) / 1000, MAX_SECONDS);
}

function fromHeaders(headers: Headers, now: number): number | undefined {
  const milliseconds = number(header(headers, "retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds / 1000;
  const value = header(headers, "retry-after");
  return value === undefined ? undefined : until(value, now);
}

function fromBody(body: string, now: number): number | undefined {
  // Gemini: "retryDelay": "30s". OpenAI and Groq: "Please try again in 1m2.5s." OpenRouter: "X-RateLimit-Reset": "<epoch ms>".
  const delay = /"retryDelay"\s*:\s*"([\d.]+s)"/.exec(body)?.[1];
  if (delay) return duration(delay);
  const words =
    /(?:(?:try again|retry)(?: after| in)|please wait) ([\d.]+ ?(?:ms|seconds?|minutes?|hours?|s|m|h|d)[\d.hms]*)/i.exec(
      body,
    )?.[1];
  if (words) return duration(words.replace(/(second|minute|hour)s?/i, (unit) => unit.charAt(0)));
  const reset = /"x-ratelimit-reset"\s*:\s*"?(\d{10,13})"?/i.exec(body)?.[1];
  return reset ? until(reset, now) : undefined;
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
