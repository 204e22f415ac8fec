import { readFileSync } from "node:fs";
import type { z } from "zod";
import { type Policy, policyFile, ruledAction } from "../guard/policy.ts";
import { Failure } from "../protocol/failure.ts";
import type { Registry } from "../protocol/registry.ts";
import type { PolicyCheck } from "../terminal/listings.ts";

/** A policy as people write it. */
export type PolicyRules = z.input<typeof policyFile>;

/** Reads the policy file, or returns the defaults if there is none. Throws INVALID_INPUT. */
export function readPolicy(path: string): Policy {
  let text = "{}";
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") throw bad("the file cannot be read", thrown);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (thrown) {
    throw bad("the file is not JSON", thrown);
  }
  return parsePolicy(json);
}

/** Reads a policy from an object. Throws INVALID_INPUT. */
export function parsePolicy(json: unknown): Policy {
  const parsed = policyFile.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw bad(`${issue?.path.join(".")}: ${issue?.message}`, parsed.error);
}

/** The same for rules that somebody has entered, who knows their numbers and not the file. */
export function parseEnteredPolicy(json: unknown): Policy {
  const parsed = policyFile.safeParse(json);
  if (parsed.success) return parsed.data;
  const { path = [], message = "" } = parsed.error.issues[0] ?? {};
  const [part, at, ...rest] = path;
  if (part !== "rules" || typeof at !== "number") return parsePolicy(json);
  const place = rest[0] === "match" ? `Rule ${at + 1}, ${String(rest[1])}` : `Rule ${at + 1}`;
  throw new Failure("INVALID_INPUT", `${place}: ${message}.`, { cause: parsed.error });
}

/** Runs the tests that the policy file contains. */
export function checkPolicy(policy: Policy, registry: Registry): PolicyCheck[] {
  return policy.tests.map(({ tool: name, arguments: args, expect: expected }) => {
    const tool = registry.get(name);
    return { tool: name, arguments: args, expected, said: tool && ruledAction(policy, { tool, args }) };
  });
}

function bad(why: string, cause: unknown): Failure {
  return new Failure("INVALID_INPUT", `TACKLE_POLICY: ${why}.`, { cause });
}
