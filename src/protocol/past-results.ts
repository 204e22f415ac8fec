import type { ToolResultPart } from "./messages.ts";

const MAX_RESULTS = 1_000;

/**
 * The results that another program's model has received. It keeps no texts, only which results were untrusted or private.
 * The policy uses it like the earlier steps of a run.
 */
export class PastResults {
  private readonly kept = new Map<string, ToolResultPart>();

  results(): ToolResultPart[] {
    return [...this.kept.values()];
  }

  remember(result: ToolResultPart): void {
    const { toolName, success, trust, effect } = result;
    const key = JSON.stringify([toolName, success, trust, effect]);
    if (this.kept.size < MAX_RESULTS) this.kept.set(key, { ...result, output: "" });
  }
}
