import { Marked, type MarkedOptions, type Tokens } from "marked";

/** A formula: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` on lines of their own. */
export interface MathToken extends Tokens.Generic {
  type: "math";
  tex: string;
  display: boolean;
}

const BLOCK = /^(?:\$\$([^$]+?)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n+|$)/;
const BLOCK_START = /(?:^|\n)(?:\$\$|\\\[)/;
/** Dollar amounts are not formulas: no space inside the marks, no digit after them. */
const INLINE = /^(?:\$\$([^$\n]+?)\$\$|\\\(([^\n]+?)\\\)|\$(?!\s)((?:\\.|[^\\$\n])*[^\\$\s])\$(?![\d$]))/;

function tokenOf(match: RegExpExecArray | null, display: boolean): MathToken | undefined {
  if (!match) return undefined;
  const [raw, ...texts] = match;
  const tex = texts.find((text) => text !== undefined)?.trim() ?? "";
  return tex === "" ? undefined : { type: "math", raw, tex, display };
}

/** Options for parsing answers: GitHub's Markdown, with formulas. */
export const MARKDOWN_OPTIONS: MarkedOptions = new Marked({
  gfm: true,
  extensions: [
    {
      name: "math",
      level: "block",
      start: (source) => {
        const found = BLOCK_START.exec(source);
        return found ? found.index : undefined;
      },
      tokenizer: (source) => tokenOf(BLOCK.exec(source), true),
    },
    {
      name: "mathInline",
      level: "inline",
      start: (source) => {
        const at = source.search(/\$|\\\(/);
        return at === -1 ? undefined : at;
      },
      tokenizer: (source) => tokenOf(INLINE.exec(source), source.startsWith("$$")),
    },
  ],
}).defaults;
