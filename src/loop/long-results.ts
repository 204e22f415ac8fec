import { type Omitted, type Shortened, type ShownShare, shorten } from "../protocol/long-text.ts";
import type { ToolCallPart } from "../protocol/messages.ts";
import type { Tool } from "../protocol/tool.ts";
import { resultTokens, tokensIn } from "./estimate.ts";
import type { Turn } from "./turn.ts";

/** The tool that reads what was left out. */
export const READ_RESULT = "read_result";

const SHOWN: ShownShare = { characters: 30_000, head: 0.5 };
/** If the rest cannot be read, more is shown. */
const SHOWN_FINALLY: ShownShare = { characters: 100_000, head: 0.5 };

/** Shortens an output that is too long for the model, and keeps the whole if the model can read on in it. */
export async function keepAndShorten(
  turn: Turn,
  call: ToolCallPart,
  text: string,
  tool: Tool | undefined,
): Promise<Shortened | undefined> {
  if (!turn.tools.some(({ name }) => name === READ_RESULT)) return shortenFinally(text, tool);
  const shown = withinWindow(turn, text, tool?.shown ?? SHOWN);
  const shortened = shorten(text, shown, (omitted) => noteOf(omitted, call.id));
  if (!shortened || (await turn.keepResult(call.id, shortened.whole))) return shortened;
  return shorten(text, shown, (omitted) => noteOf(omitted));
}

/** One result takes only a small share of the model's window. */
function withinWindow({ context, model }: Turn, text: string, shown: ShownShare): ShownShare {
  if (!context) return shown;
  const most = resultTokens(context.memory.window(model.info.contextWindow));
  const characters = Math.floor((text.length * most) / Math.max(1, tokensIn(text)));
  return { ...shown, characters: Math.min(shown.characters, characters) };
}

/** Shortens an output whose rest cannot be read later. */
export function shortenFinally(text: string, tool: Tool | undefined): Shortened | undefined {
  return shorten(text, tool?.shown ?? SHOWN_FINALLY, (omitted) => noteOf(omitted));
}

function noteOf({ bytes, lines, line }: Omitted, toolCallId?: string): string {
  const size = `${bytes} bytes, ${lines} ${lines === 1 ? "line" : "lines"} omitted`;
  const how =
    toolCallId === undefined ? "" : `; read_result {toolCallId: ${toolCallId}, offset: ${line}} has them`;
  return `[… ${size}${how} …]`;
}
