import type { Failure } from "../../protocol/failure.ts";
import { isObject } from "../../protocol/json.ts";
import { type Message, textMessage } from "../../protocol/messages.ts";
import type { Model } from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import type { Learned } from "./learned.ts";

type Stream = Model["stream"];

/** The vendor does not let the model continue writing its own message. */
const REFUSES_PREFILL = /prefill|(?:last|final|end\w*) [^.]{0,60}\b(?:user|model|assistant)\b/i;
/** What a remembered refusal is called. */
const PREFILL = "prefill";
/** How many characters the model is asked to begin with again, so that the pieces can be joined. */
const OVERLAP = 40;
const LONGEST_OVERLAP = 200;

/**
 * Lets a model be asked for the rest of an answer (`ModelRequest.continues`): by its own last message where it continues writing
 * that, otherwise in words.
 */
export function withContinuation(stream: Stream, context: DialectContext, known: Learned): Stream {
  return async (request, emit, signal) => {
    const { continues, responseFormat, ...rest } = request;
    if (continues === undefined) return stream(request, emit, signal);
    const said = { ...textMessage("said", "assistant", continues), model: context.modelId };
    const messages = [...request.messages, said];
    // What is trimmed off would be missing, and a format would make it start over.
    const prefills =
      context.quirks.prefill && !/\s$/.test(continues) && !responseFormat && !known.list().includes(PREFILL);
    let refused = false;
    if (prefills)
      await stream(
        { ...rest, messages },
        (event) => {
          refused ||= event.type === "failure" && refusesPrefill(event.failure);
          if (!refused) emit(event);
        },
        signal,
      );
    if (refused) known.add(PREFILL);
    if (!prefills || refused)
      await stream(
        { ...rest, messages: [...messages, continueMessage(continues, !!responseFormat)] },
        emit,
        signal,
      );
  };
}

function refusesPrefill({ details, cause }: Failure): boolean {
  const message = isObject(cause) ? String(cause.message) : "";
  return details?.upstreamStatus === 400 && REFUSES_PREFILL.test(message);
}

/** Returns the message that asks for the rest of an answer. It is made for each request and never stored. */
function continueMessage(said: string, isJson: boolean): Message {
  const end = lastWordsOf(said);
  const lines = [
    "The connection broke while you were writing, so your answer above ends in the middle. Go on with it exactly where it ends: no apology, no introduction, no summary of what is there already, the same language and form.",
    ...placeOf(said, isJson),
    `So that both pieces fit together, begin with the last words again, exactly as they are between these tags, and write on from there (or call a tool, if that is what comes next). If nothing is missing, write only those words.\n<last_words>${end}</last_words>`,
  ];
  return textMessage("continue", "user", lines.join("\n\n"));
}

function placeOf(said: string, isJson: boolean): string[] {
  if (isJson) return ["The answer is one JSON document. Write only the rest of it."];
  const fences = said.match(/^\s{0,3}(?:```|~~~)/gm)?.length ?? 0;
  if (fences % 2 === 1) return ["It ends inside a code block that is still open: do not open it again."];
  const line = said.slice(said.lastIndexOf("\n") + 1);
  return line.trimStart().startsWith("|") ? ["It ends inside a table: do not repeat the table's head."] : [];
}

/** Returns the end of a text from the start of a word, long enough to stand nowhere else in it. */
function lastWordsOf(said: string): string {
  const text = said.trimEnd();
  for (let length = OVERLAP; length < LONGEST_OVERLAP; length *= 2) {
    const end = wholeWords(text, length);
    if (text.indexOf(end) === text.length - end.length) return end;
  }
  return wholeWords(text, LONGEST_OVERLAP);
}

function wholeWords(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.slice(-length).replace(/^[\udc00-\udfff]/, "");
  return end.replace(/^\S*\s+(?=\S)/, "");
}
