import type { ToolResultPart } from "./messages.ts";
import { addressesIn } from "./provenance.ts";

const MAX_RESULTS = 1_000;

const MAX_ADDRESSES = 500;

/**
 * The results that another program's model has received. It keeps no texts, only which results were untrusted or private, and
 * the addresses in them. The policy uses it like the earlier steps of a run.
 */
export class PastResults {
  private readonly kept = new Map<string, ToolResultPart>();

  results(): ToolResultPart[] {
    return [...this.kept.values()];
  }

  remember(result: ToolResultPart): void {
    const { toolName, success, trust, effect, sources } = result;
    const key = JSON.stringify([toolName, success, trust, effect, sources]);
    const known = this.kept.get(key)?.output.split("\n") ?? [];
    const output = [...known, ...addressesIn(result.output)].slice(-MAX_ADDRESSES).join("\n");
    if (known.length > 0 || this.kept.size < MAX_RESULTS) this.kept.set(key, { ...result, output });
  }
}
