import type { ToolResultPart } from "./messages.ts";

const MAX_RESULTS = 1_000;

/**
 * What went to a model of another program: not the texts, only which tool's result was from outside and which was
 * private. The policy looks back at it, as it looks back at the steps of a run.
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
