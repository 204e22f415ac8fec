import { helpText } from "../../terminal/help.ts";

/** Prints the help. */
export async function run(): Promise<number> {
  process.stdout.write(helpText());
  return 0;
}
