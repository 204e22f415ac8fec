import { writeFile } from "node:fs/promises";
import { Failure } from "../protocol/failure.ts";
import { callsOf } from "../protocol/reduce.ts";
import { clean } from "./clean.ts";
import { MORE_MODELS, modelLines, table, toolLines } from "./listings.ts";
import type { Conversation } from "./repl.ts";
import { oneLine } from "./wording.ts";

/** A command of the prompt. To add one, add a row to the table. */
export interface SlashCommand {
  name: string;
  usage: string;
  summary: string;
  /** Returns "leave" to end the conversation. */
  run(conversation: Conversation, argument: string): Promise<unknown>;
}

export const COMMANDS: readonly SlashCommand[] = [
  {
    name: "help",
    usage: "/help",
    summary: "show the commands and keys",
    async run({ screen }) {
      const width = Math.max(...COMMANDS.map(({ usage }) => usage.length));
      screen.print(
        ...COMMANDS.map(({ usage, summary }) => `${usage.padEnd(width)}  ${screen.paint("dim", summary)}`),
        "",
        screen.paint(
          "dim",
          "Esc or Ctrl-C stops an answer. Ctrl-C clears the line; press it twice to leave.",
        ),
        screen.paint("dim", "Type during an answer to send a message after it. ↑ and ↓ show what you sent."),
      );
    },
  },
  {
    name: "model",
    usage: "/model [P/M]",
    summary: "list the models, or switch to one",
    async run(conversation, wanted) {
      const { screen, chat } = conversation;
      const models = await chat.models();
      if (wanted === "") {
        screen.print(
          ...modelLines(models, screen.columns, screen.paint),
          "",
          screen.paint("dim", MORE_MODELS),
        );
        return;
      }
      if (!models.some(({ id }) => id === wanted)) {
        throw new Failure("INVALID_INPUT", `There is no model ${wanted}. /model lists the models.`);
      }
      conversation.model = wanted;
      screen.print(screen.paint("dim", `Using ${wanted} from now on.`));
    },
  },
  {
    name: "tools",
    usage: "/tools",
    summary: "list the tools that the model can call",
    async run({ screen, chat }) {
      screen.print(...toolLines(await chat.tools(), screen.columns, screen.paint));
    },
  },
  {
    name: "session",
    usage: "/session [new|ID]",
    summary: "list your conversations, or continue one",
    async run(conversation, wanted) {
      const { screen, chat } = conversation;
      if (wanted === "new") {
        conversation.sessionId = undefined;
        screen.print(screen.paint("dim", "The next message starts a new conversation."));
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
    },
  },
  {
    name: "output",
    usage: "/output",
    summary: "show all of the last output that was shortened",
    async run({ screen, chat, sessionId }) {
      const messages = sessionId === undefined ? [] : await chat.messages(sessionId);
      const calls = messages.flatMap(({ runId = "", state }) =>
        (state ? callsOf(state) : []).map(({ omitted, toolCallId }) => ({ runId, omitted, toolCallId })),
      );
      const call = calls.findLast(({ omitted }) => omitted);
      if (!call) throw new Failure("INVALID_INPUT", "No output of this conversation was shortened.");
      const text = await chat.readResult(call.runId, call.toolCallId);
      screen.print(...clean(text).trimEnd().split("\n"));
    },
  },
  {
    name: "retry",
    usage: "/retry",
    summary: "answer the last question again; the old answer is kept",
    async run(conversation) {
      await conversation.retry();
    },
  },
  {
    name: "undo",
    usage: "/undo",
    summary: "undo what tools changed in this conversation",
    async run({ screen, chat, sessionId }) {
      if (sessionId === undefined) throw new Failure("INVALID_INPUT", "There is nothing to undo yet.");
      const { undone, notUndone } = await chat.rollbackSession(sessionId);
      const lines = [
        ...undone.map(({ summary }) => `${screen.paint("green", "✓")} ${oneLine(summary)}`),
        ...notUndone.map(
          ({ summary, reason }) => `${screen.paint("red", "✗")} ${oneLine(summary)}: ${oneLine(reason)}`,
        ),
      ];
      screen.print(...(lines.length > 0 ? lines : [screen.paint("dim", "There is nothing to undo.")]));
    },
  },
  {
    name: "export",
    usage: "/export [FILE]",
    summary: "export this conversation as Markdown, or as JSON if FILE ends in .json",
    async run({ screen, chat, sessionId }, file) {
      if (sessionId === undefined) throw new Failure("INVALID_INPUT", "There is nothing to export yet.");
      const text = await chat.exportSession(sessionId, file.endsWith(".json") ? "json" : "md");
      if (file === "") {
        screen.print(...clean(text).trimEnd().split("\n"));
      }
      await writeFile(file, text, { flag: "wx" }).catch((thrown: NodeJS.ErrnoException) => {
        const why = thrown.code === "EEXIST" ? "it already exists" : thrown.message;
        throw new Failure("INVALID_INPUT", `${file} was not written: ${why}.`, { cause: thrown });
      });
      screen.print(screen.paint("dim", `Written to ${file}.`));
    },
  },
  {
    name: "clear",
    usage: "/clear",
    summary: "clear the screen and start a new conversation",
    async run(conversation) {
      conversation.sessionId = undefined;
      conversation.screen.clear();
    },
  },
  {
    name: "exit",
    usage: "/exit",
    summary: "leave; the conversation is kept",
    run: async () => "leave",
  },
];

/** Runs a slash command. */
export async function runCommand(conversation: Conversation, line: string): Promise<unknown> {
  const [word = "", ...rest] = line.slice(1).trim().split(/\s+/);
  const name = word === "quit" ? "exit" : word;
  const command = COMMANDS.find((one) => one.name === name);
  if (!command) throw new Failure("INVALID_INPUT", `There is no command /${word}. /help lists the commands.`);
  return command.run(conversation, rest.join(" "));
}
