import { readFile } from "node:fs/promises";
import { getDocumentProxy } from "unpdf";
import { countRows } from "./office.ts";

/** A file on disk whose pages or rows are to be counted. */
export interface CountTask {
  path: string;
  mimeType: string;
}

/** How long a document is, in what people count it in. */
export interface Counted {
  pageCount?: number;
  rowCount?: number;
}

/** Counts the pages of a PDF or the rows of a spreadsheet. Throws if the file is damaged. */
export async function countIn({ path, mimeType }: CountTask): Promise<Counted> {
  const bytes = new Uint8Array(await readFile(path));
  if (mimeType === "application/pdf") return { pageCount: (await getDocumentProxy(bytes)).numPages };
  return { rowCount: countRows(bytes) };
}
