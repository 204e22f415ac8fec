import type { Summary } from "../protocol/context.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import type { Message } from "../protocol/messages.ts";
import { addUsage, type Usage } from "../protocol/model.ts";
import type { Cut } from "./context.ts";
import {
  askForSummary,
  instructionForSummary,
  notesFrom,
  renderSummary,
  replacedBy,
  type Summarize,
} from "./summary.ts";
import { factsOf } from "./summary-facts.ts";

export interface CompactOptions {
  history: readonly Message[];
  cut: Cut;
  earlier: Summary | undefined;
  window: number;
  /** What the person wants kept above all. */
  focus?: string | undefined;
  signal: AbortSignal;
  /** What the first layer finds in a text. */
  labels(text: string): Promise<string[]> | string[];
  summarize?: Summarize;
  /** Asks the chat model right after what it was sent last, which its vendor has in the cache. Tried first. */
  askChatModel?: AskChatModel | undefined;
}

/** Asks with one more message after a conversation. The text is empty if the model did not answer with text alone. */
export type AskChatModel = (
  instruction: string,
  signal: AbortSignal,
) => Promise<{ text: string; usage: Usage; model?: string }>;

export interface Compacted {
  summary: Summary;
  /** How many messages it newly replaces. */
  replaced: number;
  /** True if a model wrote it. */
  written: boolean;
  usage?: Usage;
  /** `provider/model` that was asked last. */
  model?: string;
  /** Why no model wrote it, if one was asked. */
  failure?: Failure;
}

/** How long a model may take to write a summary. */
const SUMMARY_MS = 120_000;
/** How much of the window the transcript may take, at first and if that was too much. */
const SHARES = [0.5, 0.15, 0.04];
const MOST_TRANSCRIPT = 60_000;

/**
 * Makes the summary that stands for the messages before a cut. Without a model, or if it fails, the summary has only what
 * can be collected: the person's words, files, the todo list and artifacts. Never throws.
 */
export async function compact(options: CompactOptions): Promise<Compacted> {
  const { history, cut, earlier, window } = options;
  const replaced = replacedBy(history, cut, earlier);
  const facts = await factsOf(replaced, cut, earlier, window);
  const written = await askModel(options, replaced);
  const notes = written.text || (earlier?.notes ?? "");
  if ((await options.labels(notes)).length > 0)
    facts.taint = { ...facts.taint, suspicious: [...new Set([...facts.taint.suspicious, "summary"])] };
  return {
    summary: { ...facts, text: renderSummary(facts, notes), notes },
    replaced: replaced.length,
    written: written.text !== "",
    failure: written.failure,
    usage: written.usage,
    model: written.model,
  };
}

interface Written {
  text: string;
  usage?: Usage;
  model?: string | undefined;
  failure?: Failure;
}

async function askModel(options: CompactOptions, replaced: readonly Message[]): Promise<Written> {
  const { earlier, window, focus, summarize, askChatModel, signal } = options;
  if (!summarize) return { text: "" };
  const until = AbortSignal.any([signal, AbortSignal.timeout(SUMMARY_MS)]);
  const questions = SHARES.map((share) => () => {
    const room = Math.min(MOST_TRANSCRIPT, window * share);
    return summarize(askForSummary(replaced, earlier, { focus, room, window }), until);
  });
  const usage: Usage = { inputTokens: 0, outputTokens: 0 };
  const written: Written = { text: "", usage };
  /** Returns why there is no summary. */
  const ask = async (question: (typeof questions)[number]): Promise<Failure | undefined> => {
    try {
      const answer = await question();
      addUsage(usage, answer.usage);
      written.model = answer.model;
      written.text = notesFrom(answer.text, window);
      if (written.text !== "") return undefined;
      return new Failure(
        "UPSTREAM_ERROR",
        "The model wrote no summary. Try again, or set TACKLE_COMPACT_MODEL.",
      );
    } catch (thrown) {
      return toFailure(thrown);
    }
  };
  const askChat = askChatModel && (() => askChatModel(instructionForSummary(focus, window), until));
  let failure = askChat && (await ask(askChat));
  if (!askChat || failure)
    for (const question of questions) {
      if (until.aborted) break;
      failure = await ask(question);
      // The next question is shorter. Any other failure would only repeat itself.
      if (failure?.code !== "CONTEXT_TOO_LARGE") break;
    }
  return { ...written, ...(failure && { failure }) };
}
