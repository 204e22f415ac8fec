import { Failure } from "../protocol/failure.ts";
import { wholeOutput } from "./output-lines.ts";
import type { Conversation } from "./repl.ts";
import { duration } from "./wording.ts";

/** Runs `!command`: the output goes to the conversation with the next message. With `!!` only the person sees it. */
export async function runShellCommand(conversation: Conversation, line: string): Promise<void> {
  const alone = line.startsWith("!!");
  const command = line.slice(alone ? 2 : 1).trim();
  if (command === "") throw new Failure("INVALID_INPUT", "Write a command after the !, as in !git status.");
  const { chat, screen } = conversation;
  const answer = await conversation.stoppable((signal) =>
    chat.callTool("execute_command", { command }, { signal }),
  );
  const lines = wholeOutput(answer.output, screen);
  const added = alone ? "" : " · goes with your next message";
  screen.print(...lines, screen.paint("dim", `  ${duration(answer.latencyMs)}${added}`));
  if (!alone)
    conversation.printed.push(`I ran this command:\n\n${fenced(`$ ${command}\n${answer.output.trimEnd()}`)}`);
}

/** A code block around text that may have fences of its own. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/^`{3,}/gm), ([fence]) => fence.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
