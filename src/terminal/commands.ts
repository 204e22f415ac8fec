import { writeFile } from "node:fs/promises";
import { Failure } from "../protocol/failure.ts";
import { clean } from "./clean.ts";
import { MORE_MODELS, modelLines, table, toolLines } from "./listings.ts";
import type { Conversation } from "./repl.ts";
import { oneLine } from "./wording.ts";

/** A command of the prompt. Adding one is adding a row to the table. */
export interface SlashCommand {
  name: string;
  usage: string;
  summary: string;
  run(conversation: Conversation, argument: string): Promise<"leave" | undefined>;
}

export const COMMANDS: readonly SlashCommand[] = [
  {
    name: "help",
    usage: "/help",
    summary: "these commands, and the keys",
    async run({ screen }) {
      const width = Math.max(...COMMANDS.map(({ usage }) => usage.length));
      screen.print(
        ...COMMANDS.map(({ usage, summary }) => `${usage.padEnd(width)}  ${screen.paint("dim", summary)}`),
        "",
        screen.paint(
          "dim",
          "Esc or Ctrl-C stops an answer. Ctrl-C clears the line, twice on an empty one leaves.",
        ),
        screen.paint(
          "dim",
          "What you type while an answer runs is sent after it. ↑ and ↓ go through what you sent.",
        ),
      );
      return undefined;
    },
  },
  {
    name: "model",
    usage: "/model [P/M]",
    summary: "the models there are; with a name, the one to use from now on",
    async run(conversation, wanted) {
      const { screen, chat } = conversation;
      const models = await chat.models();
      if (wanted === "") {
        screen.print(
          ...modelLines(models, screen.columns, screen.paint),
          "",
          screen.paint("dim", MORE_MODELS),
        );
        return undefined;
      }
      if (!models.some(({ id }) => id === wanted)) {
        throw new Failure("INVALID_INPUT", `There is no model ${wanted}. /model lists those there are.`);
      }
      conversation.model = wanted;
      screen.print(screen.paint("dim", `From now on ${wanted} answers.`));
      return undefined;
    },
  },
  {
    name: "tools",
    usage: "/tools",
    summary: "the tools that the model may call",
    async run({ screen, chat }) {
      screen.print(...toolLines(await chat.tools(), screen.columns, screen.paint));
      return undefined;
    },
  },
  {
    name: "session",
    usage: "/session [new|ID]",
    summary: "your conversations; with an id, go on with that one",
    async run(conversation, wanted) {
      const { screen, chat } = conversation;
      if (wanted === "new") {
        conversation.sessionId = undefined;
        screen.print(screen.paint("dim", "The next message begins a new conversation."));
      } else if (wanted !== "") {
        await conversation.resume(await chat.getSession(wanted));
      } else {
        const sessions = await chat.listSessions({ limit: 10 });
        const rows = sessions.map((session) => [
          `${session.id === conversation.sessionId ? "*" : " "} ${session.id}`,
          new Date(session.updatedAt).toLocaleString(),
          oneLine(session.title),
        ]);
        screen.print(...table(["  ID", "CHANGED", "TITLE"], rows, screen.columns, screen.paint));
      }
      return undefined;
    },
  },
  {
    name: "retry",
    usage: "/retry",
    summary: "the last question once more; the answer so far is kept beside the new one",
    async run(conversation) {
      await conversation.retry();
      return undefined;
    },
  },
  {
    name: "undo",
    usage: "/undo",
    summary: "takes back what tools changed in this conversation",
    async run({ screen, chat, sessionId }) {
      if (sessionId === undefined) throw new Failure("INVALID_INPUT", "There is nothing to undo yet.");
      const { undone, notUndone } = await chat.rollbackSession(sessionId);
      const lines = [
        ...undone.map(({ summary }) => `${screen.paint("green", "✓")} ${oneLine(summary)}`),
        ...notUndone.map(
          ({ summary, reason }) => `${screen.paint("red", "✗")} ${oneLine(summary)}: ${oneLine(reason)}`,
        ),
      ];
      screen.print(
        ...(lines.length > 0
          ? lines
          : [screen.paint("dim", "Nothing was changed that could be taken back.")]),
      );
      return undefined;
    },
  },
  {
    name: "export",
    usage: "/export [FILE]",
    summary: "this conversation as Markdown, or as JSON where FILE ends in .json",
    async run({ screen, chat, sessionId }, file) {
      if (sessionId === undefined) throw new Failure("INVALID_INPUT", "There is nothing to export yet.");
      const text = await chat.exportSession(sessionId, file.endsWith(".json") ? "json" : "md");
      if (file === "") {
        screen.print(...clean(text).trimEnd().split("\n"));
        return undefined;
      }
      await writeFile(file, text, { flag: "wx" }).catch((thrown: NodeJS.ErrnoException) => {
        const why = thrown.code === "EEXIST" ? "it exists already" : thrown.message;
        throw new Failure("INVALID_INPUT", `${file} was not written: ${why}.`, { cause: thrown });
      });
      screen.print(screen.paint("dim", `Written to ${file}.`));
      return undefined;
    },
  },
  {
    name: "clear",
    usage: "/clear",
    summary: "an empty screen and a new conversation",
    async run(conversation) {
      conversation.sessionId = undefined;
      conversation.screen.clear();
      return undefined;
    },
  },
  {
    name: "exit",
    usage: "/exit",
    summary: "leave; the conversation is kept",
    run: async () => "leave",
  },
];

/** Runs what was typed after a slash. */
export async function runCommand(conversation: Conversation, line: string): Promise<"leave" | undefined> {
  const [word = "", ...rest] = line.slice(1).trim().split(/\s+/);
  const name = word === "quit" ? "exit" : word;
  const command = COMMANDS.find((one) => one.name === name);
  if (!command)
    throw new Failure("INVALID_INPUT", `There is no command /${word}. /help lists those there are.`);
  return command.run(conversation, rest.join(" "));
}
