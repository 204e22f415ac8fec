import type { Summary } from "../protocol/context.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import type { Message } from "../protocol/messages.ts";
import { addUsage, type Usage } from "../protocol/model.ts";
import type { Cut } from "./context.ts";
import { askForSummary, isUsable, renderSummary, replacedBy, type Summarize } from "./summary.ts";
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
  labels(text: string): string[];
  summarize?: Summarize;
}

export interface Compacted {
  summary: Summary;
  /** How many messages it newly replaces. */
  replaced: number;
  /** True if a model wrote it. */
  written: boolean;
  usage?: Usage;
  /** Why no model wrote it, if one was asked. */
  failure?: Failure;
}

/** A summary takes this much of a model's time at most. */
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
  const facts = factsOf(replaced, cut, earlier, window);
  const written = await askModel(options, replaced);
  const notes = written.text || (earlier?.notes ?? "");
  if (options.labels(notes).length > 0)
    facts.taint = { ...facts.taint, suspicious: [...new Set([...facts.taint.suspicious, "summary"])] };
  return {
    summary: { ...facts, text: renderSummary(facts, notes), notes },
    replaced: replaced.length,
    written: written.text !== "",
    ...(written.failure ? { failure: written.failure } : {}),
    ...(written.usage ? { usage: written.usage } : {}),
  };
}

async function askModel(
  { earlier, window, focus, summarize, signal }: CompactOptions,
  replaced: readonly Message[],
): Promise<{ text: string; usage?: Usage; failure?: Failure }> {
  if (!summarize) return { text: "" };
  const usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let failure: Failure | undefined;
  const until = AbortSignal.any([signal, AbortSignal.timeout(SUMMARY_MS)]);
  for (const share of SHARES) {
    const room = Math.min(MOST_TRANSCRIPT, window * share);
    try {
      const answer = await summarize(askForSummary(replaced, earlier, { focus, room, window }), until);
      addUsage(usage, answer.usage);
      const text = answer.text.trim();
      if (isUsable(text)) return { text, usage };
      failure = new Failure(
        "UPSTREAM_ERROR",
        "The model wrote no summary. Try again, or set TACKLE_COMPACT_MODEL.",
      );
      break;
    } catch (thrown) {
      failure = toFailure(thrown);
      // Its own question may be too long for the model. Any other failure would only repeat itself.
      if (failure.code !== "CONTEXT_TOO_LARGE" || until.aborted) break;
    }
  }
  return { text: "", usage, ...(failure ? { failure } : {}) };
}
