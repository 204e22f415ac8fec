// A message is stored as its text, its parts and, if a run wrote it, the state of that run. The parts repeat the text, and the
// state repeats both. In the packed format of a row, a string of the JSON that is stored already is a reference: "@0" is the
// text, "@3" the third long string of the parts, and "@100+40" are 40 characters of the text as JSON has it. Unpacking gives
// back the same JSON, byte for byte.

/** The columns of a message that are packed together. */
export interface MessageColumns {
  text: string;
  parts: string;
  state: string | null;
  format: number;
}

/** Rows with this format are packed. */
export const PACKED_FORMAT = 2;

/** SQL for the columns of a message as `m`, from which `transcriptOf` gets the JSON of its state. */
export const TRANSCRIPT_COLUMNS = "m.text, m.parts, m.state, m.format";

/** Shorter strings cost less than what a reference to them saves. */
const SHORTEST = 32;
const LOOKS_LIKE_REFERENCE = /^@+\d+(?:\+\d+)?$/;
/** Quotes inside of a string follow a backslash, and keys are followed by a colon. */
const REFERENCES = /(?<!\\)"@(@*\d+(?:\+\d+)?)"(?!:)/g;

/** Packs what is written for a message. If nothing repeats, older versions can read the row too. */
export function packMessage({ text, parts, state }: Omit<MessageColumns, "format">): MessageColumns {
  const whole = isKept(text) ? escaped(text) : "";
  const packedParts = pack(parts, whole, numbered([whole]));
  const packedState = state && pack(state, whole, numbered([whole, ...longStrings(parts)]));
  const format = packedParts === parts && packedState === state ? 1 : PACKED_FORMAT;
  return { text, parts: packedParts, state: packedState, format };
}

/** Returns the row with the JSON as it was before it was packed. */
export function unpackMessage<Row extends MessageColumns>(row: Row): Row {
  if (row.format !== PACKED_FORMAT) return row;
  const whole = escaped(row.text);
  const parts = unpack(row.parts, whole, () => [whole]);
  const state = row.state && unpack(row.state, whole, () => [whole, ...longStrings(parts)]);
  return { ...row, parts, state };
}

/** `TRANSCRIPT_COLUMNS` of a message that may be missing. */
export type Transcript = { [Column in keyof MessageColumns]: MessageColumns[Column] | null };

/** Returns the JSON of a message's state exactly as it was written; nothing if there is no message or no state. */
export function transcriptOf({ text, parts, state, format }: Transcript): string {
  if (text === null || parts === null || state === null || format === null) return "";
  return unpackMessage({ text, parts, state, format }).state ?? "";
}

/** Databases change some characters of a text. JSON has them escaped. */
function isKept(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The first of equal strings counts. */
function numbered(strings: readonly string[]): Map<string, number> {
  return new Map(strings.map((string, number) => [string, number] as const).reverse());
}

function pack(json: string, text: string, numbers: ReadonlyMap<string, number>): string {
  let packed = "";
  let copied = 0;
  /** Where the next piece of the text is expected. */
  let next = 0;
  for (const [from, to] of stringsOf(json)) {
    const reference = referenceTo(json, from, to);
    if (reference === undefined) continue;
    packed += json.slice(copied, from) + reference;
    copied = to;
  }
  return copied === 0 ? json : packed + json.slice(copied);

  function referenceTo(json: string, from: number, to: number): string | undefined {
    const string = json.slice(from, to);
    if (string.length < SHORTEST) return LOOKS_LIKE_REFERENCE.test(string) ? `@${string}` : undefined;
    const number = numbers.get(string);
    if (number !== undefined) return `@${number}`;
    if (text.startsWith(string, next)) {
      next += string.length;
      return `@${next - string.length}+${string.length}`;
    }
    return LOOKS_LIKE_REFERENCE.test(string) ? `@${string}` : undefined;
  }
}

function unpack(json: string, text: string, strings: () => readonly string[]): string {
  let found: readonly string[] | undefined;
  return json.replace(REFERENCES, (whole, reference: string) => {
    if (reference.startsWith("@")) return `"${reference}"`;
    const [from = 0, length] = reference.split("+").map(Number);
    if (length !== undefined) return `"${text.slice(from, from + length)}"`;
    found ??= strings();
    const string = found[from];
    return string === undefined ? whole : `"${string}"`;
  });
}

/** Returns the strings of JSON text that are worth a reference, as they are there. */
function longStrings(json: string): string[] {
  const strings: string[] = [];
  for (const [from, to] of stringsOf(json)) if (to - from >= SHORTEST) strings.push(json.slice(from, to));
  return strings;
}

/** Yields where each string of JSON text begins and ends, without its quotes and without keys. */
function* stringsOf(json: string): Generator<[from: number, to: number]> {
  for (let open = json.indexOf('"'); open !== -1; ) {
    let close = json.indexOf('"', open + 1);
    while (isEscaped(json, close)) close = json.indexOf('"', close + 1);
    if (close === -1) return;
    if (json[close + 1] !== ":") yield [open + 1, close];
    open = json.indexOf('"', close + 1);
  }
}

function isEscaped(json: string, quote: number): boolean {
  let before = quote;
  while (json[before - 1] === "\\") before--;
  return (quote - before) % 2 === 1;
}
