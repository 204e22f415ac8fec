import type { ClientCall, ClientMessage, ClientResult } from "../openai/client-messages.ts";

/** One answer as a client sends it back: the text of a run, its calls and their results. */
export interface ClientAnswer {
  text: string;
  calls: ClientCall[];
  results: Map<string, ClientResult>;
}

const UNANSWERED: ClientResult = {
  output: "No result was given: the user moved on to something else.",
  success: false,
};

/** Returns an empty answer. */
export function emptyAnswer(): ClientAnswer {
  return { text: "", calls: [], results: new Map() };
}

/** Converts the answer to messages. A call without a result counts as refused unless the answer is the last one. */
export function toClientMessages(
  { text, calls, results }: ClientAnswer,
  at: number,
  isLast: boolean,
): ClientMessage[] {
  const clientMessages: ClientMessage[] = [{ role: "assistant", text, calls, at }];
  for (const { id } of calls) {
    const result = results.get(id) ?? (isLast ? undefined : UNANSWERED);
    if (result) clientMessages.push({ role: "tool", callId: id, ...result, at });
  }
  return clientMessages;
}
