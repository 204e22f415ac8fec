import { lexer, type Token, type Tokens } from "marked";
import { markdownSegments } from "../protocol/markdown-segments.ts";
import { highlighter } from "./highlight.ts";
import { type Span, widthOf, wrap } from "./lines.ts";
import type { Paint } from "./style.ts";

/** Renders Markdown as lines for a terminal of that width. */
export function renderMarkdown(text: string, columns: number, paint: Paint): string[] {
  const tokens = markdownSegments(text).flatMap(({ text, plain }): Token[] =>
    plain ? [{ type: "text", raw: text, text }] : lexer(text),
  );
  return renderBlocks(tokens, { columns, paint });
}

/** Returns what renders the lines of a code block, one after another. */
export function codeRenderer(language: string, paint: Paint): (line: string) => string {
  const highlight = highlighter(language, paint);
  return (line) => (line.trim() === "" ? "" : `  ${highlight(line)}`);
}

interface Page {
  columns: number;
  paint: Paint;
}

function renderBlocks(tokens: Token[], page: Page): string[] {
  const blocks = tokens.map((token) => renderBlock(token, page)).filter((lines) => lines.length > 0);
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function renderBlock(token: Token, page: Page): string[] {
  const { columns, paint } = page;
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading": {
      const title = token as Tokens.Heading;
      const format = title.depth === 1 ? (["bold", "underline"] as const) : (["bold"] as const);
      return wrap(inline(title.tokens, [...format]), columns, paint);
    }
    case "code":
      return (token as Tokens.Code).text
        .split("\n")
        .map(codeRenderer((token as Tokens.Code).lang ?? "", paint));
    case "blockquote": {
      const quoted = renderBlocks((token as Tokens.Blockquote).tokens, { ...page, columns: columns - 2 });
      return quoted.map((line) => `${paint("dim", "│")} ${line}`);
    }
    case "list":
      return renderList(token as Tokens.List, page);
    case "table":
      return renderTable(token as Tokens.Table, page);
    case "hr":
      return [paint("dim", "─".repeat(Math.max(1, Math.min(columns, 40))))];
    default:
      return wrap(inline([token], []), columns, paint);
  }
}

function renderList(list: Tokens.List, page: Page): string[] {
  const first = typeof list.start === "number" ? list.start : 1;
  return list.items.flatMap((item, index) => {
    const box = item.checked ? "☑ " : "☐ ";
    const marker = list.ordered ? `${first + index}. ` : item.task ? box : "• ";
    const inside = { ...page, columns: page.columns - marker.length };
    const lines = item.tokens
      .filter((token) => token.type !== "checkbox")
      .flatMap((token, at) => {
        const block = renderBlock(token, inside);
        return at > 0 && token.type === "paragraph" ? ["", ...block] : block;
      });
    const hang = " ".repeat(marker.length);
    const [head = "", ...rest] = lines;
    return [page.paint("dim", marker) + head, ...rest.map((line) => (line === "" ? "" : hang + line))];
  });
}

function renderTable(table: Tokens.Table, { columns, paint }: Page): string[] {
  const rows = [table.header, ...table.rows].map((row) => row.map((cell) => plain(cell.tokens)));
  const [header = [], ...body] = rows;
  const widths = header.map((_, at) => rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? "")), 0));
  const total = widths.reduce((sum, width) => sum + width + 2, -2);
  if (total > columns) {
    return body.flatMap((row, index) => [
      ...(index > 0 ? [""] : []),
      ...row.flatMap((cell, at) =>
        wrap([{ text: `${header[at]}: `, format: "bold" }, { text: cell }], columns, paint),
      ),
    ]);
  }
  const draw = (row: string[]) =>
    row
      .map((cell, at) => cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell))))
      .join("  ")
      .trimEnd();
  return [paint("bold", draw(header)), paint("dim", "─".repeat(Math.max(1, total))), ...body.map(draw)];
}

type Formats = Extract<NonNullable<Span["format"]>, readonly unknown[]>;

function inline(tokens: Token[], formats: Formats): Span[] {
  return tokens.flatMap((token): Span[] => {
    switch (token.type) {
      case "strong":
        return inline(token.tokens ?? [], [...formats, "bold"]);
      case "em":
        return inline(token.tokens ?? [], [...formats, "italic"]);
      case "del":
        return inline(token.tokens ?? [], [...formats, "strikethrough"]);
      case "codespan":
        return [span(token.text, [...formats, "cyan"])];
      case "br":
        return [{ text: "\n" }];
      case "link": {
        const label = inline(token.tokens ?? [], [...formats, "underline"]);
        const shown = label.map(({ text }) => text).join("");
        return shown === token.href || `mailto:${shown}` === token.href
          ? label
          : [...label, span(` (${token.href})`, [...formats, "dim"])];
      }
      case "image":
        return [span(`[image: ${token.text || "untitled"}] (${token.href})`, [...formats, "dim"])];
      case "text":
      case "paragraph":
        if (token.tokens) return inline(token.tokens, formats);
        return [span((token.text as string).replaceAll("\n", " "), formats)];
      case "escape":
        return [span(token.text, formats)];
      default:
        return [span(token.raw, formats)];
    }
  });
}

function span(text: string, formats: Formats): Span {
  return formats.length === 0 ? { text } : { text, format: formats };
}

function plain(tokens: Token[]): string {
  return inline(tokens, [])
    .map(({ text }) => text)
    .join("")
    .replaceAll("\n", " ");
}
