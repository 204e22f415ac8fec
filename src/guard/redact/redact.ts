import { redactAddresses } from "./addresses.ts";
import { redactAssignments } from "./assignments.ts";
import { redactCommands } from "./commands.ts";
import { redactKeys } from "./keys.ts";
import { redactKnown } from "./known.ts";
import { redactManifests } from "./manifests.ts";
import type { Mark } from "./mark.ts";
import { redactPaths } from "./paths.ts";
import { redactPersonal } from "./personal.ts";
import { redactStackTraces } from "./stack-traces.ts";

const MAX_TEXT = 500_000;
const MAX_DEPTH = 12;
const MAX_VALUES = 10_000;

const SECRETS = [
  redactKnown,
  redactKeys,
  redactManifests,
  redactAddresses,
  redactCommands,
  redactAssignments,
];
const STEPS = [redactStackTraces, ...SECRETS, redactPersonal, redactPaths];

/** Layer 5: removes keys, tokens, personal data, file paths and stack traces from a text. Never throws. */
export function redact(text: string): string {
  return redactWith(STEPS, text);
}

/** Removes only keys, tokens and passwords, for text that stays with its author. Never throws. */
export function redactSecrets(text: string, mark?: Mark): string {
  return redactWith(SECRETS, text, mark);
}

type Step = (text: string, mark?: Mark) => string;

function redactWith(steps: readonly Step[], text: string, mark?: Mark): string {
  try {
    const cut = text.length > MAX_TEXT;
    let clean = cut ? text.slice(0, MAX_TEXT).toWellFormed() : text;
    for (const step of steps) clean = step(clean, mark);
    return cut ? `${clean}\n[… cut]` : clean;
  } catch {
    // Text that was not checked must not be shown.
    return "[withheld]";
  }
}

const SECRET_FIELD =
  /^(?:.*[-_.])?(?:authorization|cookie|set-cookie|password|passwd|passphrase|pwd|secret|api[-_]?key|access[-_]?token|refresh[-_]?token|id[-_]?token|private[-_]?key|client[-_]?secret|credentials?|session[-_]?token|x-api-key|token)$|(?:Password|Secret|ApiKey|AccessToken|RefreshToken|PrivateKey|AuthToken)$/i;

/** Redacts a value for a log: every text inside it, and the values of secret fields. Its size is bounded. */
export function redactDeep(value: unknown): unknown {
  const budget = { left: MAX_VALUES };
  try {
    return redactInside(value, 0, budget, new WeakSet());
  } catch {
    // A getter or proxy threw: nothing of the value is logged.
    return "[withheld]";
  }
}

/** True for names of fields whose values are always secret. */
export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name);
}

function redactInside(
  value: unknown,
  depth: number,
  budget: { left: number },
  seen: WeakSet<object>,
): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH || budget.left-- <= 0) return "[…]";
  if (seen.has(value)) return "[again]";
  seen.add(value);
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Error) return redactError(value, depth, budget, seen);
  const inside = (inner: unknown) => redactInside(inner, depth + 1, budget, seen);
  if (Array.isArray(value)) return value.slice(0, 1_000).map(inside);
  if (value instanceof Map) return inside(Object.fromEntries(value));
  if (value instanceof Set) return inside([...value]);
  const clean: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const name = redact(key);
    clean[name] = isSecretField(key) && isPresent(inner) ? "[secret]" : inside(inner);
  }
  return clean;
}

function redactError(error: Error, depth: number, budget: { left: number }, seen: WeakSet<object>): unknown {
  const { name, message, cause } = error;
  const code = "code" in error && typeof error.code === "string" ? { code: error.code } : {};
  const because = cause === undefined ? {} : { cause: redactInside(cause, depth + 1, budget, seen) };
  return { name, message: redact(message), ...code, ...because };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && typeof value !== "boolean";
}
