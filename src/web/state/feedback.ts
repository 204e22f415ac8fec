import type { Feedback } from "../../protocol/feedback.ts";
import { conversation } from "./conversation.ts";
import { attempt } from "./notices.ts";
import { chat } from "./server.ts";

/** Keeps what the person thinks of an answer; undefined takes it back. Returns true if it is kept. */
export async function rate(messageId: string, feedback: Feedback | undefined): Promise<boolean> {
  const before = conversation.getState().messages.find(({ id }) => id === messageId)?.feedback;
  show(messageId, feedback);
  const kept = await attempt(() => chat.giveFeedback(messageId, feedback));
  if (!kept) show(messageId, before);
  return kept;
}

function show(messageId: string, feedback: Feedback | undefined): void {
  conversation.setState(({ messages }) => ({
    messages: messages.map((message) => {
      if (message.id !== messageId) return message;
      const { feedback: _, ...rest } = message;
      return feedback ? { ...rest, feedback } : rest;
    }),
  }));
}
