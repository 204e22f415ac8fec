import { isOfficeType } from "../../../protocol/file-type.ts";
import { decodeText, kindByBody } from "./content-type.ts";
import type { PageMetadata } from "./metadata.ts";
import { fingerprint } from "./pieces.ts";
import { type Heading, headingsOf } from "./sections.ts";

/** A fetched page. */
export interface RawPage {
  url: string;
  contentType: string;
  body: Uint8Array;
}

/** A page as text. */
export interface Page extends Omit<PageMetadata, "base" | "refresh"> {
  kind: "html" | "pdf" | "text";
  text: string;
  headings: Heading[];
  /** Tells this text from others. */
  content: string;
  /** Sentences about what is missing. */
  notes: string[];
}

type ReadPage = Omit<Page, "headings" | "content">;

/** Converts a fetched page to text. Returns undefined for anything but HTML, PDF, Office documents and text. */
export async function readPage(raw: RawPage): Promise<Page | undefined> {
  const page = await readText(raw);
  return page && { ...page, headings: headingsOf(page.text), content: fingerprint(page.text) };
}

async function readText(raw: RawPage): Promise<ReadPage | undefined> {
  if (isOfficeType(raw.contentType)) {
    const { readOffice } = await import("./office.ts");
    const { text, notes } = readOffice(raw.body, raw.contentType);
    return { kind: "text", text: visible(text), notes };
  }
  const kind = kindByBody(raw.contentType, raw.body);
  if (kind === "html") {
    const { readHtml } = await import("./readable.ts");
    const {
      markdown,
      base: _base,
      refresh: _refresh,
      ...rest
    } = readHtml(decodeText(raw.contentType, raw.body), raw.url);
    return { kind, ...rest, text: visible(markdown) };
  }
  if (kind === "pdf") {
    const { readPdf } = await import("./pdf.ts");
    const { text, ...rest } = await readPdf(raw.body);
    return { kind, ...rest, text: visible(text) };
  }
  if (kind !== "text") return undefined;
  const text = visible(decodeText(raw.contentType, raw.body).replaceAll("\r\n", "\n"));
  return { kind, text, notes: text.trim() === "" ? ["The page is empty."] : [] };
}

/** Removes characters that only a model would see: control and tag characters, unpaired surrogates. */
function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b-\u001f\u007f\u{e0000}-\u{e007f}]/gu, "");
}
