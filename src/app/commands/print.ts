import type { Chat } from "../../protocol/chat.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { printTurn } from "../../terminal/print.ts";
import { withChat } from "./open-tackle.ts";

/** Asks one question and prints the answer. */
export function run(line: CommandLine): Promise<number> {
  const { allow, prompt, json, model, resume, server } = line;
  const here = server === undefined ? { folder: process.cwd() } : {};
  return withChat(line, async (chat) => {
    await warnUntrusted(chat);
    const sessionId = resume === undefined ? undefined : await resumed(chat, resume, here);
    return printTurn(chat, { prompt, json, allow, model, sessionId, ...here });
  });
}

/** A session that is there already: resuming never creates one. */
async function resumed(chat: Chat, wanted: string, here: { folder?: string }): Promise<string | undefined> {
  if (wanted === "last") return (await chat.listSessions({ limit: 1, ...here }))[0]?.id;
  return (await chat.getSession(wanted)).id;
}

/** No person can be asked, so the folder's instructions are not used. */
async function warnUntrusted(chat: Chat): Promise<void> {
  const { trusted, instructions, skills } = await chat.workspace();
  if (trusted) return;
  const files = instructions.filter(({ source }) => source === "project").map(({ path }) => path);
  const found = [
    ...files,
    ...skills.filter(({ source }) => source === "project").map(({ name }) => `the skill ${name}`),
  ];
  process.stderr.write(
    `tackle: you have not trusted this folder, so this was not used: ${found.join(", ")}. Add --trust to use it.\n`,
  );
}
