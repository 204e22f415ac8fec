import { Parser } from "htmlparser2";
import { readFlow } from "./office-flow.ts";
import { filledRows, readSheets } from "./office-sheets.ts";
import { openZip, type Zip } from "./zip.ts";

/** How much is unpacked of one document, and how much text is read. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_CHARACTERS = 2_000_000;

/** Reads the text of a Word, Excel, PowerPoint or OpenDocument file. Throws if it is damaged or too large. */
export function readOffice(bytes: Uint8Array, mimeType: string): { text: string; notes: string[] } {
  const zip = openZip(bytes, MOST_BYTES);
  const text = textOf(zip, mimeType).trim();
  if (text.length <= MOST_CHARACTERS) return { text, notes: [] };
  return { text: text.slice(0, MOST_CHARACTERS), notes: ["Only the beginning of the document was read."] };
}

/** Counts the rows of all sheets of a workbook that hold anything. */
export function countRows(bytes: Uint8Array): number {
  const zip = openZip(bytes, MOST_BYTES);
  const sheets = zip.names.filter((name) => /^xl\/worksheets\/[^/]+\.xml$/.test(name));
  return sheets.reduce((sum, name) => sum + filledRows(partOf(zip, name), parseXml), 0);
}

function textOf(zip: Zip, mimeType: string): string {
  if (mimeType.includes("spreadsheetml")) return readSheets((name) => partOf(zip, name), parseXml);
  if (mimeType.includes("presentationml")) {
    const numbers = zip.names
      .flatMap((name) => /^ppt\/slides\/slide(\d+)\.xml$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((left, right) => left - right);
    const slides = numbers.map((number) => readFlow(partOf(zip, `ppt/slides/slide${number}.xml`), parseXml));
    return slides.map((text, at) => `[Slide ${at + 1}]\n\n${text}`).join("\n\n");
  }
  return readFlow(
    partOf(zip, mimeType.includes("opendocument") ? "content.xml" : "word/document.xml"),
    parseXml,
  );
}

function partOf(zip: Zip, name: string): string {
  const bytes = zip.read(name);
  if (!bytes) throw new Error(`the document has no ${name}`);
  return bytes.toString("utf8");
}

/** What is told about XML as it is read. */
export interface XmlHandler {
  open(name: string, attributes: Record<string, string>): void;
  text(text: string): void;
  close(name: string): void;
}

export type ParseXml = (xml: string, handler: XmlHandler) => void;

/** Reads XML piece by piece. Entities that a document declares are not expanded, and nothing is loaded. */
function parseXml(xml: string, { open, text, close }: XmlHandler): void {
  const parser = new Parser(
    { onopentag: open, ontext: text, onclosetag: close },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}
