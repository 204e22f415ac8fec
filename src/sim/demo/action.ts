/** A call that the demo would like to make, under the tool's own name and the contract's names of parameters. */
export interface Action {
  tool: string;
  arguments: Record<string, unknown>;
  /** What it is for, as the end of a sentence: "the time in Tokyo". */
  aim: string;
}
