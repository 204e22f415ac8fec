/** A call that the demo plans, with the product's own names for the tool and its parameters. */
export interface Action {
  tool: string;
  arguments: Record<string, unknown>;
  /** Its purpose, as a phrase: "the time in Tokyo". */
  aim: string;
}
