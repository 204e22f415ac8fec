// The terminal in a process of its own, talking to a scripted chat: what the tests drive key by key.
import { parseCommandLine } from "../arguments.ts";
import { printTurn } from "../print.ts";
import { startRepl } from "../repl.ts";
import { createFakeChat } from "./fake-chat.ts";

const { command, allow, prompt, json, resume, model } = parseCommandLine(process.argv.slice(2));
const chat = createFakeChat(process.env.FAKE_CHAT_LOG);
const exitCode =
  command === "print"
    ? await printTurn(chat, { prompt, json, allow, model })
    : await startRepl(chat, { allow, resume, model, directory: "/home/someone/project" });
process.stdout.write("", () => process.exit(exitCode));
