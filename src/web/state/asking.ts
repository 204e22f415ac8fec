import type { TranscriptMessage } from "../../protocol/chat.ts";
import { conversation, type Question, regenerate, send } from "./conversation.ts";
import { draft, editMessage, focusDraft, stopEditing, writeDraft } from "./draft.ts";
import { person, refreshMe } from "./person.ts";
import { toolsOff } from "./tool-choice.ts";

/** Sends what stands in the message field; it comes back into it where the server did not take it. */
export async function sendDraft(): Promise<void> {
  const { text, attachments, uploading, editing } = draft.getState();
  if (text.trim() === "" || uploading.length > 0 || conversation.getState().live) return;
  draft.setState({ text: "", attachments: [], ...editing?.before, editing: undefined });
  const taken = await askQuestion({ text, attachments }, editing?.message);
  if (!taken && editing) draft.setState({ text, attachments, editing });
}

/** Sends a question with the tools that are switched on, as another version of one that was edited where there is one. */
export async function askQuestion(question: Question, edited?: TranscriptMessage): Promise<boolean> {
  focusDraft();
  const taken = await send(question, toolsOn(), edited);
  if (!taken && !edited && draft.getState().text === "") writeDraft(question.text, question.attachments);
  await refreshLimits();
  return taken;
}

/** Has the question of an answer answered once more, the last one where none is named. */
export async function askAgain(answer?: TranscriptMessage): Promise<void> {
  const { messages, live } = conversation.getState();
  const again = answer ?? messages.findLast(({ role }) => role === "assistant");
  if (!again || live) return;
  focusDraft();
  await regenerate(again, toolsOn());
  await refreshLimits();
}

/** Puts the last question back into the message field. */
export function editLast(): void {
  const last = conversation.getState().messages.findLast(({ role }) => role === "user");
  if (last) editMessage(last);
}

/** A message is edited for as long as it is there to be seen; the words stay where only it is gone. */
export function watchEditing(): void {
  conversation.subscribe(({ sessionId, messages }, before) => {
    const { editing } = draft.getState();
    if (!editing || messages === before.messages) return;
    if (sessionId !== before.sessionId) stopEditing();
    else if (!messages.some(({ id }) => id === editing.message.id)) draft.setState({ editing: undefined });
  });
}

function toolsOn(): string[] | undefined {
  const off = toolsOff();
  if (off.length === 0) return undefined;
  const names = person.getState().tools.map(({ name }) => name);
  return names.filter((name) => !off.includes(name));
}

/** What is left of the limits is only shown: when it cannot be read, the next answer tells. */
async function refreshLimits(): Promise<void> {
  await refreshMe().catch(() => undefined);
}
