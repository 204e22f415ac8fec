import type { ParseXml } from "./office.ts";

const PARAGRAPH = /^(?:w:p|a:p|text:p|text:h)$/;
const TEXT = /^(?:w:t|a:t)$/;
const BREAK = /^(?:w:br|w:cr|a:br|text:line-break)$/;
const TAB = /^(?:w:tab|text:tab)$/;
const ROW = /^(?:w:tr|a:tr|table:table-row)$/;
const CELL = /^(?:w:tc|a:tc|table:table-cell)$/;
/** What is no part of the text: comments, deleted passages, the same drawing in an older form. */
const LEFT_OUT = /^(?:office:annotation|text:tracked-changes|mc:Fallback|w:del)$/;
const LONGEST_HEADING = 6;

/** Reads paragraphs, headings (as in Markdown) and tables of a Word or OpenDocument text, or of a slide. */
export function readFlow(xml: string, parse: ParseXml): string {
  const lines: string[] = [];
  let words = "";
  let level = 0;
  let cells: string[] | undefined;
  let [isText, outside, paragraphs] = [false, 0, 0];
  parse(xml, {
    open(name, attributes) {
      if (LEFT_OUT.test(name)) outside++;
      if (PARAGRAPH.test(name) && paragraphs++ === 0) {
        [words, level] = ["", name === "text:h" ? Number(attributes["text:outline-level"] ?? 1) : 0];
        isText = name.startsWith("text:");
      }
      if (name === "w:pStyle") level = headingLevel(attributes["w:val"] ?? "") || level;
      if (name === "w:outlineLvl") level = Number(attributes["w:val"] ?? 9) + 1;
      if (TEXT.test(name)) isText = true;
      if (BREAK.test(name)) words += "\n";
      if (TAB.test(name)) words += "\t";
      if (name === "text:s") words += " ";
      if (ROW.test(name)) cells = [];
      if (CELL.test(name)) cells?.push("");
    },
    text(text) {
      if (isText && outside === 0 && paragraphs > 0) words += text;
    },
    close(name) {
      if (LEFT_OUT.test(name)) outside--;
      if (TEXT.test(name)) isText = false;
      if (PARAGRAPH.test(name) && --paragraphs === 0) {
        isText = false;
        end();
      }
      if (ROW.test(name) && cells) {
        if (cells.some((cell) => cell !== "")) lines.push(cells.join(" | "));
        cells = undefined;
      }
    },
  });
  return lines.join("\n\n");

  function end(): void {
    const text = words.trim();
    if (text === "") return;
    const at = (cells?.length ?? 0) - 1;
    if (cells && at >= 0) cells[at] = `${cells[at] ?? ""} ${text.replace(/\s+/g, " ")}`.trim();
    else if (level > 0 && level <= LONGEST_HEADING)
      lines.push(`${"#".repeat(level)} ${text.replace(/\s+/g, " ")}`);
    else lines.push(text);
  }
}

/** Word names its styles in the language of its user. */
function headingLevel(style: string): number {
  if (/^(?:title|titel|titre|t\u00edtulo)$/i.test(style)) return 1;
  return Number(/^(?:heading|berschrift|titre|t\u00edtulo|ttulo)\s?([1-6])$/i.exec(style)?.[1] ?? 0);
}
