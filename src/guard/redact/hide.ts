import { mapTexts } from "../../protocol/content.ts";
import { hiddenMark } from "../../protocol/hidden.ts";
import { isObject, parseObject } from "../../protocol/json.ts";
import { inSlices, type Steps } from "../../protocol/slices.ts";
import type { ToolContext, ToolOutput, ToolProgress } from "../../protocol/tool.ts";
import { redactSecrets } from "./redact.ts";

const MAX_DEPTH = 12;
const MAX_VALUES = 10_000;
/** A longer text is checked in pieces of this size, so that other work can continue meanwhile. Hostile ones take 0.4 ms for 1,000 characters. */
const LONG_TEXT = 48_000;
const PIECE = 16_000;
/** Programs get the same texts that the output has. Those of this length are only checked once. */
const REPEATED_TEXT = 1_000;

/** Signatures of URLs that are meant to be shared for a while. Without them, the URLs do not open. */
const SIGNED =
  /(?<=\/artifacts\/[\w-]{1,80}\/(?:preview|view)\?version=\d{1,9}&)key=[\w-]{1,200}|(?<=[?&])(?:sig|signature|awsaccesskeyid|googleaccessid|policy|key-pair-id|x-(?:amz|goog)-(?:credential|signature|security-token))=[^&\s"'`<>#)\]}\\]{1,3000}/gi;
/** Private-use characters that replace a signature while the rest is redacted. */
const HELD = /\ue000(\d+)\ue001/g;

/** Removes secrets from a tool's output: the model does not need them and could be tricked into repeating them. */
export function hideSecrets(text: string): string {
  if (/[\ue000\ue001]/.test(text)) return redactSecrets(text, hiddenMark);
  const signatures: string[] = [];
  const held = text.replace(SIGNED, (signature) => `\ue000${signatures.push(signature) - 1}\ue001`);
  return redactSecrets(held, hiddenMark).replace(HELD, (_, at: string) => signatures[Number(at)] ?? "");
}

/**
 * Removes secrets from a tool's output and data, however long they are. Fields of the data that repeat an argument stay as they
 * are: the caller knows them, and code with a placeholder in it would not be the caller's code.
 */
export function hideSecretsInResult(result: ToolOutput, args?: unknown): Promise<ToolOutput> {
  return inSlices(resultSteps(result, new Set(isObject(args) ? Object.values(args) : [])));
}

function* resultSteps(result: ToolOutput, given: ReadonlySet<unknown>): Steps<ToolOutput> {
  const work: Work = { left: MAX_VALUES, known: new Map() };
  const { output, data, content } = result;
  const hidden: Partial<ToolOutput> = {};
  if (data !== undefined) hidden.data = yield* fieldSteps(data, given, work);
  if (content) {
    const texts = new Map<string, string>();
    for (const text of textsOf(content)) texts.set(text, yield* outputSteps(text, work));
    hidden.content = mapTexts(content, (text) => texts.get(text) ?? "");
  }
  return { ...result, output: yield* outputSteps(output, work), ...hidden };
}

function textsOf(content: Parameters<typeof mapTexts>[0]): string[] {
  const texts: string[] = [];
  mapTexts(content, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

function* fieldSteps(data: unknown, given: ReadonlySet<unknown>, work: Work): Steps<unknown> {
  if (!isObject(data)) return yield* insideSteps(data, 0, work);
  const hidden: [string, unknown][] = [];
  for (const [name, value] of Object.entries(data)) {
    const isGiven = typeof value === "string" && given.has(value);
    hidden.push([name, isGiven ? value : yield* insideSteps(value, 1, work)]);
  }
  return Object.fromEntries(hidden);
}

/** Removes secrets from a text, however long it is. */
export function hideInText(text: string): Promise<string> {
  return inSlices(text.length > PIECE ? pieceSteps(text) : textSteps(text, { left: 0, known: new Map() }));
}

interface Work {
  /** Values that may still be looked at. */
  left: number;
  /** Longer texts that were checked. */
  known: Map<string, string>;
}

function* textSteps(text: string, { known }: Work): Steps<string> {
  const before = known.get(text);
  if (before !== undefined) return before;
  yield;
  const hidden = text.length > LONG_TEXT ? yield* pieceSteps(text) : hideSecrets(text);
  if (text.length > REPEATED_TEXT) known.set(text, hidden);
  return hidden;
}

function* pieceSteps(text: string): Steps<string> {
  const stream = createHidingStream();
  let hidden = "";
  for (let from = 0; from < text.length; from += PIECE) {
    hidden += stream.push(text.slice(from, from + PIECE));
    yield;
  }
  return hidden + stream.end();
}

/** Removes secrets from an output. Those in a JSON object are also looked for as they were before it was encoded. */
function* outputSteps(text: string, work: Work): Steps<string> {
  const object = text.startsWith("{") ? parseObject(text) : undefined;
  const decoded = object && JSON.stringify(object) === text;
  const inner = decoded && (yield* insideSteps(object, 0, { ...work, left: MAX_VALUES }));
  return yield* textSteps(inner ? JSON.stringify(inner) : text, work);
}

/** Removes secrets from every text inside a plain value. Values beyond the limits are replaced by `[…]`. */
function* insideSteps(value: unknown, depth: number, work: Work): Steps<unknown> {
  if (typeof value === "string") return yield* textSteps(value, work);
  // JSON has no such numbers, and people's own tools return them.
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH || work.left-- <= 0) return "[…]";
  // Dates and bytes say themselves how they are written. Objects of other classes are written like plain ones.
  if (!Array.isArray(value) && ("toJSON" in value || ArrayBuffer.isView(value))) return value;
  const hidden: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value))
    hidden.push([key, yield* insideSteps(inner, depth + 1, work)]);
  return Array.isArray(value) ? hidden.map(([, inner]) => inner) : Object.fromEntries(hidden);
}

/** Text that arrives in pieces, such as the output of a command. */
export interface HidingStream {
  /** Returns what can be shown now. The rest waits for more text. */
  push(piece: string): string;
  /** Returns what was still waiting. */
  end(): string;
}

const LINE_END = /[\n\r](?=[^\n\r]*$)/;
const OPEN_KEY = /-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY[ A-Z0-9_-]{0,20}-----(?:[^-]|-(?!----END))*$/;
/** A longer line is shown before it ends, so that memory stays bounded. */
const MAX_LINE = 16_000;
const MAX_KEY = 24_000;
const CONTEXT_LINES = 4;
const MAX_CONTEXT = 4_000;

/** Hides secrets in a stream, wherever its pieces are cut: a line is shown once it has ended, a private key never. */
export function createHidingStream(): HidingStream {
  let waiting = "";
  /** The lines before, not redacted: a value may follow on the line below its name. */
  let context = "";

  function show(text: string): string {
    if (text === "") return "";
    const before = hideSecrets(context);
    const both = hideSecrets(context + text);
    const fits = both.startsWith(before);
    context = lastLines(context + text);
    // If this text changes how the lines before are redacted, it is part of a secret: nothing of it is shown.
    return fits ? both.slice(before.length) : `${hiddenMark("secret")}\n`;
  }

  return {
    push(piece) {
      waiting += piece;
      const open = OPEN_KEY.exec(waiting)?.index;
      const end = LINE_END.exec(waiting.slice(0, open))?.index;
      let ready = end === undefined ? 0 : end + 1;
      if (open !== undefined && waiting.length - open > MAX_KEY) ready = waiting.length;
      else if (open === undefined && waiting.length - ready > MAX_LINE) ready = wordEnd(waiting);
      const text = waiting.slice(0, ready);
      waiting = waiting.slice(ready);
      return show(text);
    },
    end() {
      const text = waiting;
      waiting = "";
      return show(text);
    },
  };
}

function lastLines(text: string): string {
  const lines = text.slice(-MAX_CONTEXT).split(/(?<=\n)/);
  return lines.slice(-CONTEXT_LINES).join("");
}

/** Returns the position after the last character that cannot be part of a secret. */
function wordEnd(text: string): number {
  const end = /[^\w+/=.~-](?=[\w+/=.~-]*$)/.exec(text)?.index;
  return end === undefined ? text.length : end + 1;
}

/** Hides secrets in the progress of a tool, with one stream per phase of output. */
export function hidingProgress(tell: ToolContext["progress"]) {
  const streams = new Map<string, { stream: HidingStream; last: ToolProgress }>();
  return {
    progress(progress: ToolProgress): void {
      const message = hideSecrets(progress.message);
      if (progress.chunk === undefined) {
        tell({ ...progress, message });
        return;
      }
      const phase = progress.phase ?? "";
      const stream = streams.get(phase)?.stream ?? createHidingStream();
      const last = { ...progress, message };
      streams.set(phase, { stream, last });
      const chunk = stream.push(progress.chunk);
      if (chunk !== "") tell({ ...last, chunk });
    },
    /** Shows what was still waiting for the end of its line. */
    end(): void {
      for (const { stream, last } of streams.values()) {
        const chunk = stream.end();
        if (chunk !== "") tell({ ...last, chunk });
      }
    },
  };
}
