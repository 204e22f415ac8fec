import { Failure } from "../../protocol/failure.ts";
import type { GuardedCall, GuardLayer, Verdict } from "../../protocol/guard.ts";
import { meaningOf } from "./labels.ts";
import { scanInSlices } from "./scan.ts";
import type { Finding } from "./score.ts";

/** Higher than the threshold for flagging, so that text that only mentions an attack passes. */
const REFUSE_AT = 0.75;

/**
 * Fields that hold a file, a program or a command. Documents about attacks, tests of this guard and prompts in source files
 * must be writable, and no model obeys what it writes there. These fields are never refused.
 */
const CONTENT_FIELDS: ReadonlySet<string> = new Set(["content", "code", "oldText", "newText", "command"]);

const MAX_TEXTS = 1_000;
const MAX_VALUES = 100_000;
const MAX_CHARACTERS = 1_000_000;

/** Layer 1: refuses a direct attack in a call's arguments, at any depth. */
export const injectionLayer: GuardLayer = {
  name: "injection",
  async check(call: GuardedCall): Promise<Verdict> {
    for (const { path, field, text } of textsIn(call.args)) {
      if (CONTENT_FIELDS.has(field)) continue;
      const finding = await scanInSlices(text);
      if (!finding.flagged || finding.score < REFUSE_AT) continue;
      if (finding.labels.some((label) => meaningOf(label).direct)) return refuse(call, path, finding);
    }
    return { allow: true };
  },
};

function refuse(call: GuardedCall, path: string, { labels }: Finding): Verdict {
  const sentence = `${path || "The argument"} of ${call.tool.name} reads like an attempt to change the assistant's instructions, so the call was refused. Say what you need in other words.`;
  const details = { tool: call.tool.name, path, labels };
  return { allow: false, failure: new Failure("INJECTION_BLOCKED", sentence, { details }) };
}

interface TextAt {
  path: string;
  /** The name of the nearest enclosing field, also through lists. */
  field: string;
  text: string;
}

/** Yields the texts in the arguments, without recursion. Throws beyond the limits; the call is then refused. */
function* textsIn(root: unknown): Generator<TextAt> {
  const pending: { value: unknown; path: string; field: string }[] = [{ value: root, path: "", field: "" }];
  let texts = 0;
  let characters = 0;
  for (let seen = 0; seen < MAX_VALUES; seen++) {
    const next = pending.pop();
    if (!next) return;
    const { value, path, field } = next;
    if (typeof value === "string") {
      if (++texts > MAX_TEXTS || characters > MAX_CHARACTERS) throw new Error("too much text to scan");
      characters += value.length;
      yield { path, field, text: value };
    } else if (Array.isArray(value)) {
      for (const [at, inner] of value.entries())
        pending.push({ value: inner, path: join(path, String(at)), field });
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value))
        pending.push({ value: inner, path: join(path, key), field: key });
    }
  }
  throw new Error("too many values to scan");
}

function join(path: string, key: string): string {
  return (path ? `${path}.${key}` : key).slice(0, 100);
}
