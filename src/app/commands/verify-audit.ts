import { linkWith, verifyChain } from "../../observe/audit/chain.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { report } from "../../terminal/output.ts";
import { withAudit } from "./open-audit.ts";
import { configOf } from "./open-tackle.ts";

/** Checks the chain of the audit log. Returns 1 if it is not whole. */
export async function run(line: CommandLine): Promise<number> {
  return withAudit(await configOf(line, false), async (store, key) => {
    const verdict = await verifyChain(store, linkWith(key), line.from?.toLowerCase());
    report(line, verdict, () => {
      if (!verdict.ok) return [`The audit log is not whole. ${verdict.reason}`];
      const { entries, first, head } = verdict;
      if (!head) return ["The audit log is empty."];
      const trimmed = first > 1 ? `, from ${first} on` : "";
      return [`The audit log is whole: ${entries} entries${trimmed}. Head: ${head.hash}`];
    });
    return verdict.ok ? 0 : 1;
  });
}
