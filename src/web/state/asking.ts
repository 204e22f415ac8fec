import type { TranscriptMessage } from "../../protocol/chat.ts";
import { conversation, type Question, send } from "./conversation.ts";
import { draft, focusDraft, writeDraft } from "./draft.ts";
import { person, refreshMe } from "./person.ts";
import { preferences } from "./preferences.ts";

/** Sends what stands in the message field; it comes back into it where the server did not take it. */
export async function sendDraft(): Promise<void> {
  const { text, attachments, uploading } = draft.getState();
  if (text.trim() === "" || uploading.length > 0 || conversation.getState().live) return;
  draft.setState({ text: "", attachments: [] });
  await askQuestion({ text, attachments });
}

/** Sends a question with the tools that are switched on. */
export async function askQuestion(question: Question): Promise<void> {
  const { toolsOff } = preferences.getState();
  const { tools } = person.getState();
  const on =
    toolsOff.length === 0
      ? undefined
      : tools.map(({ name }) => name).filter((name) => !toolsOff.includes(name));
  focusDraft();
  const taken = await send(question, on);
  if (!taken && draft.getState().text === "") writeDraft(question.text, question.attachments);
  // What is left of the limits is only shown: when it cannot be read, the next answer tells.
  await refreshMe().catch(() => undefined);
}

/** The last thing that the person said. */
export function lastQuestion(messages: readonly TranscriptMessage[]): Question | undefined {
  const last = messages.findLast(({ role }) => role === "user");
  return last && { text: last.content, attachments: last.attachments ?? [] };
}

/** Asks the last question once more. */
export function askAgain(): void {
  const question = lastQuestion(conversation.getState().messages);
  if (question) void askQuestion(question);
}

/** Puts the last question back into the message field. */
export function editLast(): void {
  const question = lastQuestion(conversation.getState().messages);
  if (question) writeDraft(question.text, question.attachments);
}
