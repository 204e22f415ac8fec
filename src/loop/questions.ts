import type { ToolCallPart } from "../protocol/messages.ts";
import type { Answer, AskPerson, QuestionOptions } from "../protocol/questions.ts";
import { findCall } from "../protocol/reduce.ts";
import type { ToolContext } from "../protocol/tool.ts";
import type { Turn } from "./turn.ts";

/** The question of a call as an answer refers to it: a call may ask several, one after the other. */
export function questionKey(toolCallId: string, number: number): string {
  return `question:${toolCallId}:${number}`;
}

/** What an answer is bound to. */
export function questionHash(
  hash: Turn["hash"],
  { question, options, multiple }: { question: string; options?: readonly string[]; multiple?: boolean },
): string {
  return hash({ question, options: options ?? [], multiple: multiple ?? false });
}

export interface Asking {
  call: ToolCallPart;
  /** Called when the call begins and ends to wait for the person. */
  setWaiting(waiting: boolean): void;
  timeLimit: NonNullable<ToolContext["timeLimit"]>;
  /** What the person wrote themselves is added to it. Chosen options are decisions, not words. */
  ownWords: string[];
}

/**
 * Returns the function with which a call asks the person. A question is in the journal, so it survives this process: when
 * the call runs again, it gets the answers that were given and waits for the one that is open.
 */
export function askerOf(turn: Turn, asking: Asking): AskPerson {
  let asked = 0;
  let before: Promise<unknown> = Promise.resolve();
  const inJournal = questionOf(turn, asking.call)?.number ?? 0;
  return (question, given) => {
    const options = isList(given) ? { options: given } : (given ?? {});
    const answer = before.then(() => askOne(turn, asking, question, options, ++asked, inJournal));
    before = answer.catch(() => undefined);
    return answer;
  };
}

async function askOne(
  turn: Turn,
  { call, setWaiting, timeLimit, ownWords }: Asking,
  question: string,
  { options, optionDetails, multiple, default: fallback }: QuestionOptions,
  number: number,
  inJournal: number,
): Promise<Answer | undefined> {
  if (!turn.attended || turn.signal.aborted) return undefined;
  const toolCallId = call.id;
  const asked = {
    question,
    ...(options && options.length > 0 ? { options: [...options] } : {}),
    ...(optionDetails?.some((line) => line !== "") ? { optionDetails: [...optionDetails] } : {}),
    ...(multiple ? { multiple } : {}),
    default: fallback,
  };
  const argumentsHash = questionHash(turn.hash, asked);
  const open = number <= inJournal ? questionOf(turn, call) : undefined;
  const isOpen = open?.number === number && questionHash(turn.hash, open) === argumentsHash;
  const known = isOpen || number < inJournal;
  const expiresAt =
    (isOpen ? open.expiresAt : undefined) ?? new Date(turn.now() + turn.limits.approvalMs).toISOString();
  if (!known) turn.log.emit({ type: "question_required", toolCallId, ...asked, expiresAt });
  const place = known ? number : (questionOf(turn, call)?.number ?? number);
  setWaiting(true);
  timeLimit.pause();
  try {
    await turn.log.flush();
    const key = { toolCallId: questionKey(toolCallId, place), argumentsHash };
    // The call runs again, and its earlier question was answered or has expired.
    const deadline = number < inJournal ? turn.now() : Date.parse(expiresAt);
    const given = await turn.awaitDecision(key, deadline, turn.signal);
    const answer = given && answerIn(given.note);
    if (isOpen ? open.answer === undefined : !known) {
      const by = given ? { by: turn.caller } : {};
      // The default is for a deadline that passed, not for a question that was stopped.
      const assumed = turn.signal.aborted ? undefined : fallback;
      turn.log.emit({ type: "question_answered", toolCallId, answer: answer ?? assumed ?? "", ...by });
    }
    if (answer !== undefined) ownWords.push(...wordsIn(answer, options));
    return answer;
  } finally {
    timeLimit.resume();
    setWaiting(false);
  }
}

/** People's own tools may pass the options alone. */
function isList(given: readonly string[] | QuestionOptions | undefined): given is readonly string[] {
  return Array.isArray(given);
}

function questionOf(turn: Turn, call: ToolCallPart) {
  const question = findCall(turn.log.state(), call.id)?.question;
  return question && { number: 1, ...question };
}

function answerIn(note: string | undefined): Answer | undefined {
  const value: unknown = JSON.parse(note ?? "null");
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map(String) : undefined;
}

function wordsIn(answer: Answer, options: readonly string[] = []): string[] {
  return [answer].flat().filter((text) => !options.includes(text));
}
