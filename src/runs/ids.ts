import { createHash, randomBytes } from "node:crypto";

/** Makes an unguessable id: `ses_…`, `run_…`, `msg_…`. */
export function newId(
  kind: "ses" | "run" | "msg" | "call" | "req" | "ctx" | "conv" | "shr" | "prj" | "mem" | "art",
): string {
  return `${kind}_${randomBytes(15).toString("base64url")}`;
}

/** A hash of a JSON value that does not depend on the order of its keys. */
export function hashOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(value)) ?? "undefined")
    .digest("hex");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return entries.map(([key, inner]) => [key, sorted(inner)]);
}
