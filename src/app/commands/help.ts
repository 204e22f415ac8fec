import type { CommandLine } from "../../terminal/arguments.ts";
import { commandHelp, helpText } from "../../terminal/help.ts";

/** Prints the help: all of it, or what concerns one command. */
export async function run({ topic }: CommandLine): Promise<number> {
  process.stdout.write(topic === undefined ? helpText() : commandHelp(topic));
  return 0;
}
