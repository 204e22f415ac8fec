import { join } from "node:path";
import type { Chat } from "../../protocol/chat.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { deferredChat } from "../../terminal/deferred-chat.ts";
import { openHistory } from "../../terminal/history.ts";
import { startRepl } from "../../terminal/repl.ts";
import { defaultDataDirectory } from "../data-directory.ts";
import { resolvePath } from "../own-path.ts";
import { productVersion } from "../product-version.ts";

/** Chats in the terminal. */
export function run(line: CommandLine): Promise<number> {
  return process.stdin.isTTY && process.stdout.isTTY
    ? promptFirst(line)
    : withChat(line, (chat) => talk(chat, line));
}

/** Draws the prompt at once and opens the chat behind it. */
async function promptFirst(line: CommandLine): Promise<number> {
  const [opened, left] = [Promise.withResolvers<Chat>(), Promise.withResolvers<number>()];
  talk(deferredChat(opened.promise), line, opened.promise).then(left.resolve, left.reject);
  // Loading blocks the event loop, so let the prompt be drawn first.
  await new Promise((drawn) => setImmediate(drawn));
  const open = (chat: Chat) => {
    opened.resolve(chat);
    return left.promise;
  };
  return withChat(line, open).catch((thrown: unknown) => {
    // The prompt goes away before the error is printed.
    opened.reject(thrown);
    throw thrown;
  });
}

async function withChat(line: CommandLine, work: (chat: Chat) => Promise<number>): Promise<number> {
  const { withChat: open } = await import("./open-tackle.ts");
  return open(line, work);
}

async function talk(chat: Chat, line: CommandLine, opening?: Promise<Chat>): Promise<number> {
  const { allow, model, resume, server, prompt, trust } = line;
  const data = dataDirectory(line);
  // Exiting normally restores the terminal. The next start resumes what was running.
  process.once("SIGTERM", () => process.exit(143));
  process.once("SIGHUP", () => process.exit(129));
  return startRepl(chat, {
    opening,
    model,
    resume,
    allow,
    ...(prompt === "" ? {} : { message: prompt }),
    version: productVersion(),
    history: openHistory(join(data, "terminal-history"), async (text) => {
      const { redactSecrets } = await import("../../guard/redact/redact.ts");
      return redactSecrets(text);
    }),
    directory: server === undefined ? process.cwd() : undefined,
    async ownCommands(folder) {
      const { ownCommands } = await import("../../terminal/own-commands.ts");
      return ownCommands({ data, folder, trust: trust === true });
    },
  });
}

/** The same directory that the settings name, without loading them. */
function dataDirectory({ data }: CommandLine): string {
  return resolvePath(process.cwd(), data ?? defaultDataDirectory(process.env));
}
