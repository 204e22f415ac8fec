import type { CommandLine } from "../../terminal/arguments.ts";
import { toolLines } from "../../terminal/listings.ts";
import { report } from "../../terminal/output.ts";
import { withChat } from "./open-tackle.ts";

/** Lists the tools. */
export function run(line: CommandLine): Promise<number> {
  return withChat(line, async (chat) => {
    const tools = await chat.tools();
    report(line, tools, (columns, paint) => toolLines(tools, columns, paint));
    return 0;
  });
}
