import { decide, policyFile } from "../../src/guard/policy.ts";
import type { Situation } from "../../src/protocol/guard.ts";
import execute from "../../src/tools/builtin/execute_command/index.ts";
import { toolContext } from "../../src/tools/builtin/testing/context.ts";
import type { Pair } from "./pairs.ts";

const NOTHING_READ: Situation = {
  outside: [],
  workspace: [],
  privateReads: [],
  suspicious: [],
  personTexts: [],
};

/** Returns the pairs in which “always” for the first command lets the second one run unasked. */
export function covered(pairs: readonly Pair[]): Pair[] {
  const policy = policyFile.parse({});
  const verdictOf = (command: string, remembered: ReadonlySet<string>) => {
    const parsed = execute.parse({ command });
    if (!parsed.ok) throw new Error(`not a command: ${command}`);
    return decide(
      policy,
      { tool: execute, args: parsed.value, context: toolContext() },
      NOTHING_READ,
      remembered,
    );
  };
  return pairs.filter(([approved, relative]) => {
    const first = verdictOf(approved, new Set());
    const remembered = first.action === "ask" && first.remember !== undefined ? [first.remember] : [];
    return verdictOf(relative, new Set(remembered)).action === "allow";
  });
}
