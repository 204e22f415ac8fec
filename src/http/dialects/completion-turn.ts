import type { JsonObject } from "../../protocol/json.ts";
import type { ImagePart, Message } from "../../protocol/messages.ts";
import { COMPLETIONS } from "../../protocol/native-request.ts";
import type { TurnRequest } from "../../protocol/turns.ts";

/** A text to complete. */
export interface TextToComplete {
  prompt: string;
  /** What follows the missing text. */
  suffix?: string | undefined;
  system?: string | undefined;
  images?: ImagePart[];
  /** The vendor must not put the prompt into its template. */
  raw?: boolean;
}

const FILL =
  "You fill in the missing part of a text or a program. Write only what belongs between the prefix and the suffix, " +
  "exactly as it must be there: no explanation, no quotation marks, no code fence, nothing that is already in either of them.";

/**
 * Returns the turn that completes a text. Vendors that complete texts get it as it is. Others are asked in a chat: the prompt
 * is the message, and a gap is described in words.
 */
export function toCompletionTurn(text: TextToComplete): Pick<TurnRequest, "history" | "newest" | "settings"> {
  const { prompt, suffix, system, images = [], raw } = text;
  const fills = suffix !== undefined && suffix !== "";
  const said: Message = {
    id: "newest",
    role: "user",
    parts: [{ type: "text", text: fills ? gapBetween(prompt, suffix) : prompt }, ...images],
  };
  const told = [...(system ? [system] : []), ...(fills ? [FILL] : [])].join("\n\n");
  const first: Message[] =
    told === "" ? [] : [{ id: "history_0", role: "system", parts: [{ type: "text", text: told }] }];
  const body: JsonObject = { prompt, ...(fills && { suffix }), ...(raw && { raw }) };
  const native = { dialect: COMPLETIONS, headers: {}, body, messages: first.length + 1 };
  // A system prompt and images have no place in a completion.
  const isPlain = told === "" || (fills && !system);
  return {
    history: [...first, said],
    newest: said,
    settings: isPlain && images.length === 0 ? { native } : {},
  };
}

function gapBetween(prefix: string, suffix: string): string {
  return `<prefix>\n${prefix}\n</prefix>\n<suffix>\n${suffix}\n</suffix>`;
}
