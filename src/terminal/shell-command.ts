import { commandResult } from "../protocol/commands.ts";
import { Failure } from "../protocol/failure.ts";
import { fenceFor } from "../protocol/fence.ts";
import { outputLines, wholeOutput } from "./output-lines.ts";
import type { Conversation } from "./repl.ts";
import { duration } from "./wording.ts";

const LEAD = "I ran this command:\n\n";
const OUTPUTS = /^(?:I ran this command:\n\n(`{3,})\n[\s\S]*?\n\1\n\n)+(?=\S)/;
const LIVE_LINES = 5;
const LIVE_CHARACTERS = 20_000;

/** Runs `!command`: the output goes to the conversation with the next message. With `!!` only the person sees it. */
export async function runShellCommand(conversation: Conversation, line: string): Promise<void> {
  const alone = line.startsWith("!!");
  const command = line.slice(alone ? 2 : 1).trim();
  if (command === "") throw new Failure("INVALID_INPUT", "Write a command after the !, as in !git status.");
  const { chat, screen } = conversation;
  const answer = await conversation.stoppable((signal) =>
    chat.callTool("execute_command", { command }, { signal, progress: liveOutput(conversation) }),
  );
  const { printed, exitCode = 0, stopped } = commandResult(answer.output) ?? { printed: answer.output };
  const ended = stopped ?? (exitCode === 0 ? "" : `exit code ${exitCode}`);
  const facts = [ended, duration(answer.latencyMs), alone ? "" : "goes with your next message"];
  if (!conversation.answering) screen.update([], []);
  screen.printAll([
    ...wholeOutput(printed, screen),
    screen.paint("dim", `  ${facts.filter(Boolean).join(" · ")}`),
  ]);
  const said = [`$ ${command}`, printed.trimEnd(), ended].filter(Boolean).join("\n");
  if (!alone) conversation.printed.push(`${LEAD}${fenced(said)}`);
}

/** Returns what the person typed, without the output of commands that went along. */
export function withoutOutput(message: string): string {
  return message.replace(OUTPUTS, "");
}

/** Shows the last lines while a command runs. During an answer the place belongs to that. */
function liveOutput(conversation: Conversation): (progress: { chunk?: string }) => void {
  const { screen } = conversation;
  let output = "";
  return ({ chunk = "" }) => {
    output = (output + chunk).slice(-LIVE_CHARACTERS);
    if (!conversation.answering)
      screen.update([], outputLines(output, LIVE_LINES, "The end shows all", screen));
  };
}

/** A code block around text that may have fences of its own. */
function fenced(text: string): string {
  const fence = fenceFor(text);
  return `${fence}\n${text}\n${fence}`;
}
