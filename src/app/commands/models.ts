import type { CommandLine } from "../../terminal/arguments.ts";
import { modelLines, moreModelsLines } from "../../terminal/listings.ts";
import { report } from "../../terminal/output.ts";
import { withChat } from "./open-tackle.ts";

/** Lists the models. */
export function run(line: CommandLine): Promise<number> {
  return withChat(line, async (chat) => {
    const models = await chat.models();
    report(line, models, (columns, paint) => [
      ...modelLines(models, columns, paint),
      "",
      ...moreModelsLines(columns, paint, "* is the default. "),
    ]);
    return 0;
  });
}
