import type { CommandLine } from "../../terminal/arguments.ts";
import { printTurn } from "../../terminal/print.ts";
import { withChat } from "./open-tackle.ts";

/** Asks one question and prints the answer. */
export function run(line: CommandLine): Promise<number> {
  const { allow, prompt, json, model, resume } = line;
  return withChat(line, async (chat) => {
    const sessionId = resume === "last" ? (await chat.listSessions({ limit: 1 }))[0]?.id : resume;
    return printTurn(chat, { prompt, json, allow, model, sessionId });
  });
}
