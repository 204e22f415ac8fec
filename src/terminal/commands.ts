import { writeFile } from "node:fs/promises";
import { describeCompaction } from "../protocol/context.ts";
import { Failure } from "../protocol/failure.ts";
import { callsOf } from "../protocol/reduce.ts";
import { BACKGROUND_COMMANDS } from "./background-commands.ts";
import { clean } from "./clean.ts";
import { truncate, widthOf, wrap } from "./lines.ts";
import { modelLines, moreModelsLines, table, toolLines } from "./listings.ts";
import type { Conversation } from "./repl.ts";
import type { Screen } from "./screen.ts";
import { runShellCommand, withoutOutput } from "./shell-command.ts";
import { showSkills } from "./trust.ts";
import { USAGE_COMMANDS } from "./usage-commands.ts";
import { oneLine } from "./wording.ts";

/** A command of the prompt. To add one, add a row to the table. */
export interface SlashCommand {
  name: string;
  usage: string;
  summary: string;
  /** It can run while an answer is written. */
  atOnce?: true;
  /** Returns "leave" to end the conversation. */
  run(conversation: Conversation, argument: string): Promise<unknown>;
}

export const COMMANDS: readonly SlashCommand[] = [
  {
    name: "help",
    usage: "/help",
    summary: "show the commands and keys",
    atOnce: true,
    async run({ screen, known }) {
      const commands = [...COMMANDS, ...known.own].map(({ usage, summary }) => [usage, summary] as const);
      screen.print(...helpRows(commands, screen), "", ...helpRows(KEYS, screen));
    },
  },
  {
    name: "model",
    usage: "/model [P/M]",
    summary: "list the models, or switch to one",
    atOnce: true,
    async run(conversation, wanted) {
      const { screen, chat } = conversation;
      const models = await chat.models();
      if (wanted === "") {
        screen.print(
          ...modelLines(models, screen.columns, screen.paint),
          "",
          ...moreModelsLines(screen.columns, screen.paint),
        );
        return;
      }
      if (!models.some(({ id }) => id === wanted)) {
        throw new Failure("INVALID_INPUT", `There is no model ${wanted}. /model lists the models.`);
      }
      conversation.model = wanted;
      screen.say(`Using ${wanted} from now on.`);
    },
  },
  {
    name: "tools",
    usage: "/tools",
    summary: "list the tools that the model can call",
    atOnce: true,
    async run({ screen, chat }) {
      screen.print(...toolLines(await chat.tools(), screen.columns, screen.paint));
    },
  },
  {
    name: "session",
    usage: "/session [new|all|ID]",
    summary: "list the conversations of this folder, or continue one",
    async run(conversation, wanted) {
      const { screen, chat } = conversation;
      if (wanted === "new") {
        conversation.startNew();
        screen.say("The next message starts a new conversation.");
      } else if (wanted !== "" && wanted !== "all") {
        await conversation.resume(await chat.getSession(wanted));
      } else {
        const { directory } = conversation.options;
        const here = wanted === "" && directory !== undefined ? { folder: directory } : {};
        const sessions = await chat.listSessions({ limit: 10, ...here });
        if (sessions.length === 0)
          return screen.say("There are none. /session all lists those of other folders.");
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
      screen.printAll(clean(text).trimEnd().split("\n"));
    },
  },
  {
    name: "skills",
    usage: "/skills",
    summary: "list the instructions and skills of this folder; asks whether to trust them",
    run: showSkills,
  },
  {
    name: "retry",
    usage: "/retry",
    summary: "answer the last question again; the old answer is kept",
    async run(conversation) {
      const { chat, sessionId } = conversation;
      const messages = sessionId === undefined ? [] : await chat.messages(sessionId, { limit: 2 });
      const answer = messages.findLast(({ role }) => role === "assistant");
      if (!answer) throw new Failure("INVALID_INPUT", "There is no answer to repeat yet.");
      await conversation.regenerate(answer.id);
    },
  },
  {
    name: "compact",
    usage: "/compact [what matters]",
    summary: "summarize older messages for the model",
    async run(conversation, focus) {
      const { screen, chat, sessionId, usage } = conversation;
      if (sessionId !== undefined) screen.say("Summarizing older messages…");
      const done = sessionId && (await chat.compact(sessionId, focus === "" ? {} : { focus }));
      if (done) {
        conversation.usage = usage && { ...usage, contextTokens: done.tokensAfter };
        conversation.costUsd += done.cost?.costUsd ?? 0;
      }
      screen.say(done && done.messages > 0 ? describeCompaction(done) : "There is nothing old to summarize.");
    },
  },
  {
    name: "undo",
    usage: "/undo [all]",
    summary: "undo what the last turn changed, or everything in this conversation",
    run: undo,
  },
  ...USAGE_COMMANDS,
  {
    name: "export",
    usage: "/export [FILE]",
    summary: "export this conversation as Markdown, or as JSON if FILE ends in .json",
    async run({ screen, chat, sessionId }, file) {
      if (sessionId === undefined) throw new Failure("INVALID_INPUT", "There is nothing to export yet.");
      const text = await chat.exportSession(sessionId, file.endsWith(".json") ? "json" : "md");
      if (file === "") {
        return screen.printAll(clean(text).trimEnd().split("\n"));
      }
      await writeFile(file, text, { flag: "wx" }).catch((thrown: NodeJS.ErrnoException) => {
        const why = thrown.code === "EEXIST" ? "it already exists" : thrown.message;
        throw new Failure("INVALID_INPUT", `${file} was not written: ${why}.`, { cause: thrown });
      });
      screen.say(`Written to ${file}.`);
    },
  },
  {
    name: "clear",
    usage: "/clear",
    summary: "clear the screen and start a new conversation",
    async run(conversation) {
      conversation.startNew();
      conversation.screen.clear();
    },
  },
  ...BACKGROUND_COMMANDS,
  { name: "exit", usage: "/exit", summary: "leave; the conversation is kept", run: async () => "leave" },
];

/** The keys as /help shows them. */
const KEYS = [
  ["Enter", "send; during an answer, say it to the model at once"],
  ["Alt-Enter", "send after this answer"],
  ["Shift-Enter, \\ Enter, Ctrl-J", "new line"],
  ["↑ ↓, Ctrl-R", "what you sent before; search in it"],
  ["Esc", "stop; what waits comes back to the line"],
  ["Esc Esc", "go back to an earlier message"],
  ["Ctrl-G", "write in your own editor ($VISUAL, $EDITOR)"],
  ["Ctrl-V", "attach the image in the clipboard"],
  ["@ and Tab", "mention a file"],
  ["!command", "run a command; !! without telling the model"],
  ["Ctrl-O", "show all output of a command"],
  ["Ctrl-C", "clear the line; twice to leave"],
] as const;

function helpRows(rows: readonly (readonly [string, string])[], { columns, paint }: Screen): string[] {
  const longest = Math.max(...rows.map(([name]) => widthOf(name)));
  // In a narrow window, the words go below the name.
  const width = longest + 24 > columns ? 0 : longest;
  return rows.flatMap(([name, words]) => {
    const indent = " ".repeat(width + 2);
    const lines = wrap([{ text: words, format: "dim" }], columns - width - 2, paint);
    if (width === 0) return [name, ...lines.map((line) => indent + line)];
    const [first = "", ...rest] = lines;
    return [`${name}${indent.slice(widthOf(name))}${first}`, ...rest.map((line) => indent + line)];
  });
}

async function undo(conversation: Conversation, wanted: string): Promise<void> {
  const { screen, chat, sessionId } = conversation;
  if (sessionId === undefined) throw new Failure("INVALID_INPUT", "There is nothing to undo yet.");
  if (wanted !== "" && wanted !== "all")
    throw new Failure("INVALID_INPUT", "Write /undo for the last turn, or /undo all.");
  if (
    wanted === "all" &&
    !(await conversation.confirm("Undo everything that was changed in this conversation? y/n"))
  )
    return screen.say("Nothing was undone.");
  const report = await chat.rollbackSession(sessionId, wanted === "all" ? {} : { runId: "last" });
  const { runId, undone, notUndone } = report;
  const marked = (mark: string, text: string) =>
    wrap([{ text }], screen.columns - 2, screen.paint).map((line, at) => `${at === 0 ? mark : " "} ${line}`);
  const lines = [
    ...undone.flatMap(({ summary }) => marked(screen.paint("green", "✓"), oneLine(summary))),
    ...notUndone.flatMap(({ summary, reason }) =>
      marked(screen.paint("red", "✗"), `${oneLine(summary)}: ${oneLine(reason)}`),
    ),
  ];
  if (lines.length === 0) return screen.say("There is nothing to undo.");
  const question = runId === undefined ? undefined : await questionOf(conversation, runId);
  if (question)
    screen.say(`Undoing what “${truncate(question, Math.min(50, screen.columns - 24))}” changed:`);
  screen.print(...lines);
}

/** The message that a run answered. */
async function questionOf(
  { chat, sessionId = "" }: Conversation,
  runId: string,
): Promise<string | undefined> {
  const messages = await chat.messages(sessionId);
  const at = messages.findIndex((message) => message.runId === runId && message.role === "assistant");
  const asked = messages.slice(0, Math.max(0, at)).findLast(({ role }) => role === "user");
  return asked && oneLine(withoutOutput(asked.content));
}

/** Whether a line is a command that need not wait for the answer. */
export function runsAtOnce(conversation: Conversation, line: string): boolean {
  return line.startsWith("!") || commandIn(conversation, line)?.command?.atOnce === true;
}

/** Runs a line that begins with a slash or an exclamation mark. */
export async function runCommand(conversation: Conversation, line: string): Promise<unknown> {
  if (line.startsWith("!")) return runShellCommand(conversation, line);
  const { word, command, rest } = commandIn(conversation, line);
  if (!command) throw new Failure("INVALID_INPUT", `There is no command /${word}. /help lists the commands.`);
  return command.run(conversation, rest);
}

function commandIn({ known }: Conversation, line: string) {
  const [, word = "", rest = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
  const name = word === "quit" ? "exit" : word;
  // A file in the project must not take the place of a command.
  const command = [...COMMANDS, ...known.own].find((one) => one.name === name);
  return { word, command, rest };
}
