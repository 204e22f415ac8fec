import { getDocumentProxy, getMeta } from "unpdf";

const MAX_PAGES = 200;
const MAX_CHARACTERS = 2_000_000;

export interface PdfText {
  title?: string;
  byline?: string;
  text: string;
  notes: string[];
}

/** The text of a PDF, page after page. */
export async function readPdf(body: Uint8Array): Promise<PdfText> {
  const document = await getDocumentProxy(new Uint8Array(body));
  const notes: string[] = [];
  const pages: string[] = [];
  let characters = 0;
  for (let number = 1; number <= document.numPages; number++) {
    if (number > MAX_PAGES || characters > MAX_CHARACTERS) {
      notes.push(`Only the first ${number - 1} of its ${document.numPages} pages were read.`);
      break;
    }
    const content = await (await document.getPage(number)).getTextContent();
    const text = content.items
      .map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""))
      .join("");
    characters += text.length;
    pages.push(text.trim());
  }
  const { info } = await getMeta(document);
  const text = pages.map((page, index) => `[Page ${index + 1}]\n\n${page}`).join("\n\n");
  if (characters === 0) notes.push("The document holds no text; its pages may be pictures.");
  return { title: line(info.Title), byline: line(info.Author), text: characters === 0 ? "" : text, notes };
}

function line(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.replace(/\s+/g, " ").trim().slice(0, 300) : "";
  return text === "" ? undefined : text;
}
