import { createHash } from "node:crypto";
import { showPath } from "../../../contain/paths.ts";
import { inspect, openForRead } from "../../../contain/paths-open.ts";
import { Failure } from "../../../protocol/failure.ts";
import { HEAD_BYTES, sniffHead } from "../../../protocol/file-type.ts";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";
import { numberedLine } from "./diff.ts";
import { readImage } from "./image.ts";
import { list } from "./list.ts";
import { nearNames } from "./near-names.ts";
import type { Parameters } from "./parameters.ts";
import { MAX_KEPT_BYTES, rememberFile } from "./seen.ts";
import { encodingOf, notText } from "./text.ts";

const MAX_LINES = 2_000;
const MAX_CHARACTERS = 50_000;
const MAX_LINE_LENGTH = 2_000;
/** Lines beyond this are not counted. */
const MAX_SCANNED = 200_000_000;

/** Reads lines of a text file with their numbers, or an image. For a folder it lists what is in it. */
export async function read(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  const facts = await inspect(context.roots, args.path);
  if (facts === undefined) throw await missing(args.path, context);
  if (facts.type === "folder") {
    const { output, ...rest } = await list({ ...args, recursive: false, offset: undefined }, context);
    return { ...rest, output: `"${showPath(args.path)}" is a folder with:\n${output}` };
  }
  const file = await openForRead(context.roots, args.path);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.handle.read(head, 0, HEAD_BYTES, 0);
    const sample = head.subarray(0, bytesRead);
    const image = await readImage(args.path, sniffHead(sample), file, context);
    if (image) return image;
    const encoding = encodingOf(sample);
    if (encoding === undefined || sniffHead(sample) !== undefined)
      throw notText(args.path, file.size, sample);
    const lines = new LineCollector(args.offset ?? 1, Math.min(args.limit ?? MAX_LINES, MAX_LINES));
    const decoder = new TextDecoder(encoding.name, { fatal: true });
    const chunk = Buffer.alloc(65_536);
    const hash = createHash("sha256");
    const kept: Buffer[] | undefined = file.size <= MAX_KEPT_BYTES ? [] : undefined;
    let position = 0;
    while (position < MAX_SCANNED) {
      context.signal.throwIfAborted();
      const { bytesRead: length } = await file.handle.read(chunk, 0, chunk.length, position);
      if (length === 0) break;
      position += length;
      const bytes = chunk.subarray(0, length);
      hash.update(bytes);
      kept?.push(Buffer.from(bytes));
      lines.add(decodePart(decoder, bytes, true) ?? fail(args.path, file.size, sample));
    }
    const whole = position < MAX_SCANNED;
    lines.end(whole ? (decodePart(decoder, undefined, false) ?? fail(args.path, file.size, sample)) : "");
    if (whole) await rememberFile(context, args.path, hash.digest("hex"), kept && Buffer.concat(kept));
    return toOutput(args, lines, file.size, whole);
  } finally {
    await file.handle.close();
  }
}

function decodePart(
  decoder: TextDecoder,
  bytes: Uint8Array | undefined,
  stream: boolean,
): string | undefined {
  try {
    const text = decoder.decode(bytes, { stream });
    return text.includes("\0") ? undefined : text;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function fail(path: string, size: number, head: Uint8Array): never {
  throw notText(path, size, head);
}

function toOutput(args: Parameters, lines: LineCollector, size: number, whole: boolean): ToolOutput {
  const { first, last, total, shown, content } = lines;
  const count = whole ? `${total}` : `more than ${total}`;
  const more = last < total || !whole;
  const data = { path: args.path, content, size, firstLine: first, lastLine: last, totalLines: total, more };
  if (total === 0) return { output: `"${showPath(args.path)}" is empty.`, data };
  if (shown.length === 0) return { output: `There is no line ${first}: the file has ${count} lines.`, data };
  const range = `Lines ${first}–${last} of ${count}`;
  const notes = more
    ? [`[${range}. Go on with offset ${last + 1}.]`]
    : first > 1
      ? [`[${range}: the end of the file.]`]
      : [];
  return { output: [...shown, ...notes].join("\n"), data };
}

/** Collects a range of lines from a stream of text, within the limits, and counts all of them. */
class LineCollector {
  readonly first: number;
  /** The lines as the model sees them. */
  readonly shown: string[] = [];
  /** Number of all lines so far. */
  total = 0;
  readonly #wanted: number;
  readonly #lines: string[] = [];
  #characters = 0;
  #full = false;
  /** The line that has not ended yet, and how many characters of it were dropped. */
  #pending = "";
  #dropped = 0;

  constructor(first: number, wanted: number) {
    this.first = first;
    this.#wanted = wanted;
  }

  /** The number of the last line that is shown. */
  get last(): number {
    return this.first + this.shown.length - 1;
  }

  /** The lines as they are in the file, as far as they are shown. */
  get content(): string {
    return this.#lines.join("");
  }

  add(text: string): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#line(this.#pending + text.slice(start, end + 1));
      this.#pending = "";
      start = end + 1;
    }
    this.#pending += text.slice(start);
    // Of a very long line only the start is shown, so the rest is only counted.
    if (this.#pending.length <= 2 * MAX_LINE_LENGTH) return;
    this.#dropped += this.#pending.length - 2 * MAX_LINE_LENGTH;
    this.#pending = this.#pending.slice(0, 2 * MAX_LINE_LENGTH);
  }

  end(rest: string): void {
    this.add(rest);
    if (this.#pending !== "") this.#line(this.#pending);
    this.#pending = "";
  }

  #line(line: string): void {
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.total++;
    if (this.total < this.first || this.#full || this.shown.length === this.#wanted) return;
    const shown = numberedLine(this.total, line.replace(/\r?\n$/, ""), MAX_LINE_LENGTH, dropped);
    // One line is always shown, so that reading on gets further.
    if (this.#characters + shown.length > MAX_CHARACTERS && this.shown.length > 0) {
      this.#full = true;
      return;
    }
    this.#characters += shown.length + 1;
    this.shown.push(shown);
    this.#lines.push(line.length > MAX_LINE_LENGTH ? line.slice(0, MAX_LINE_LENGTH).toWellFormed() : line);
  }
}

/** The failure for a file that does not exist, with files that may be meant. */
async function missing(path: string, context: ToolContext): Promise<Failure> {
  const names = await nearNames(path, context);
  if (names.length === 0) return new Failure("NOT_FOUND", `There is no "${showPath(path)}".`);
  const shown = names.map((name) => `"${showPath(name)}"`).join(", ");
  return new Failure("NOT_FOUND", `There is no "${showPath(path)}". Did you mean ${shown}?`, {
    untrusted: true,
    origin: "workspace",
  });
}
