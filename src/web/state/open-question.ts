import { callsOf } from "../../protocol/reduce.ts";
import { conversation } from "./conversation.ts";
import { draft, writeDraft } from "./draft.ts";
import { answerQuestion } from "./live-run.ts";
import { attempt } from "./notices.ts";

/** Longer answers to a question are not taken. */
export const LONGEST_ANSWER = 10_000;

/** Answers the question that the open conversation waits for with the draft. Returns false if it waits for nothing or for more. */
export async function answerOpenQuestion(text: string): Promise<boolean> {
  const { live } = conversation.getState();
  const waiting = live ? callsOf(live.state).filter(({ status }) => status === "waiting") : [];
  const [asked] = waiting;
  if (waiting.length !== 1 || !asked?.question || text.length > LONGEST_ANSWER) return false;
  draft.setState({ text: "" });
  const isAnswered = await attempt(() => answerQuestion(asked.toolCallId, text.trim()));
  if (!isAnswered && draft.getState().text === "") writeDraft(text);
  return true;
}
