import type { Spoken, SpokenCall } from "../openai/spoken.ts";

/** One answer as a client tells it back: all that one run said, and what became of its calls. */
export interface ToldAnswer {
  text: string;
  calls: SpokenCall[];
  results: Map<string, string>;
}

const UNANSWERED = "No result was given: the person went on with something else.";

/** An answer with nothing in it yet. */
export function emptyAnswer(): ToldAnswer {
  return { text: "", calls: [], results: new Map() };
}

/** The answer as entries of a conversation. Behind it a call without a result is as good as refused. */
export function toSpoken({ text, calls, results }: ToldAnswer, at: number, isLast: boolean): Spoken[] {
  const spoken: Spoken[] = [{ role: "assistant", text, calls, at }];
  for (const { id } of calls) {
    const output = results.get(id) ?? (isLast ? undefined : UNANSWERED);
    if (output !== undefined) spoken.push({ role: "tool", callId: id, output, at });
  }
  return spoken;
}
