import { holds, type PageElement, type PageNode } from "./html-tree.ts";

const MAX_COLUMNS = 40;
/** Elements that a Markdown table cannot contain. A table with one of these is used for layout. */
const TOO_MUCH_FOR_A_CELL: ReadonlySet<string> = new Set(
  "table pre blockquote h1 h2 h3 h4 h5 h6 article section main".split(" "),
);

/** Converts the content of cells. */
export interface CellWriter {
  blocks(nodes: readonly PageNode[]): string[];
  line(nodes: readonly PageNode[]): string;
  skip(element: PageElement): boolean;
}

/** Converts a data table to a Markdown table, and a layout table to its contents. */
export function tableBlocks(table: PageElement, write: CellWriter): string[] {
  const rows = rowsOf(table).filter((row) => !write.skip(row));
  const cells = rows.map(cellsOf);
  const columns = cells.reduce((most, row) => Math.max(most, columnsOf(row)), 0);
  const isLayout = columns < 2 || columns > MAX_COLUMNS || cells.flat().some(isTooMuchForACell);
  if (isLayout) return cells.flatMap((row) => row.flatMap((cell) => write.blocks(cell.children)));
  const lines = cells
    .map((row) => row.flatMap((cell) => spread(write.line(cell.children), widthOf(cell))))
    .filter((row) => row.some((text) => text !== ""))
    .map((row) => `| ${Array.from({ length: columns }, (_, index) => row[index] ?? "").join(" | ")} |`);
  const [head, ...rest] = lines;
  if (head === undefined) return [];
  const caption = captionOf(table, write);
  const text = [head, `|${" --- |".repeat(columns)}`, ...rest].join("\n");
  return caption === "" ? [text] : [caption, text];
}

function rowsOf(table: PageElement): PageElement[] {
  return elementsOf(table).flatMap((child) => {
    if (child.name === "tr") return [child];
    return /^t(?:head|body|foot)$/.test(child.name) ? rowsOf(child) : [];
  });
}

function cellsOf(row: PageElement): PageElement[] {
  return elementsOf(row).filter((child) => child.name === "td" || child.name === "th");
}

function columnsOf(row: readonly PageElement[]): number {
  return row.reduce((sum, cell) => sum + widthOf(cell), 0);
}

function captionOf(table: PageElement, write: CellWriter): string {
  const caption = elementsOf(table).find((child) => child.name === "caption");
  return caption ? write.line(caption.children) : "";
}

function elementsOf(element: PageElement): PageElement[] {
  return element.children.filter((child) => typeof child !== "string");
}

function isTooMuchForACell(cell: PageElement): boolean {
  return cell.holdsBlock && holds(cell, TOO_MUCH_FOR_A_CELL);
}

function widthOf(cell: PageElement): number {
  const width = Number.parseInt(cell.attributes.colspan ?? "1", 10);
  return width >= 1 && width <= MAX_COLUMNS ? width : 1;
}

function spread(text: string, width: number): string[] {
  const cell = text.replaceAll("|", "\\|");
  return [cell, ...Array<string>(width - 1).fill("")];
}
