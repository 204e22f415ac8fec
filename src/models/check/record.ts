import { z } from "zod";
import { parseJson } from "../../protocol/json.ts";
import type { ProbedAnswer } from "./check-model.ts";
import type { TapedExchange } from "./tape.ts";

/** A file with what was sent to vendors and what they answered, without secrets. Tests replay it. */
export const checkRecording = z.object({
  format: z.literal("tackle-check/1"),
  program: z.string(),
  recordedAt: z.string(),
  exchanges: z.array(
    z.object({
      /** `provider/model`. */
      model: z.string(),
      dialect: z.string(),
      check: z.string(),
      request: z.object({ path: z.string(), body: z.unknown() }),
      response: z.object({
        status: z.number(),
        headers: z.record(z.string(), z.string()),
        /** The bytes as text, or in base64 if they are no text. */
        text: z.string().optional(),
        base64: z.string().optional(),
      }),
      /** What was read from it. Undefined if the request failed or was stopped. */
      answer: z
        .object({
          text: z.string(),
          calls: z.array(z.object({ name: z.string(), arguments: z.string() })),
          reason: z.string(),
        })
        .optional(),
    }),
  ),
});
export type CheckRecording = z.output<typeof checkRecording>;
type Recorded = CheckRecording["exchanges"][number];

/** Headers that tell how a vendor limits and times requests. All others may name an account. */
const KEPT_HEADER = /^(content-type|retry-after(-ms)?|x-ratelimit-.*|anthropic-ratelimit-.*|x-should-retry)$/;

/** Collects exchanges for a file. `clean` removes the secrets that are set. */
export function recordChecks(tape: readonly TapedExchange[], clean: (text: string) => string) {
  const exchanges: Recorded[] = [];
  let next = tape.length;
  return {
    exchanges,
    /** Adds everything that was sent since the last time. The answer belongs to the last exchange. */
    add(model: string, dialect: string, { check, answer }: ProbedAnswer): void {
      const fresh = tape.slice(next);
      next = tape.length;
      for (const [index, exchange] of fresh.entries()) {
        const isLast = index === fresh.length - 1;
        const read = isLast && answer && { answer: { ...answer, calls: answer.calls.map(plainCall) } };
        exchanges.push({ model, dialect, check, ...wired(exchange, clean), ...read });
      }
    },
  };
}

function plainCall({ name, arguments: json }: { name: string; arguments: string }) {
  return { name, arguments: json };
}

function wired(
  exchange: TapedExchange,
  clean: (text: string) => string,
): Pick<Recorded, "request" | "response"> {
  const { path, body = "", status, headers } = exchange;
  const bytes = Buffer.concat(exchange.answer);
  const text = bytes.toString();
  const kept = Object.entries(headers).filter(
    ([name, value]) => KEPT_HEADER.test(name) && value !== undefined,
  );
  const isText = Buffer.from(text).equals(bytes);
  return {
    request: { path, body: parseJson(clean(body)) ?? null },
    response: {
      status,
      headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
      // Half a character at the end, where an answer was stopped, is no secret.
      ...(isText
        ? { text: withoutIdentity(clean(text)) }
        : {
            base64: Buffer.from(withoutIdentity(clean(bytes.toString("latin1"))), "latin1").toString(
              "base64",
            ),
          }),
    },
  };
}

/** Removes what names the account: email addresses, organizations, projects and keys that a vendor repeats. */
export function withoutIdentity(text: string): string {
  return text
    .replace(/[\w.+-]+@[\w-]+\.[\w.-]+\w/g, "[email]")
    .replace(/\b(org|proj|user|acct|team|project)[-_](?=[\w-]*\d)[A-Za-z0-9][\w-]{7,}/g, "$1-[removed]")
    .replace(/\b(sk|pk|rk|gsk|xai|csk)[-_][\w-]{12,}|\bAIza[\w-]{20,}/g, "[key]")
    .replace(/\bBearer\s+[^\s"\\]+/gi, "Bearer [key]");
}
