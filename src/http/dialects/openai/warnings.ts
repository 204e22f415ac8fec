import type { HttpContext } from "../../context.ts";

const MAX_LENGTH = 2_000;

/** Puts what the person should know about the request into the header `x-tackle-warnings`. Clients of OpenAI know no event for it. */
export function noteWarnings(c: HttpContext, warnings: readonly { code: string; message: string }[]): void {
  if (warnings.length === 0) return;
  const lines = warnings.map(({ code, message }) => `${code}: ${message}`).join(" | ");
  // A header holds ASCII only.
  c.var.headers["x-tackle-warnings"] = lines.replace(/[^\x20-\x7e]+/g, "?").slice(0, MAX_LENGTH);
}
