// The terminal in its own process, with a scripted chat. The tests drive it key by key.
import { parseCommandLine } from "../arguments.ts";
import { openHistory } from "../history.ts";
import { printTurn } from "../print.ts";
import { startRepl } from "../repl.ts";
import { createFakeChat } from "./fake-chat.ts";

const { command, allow, prompt, json, resume, model, server } = parseCommandLine(process.argv.slice(2));
const chat = createFakeChat(process.env.FAKE_CHAT_LOG);
const directory = server === undefined ? (process.env.FAKE_FOLDER ?? "/home/someone/project") : undefined;
const exitCode =
  command === "print"
    ? await printTurn(chat, { prompt, json, allow, model })
    : await startRepl(chat, {
        ...{ allow, resume, model, directory },
        ...(prompt === "" ? {} : { message: prompt }),
        ...(process.env.FAKE_CHAT_LOG === undefined
          ? {}
          : { history: historyBeside(process.env.FAKE_CHAT_LOG) }),
      });
process.stdout.write("", () => process.exit(exitCode));

function historyBeside(log: string) {
  return openHistory(`${log}.history`, async (line) => line.replaceAll("hunter2", "[secret]"));
}
