import { Failure } from "../../../protocol/failure.ts";
import type { ImagePart, TextPart } from "../../../protocol/messages.ts";
import { readUserContent } from "../openai/content.ts";

/** What a person said, from content as OpenAI writes it. Throws INVALID_INPUT in our own form. */
export function readWords(content: unknown, at: string): (TextPart | ImagePart)[] {
  try {
    return readUserContent(content, at);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    throw new Failure(thrown.code, thrown.publicMessage, { details: { field: at } });
  }
}

/** A value as a model is told it: text as it is, everything else as JSON. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch (cause) {
    throw new Failure("INVALID_INPUT", "The request is not valid: a value is nested too deeply.", { cause });
  }
}
