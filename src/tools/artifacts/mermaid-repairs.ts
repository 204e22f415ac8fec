import { FIRST_WORD, KINDS, startsLikeDiagram } from "./mermaid-kinds.ts";

export interface DiagramRepair {
  message: string;
  /** Returns the changed text, or the same text where it does not apply. `line` is where the parser stopped. */
  repair(code: string, line: number): string;
}

/** A longer line is not repaired: some patterns begin again at each of its characters. */
const LONGEST_LINE = 500;

/** Applies a change to every line, or only to the line where the parser stopped and its neighbors. */
function perLine(change: (line: string) => string, near = false) {
  return (code: string, at: number) =>
    code
      .split("\n")
      .map((line, index) => {
        const isMeant = !near || Math.abs(index + 1 - at) <= 1;
        return isMeant && line.length <= LONGEST_LINE ? change(line) : line;
      })
      .join("\n");
}

const isFlowchart = (code: string) => /^(?:\s|%%[^\n]*\n)*(?:graph|flowchart)\b/.test(code);
const isSequence = (code: string) => /^(?:\s|%%[^\n]*\n)*sequenceDiagram\b/.test(code);

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Puts a node's label into quotes: `A[Start (here)]` → `A["Start (here)"]`. */
function quoteLabels(line: string): string {
  let result = "";
  let rest = line;
  for (let guard = 0; guard < 50 && rest !== ""; guard++) {
    const node = /([A-Za-z0-9_]+)(\(\(|\(\[|\[\[|\[\(|\{\{|\[|\{|\()/.exec(rest);
    if (!node) break;
    const open = node[2] ?? "";
    const close = [...open]
      .map((bracket) => CLOSING[bracket])
      .toReversed()
      .join("");
    const from = node.index + node[0].length;
    const arrow = rest.slice(from).search(/\s*(?:-->|---|-\.->|==>|--\s|:::|&\s|;?\s*$)/);
    const segment = arrow === -1 ? rest.slice(from) : rest.slice(from, from + arrow);
    const end = segment.lastIndexOf(close);
    if (end <= 0) {
      result += rest.slice(0, from);
      rest = rest.slice(from);
      continue;
    }
    const label = segment.slice(0, end).trim();
    const quoted = /^".*"$/.test(label)
      ? label
      : `"${label.replace(/^["']|["']$/g, "").replaceAll('"', "#quot;")}"`;
    result += rest.slice(0, from) + quoted + close;
    rest = rest.slice(from + end + close.length);
  }
  return result + rest;
}

/** In the order in which they are tried. */
export const MERMAID_REPAIRS: readonly DiagramRepair[] = [
  {
    message: "Words before the diagram were removed.",
    repair(code) {
      const lines = code.split("\n");
      const first = lines.findIndex((line) => startsLikeDiagram(line) && !/^\s*\w+[ :].*[.:]$/.test(line));
      return first > 0 ? lines.slice(first).join("\n") : code;
    },
  },
  {
    message: "The kind of diagram was misspelled.",
    repair(code) {
      const word = FIRST_WORD.exec(code)?.[1];
      if (word === undefined) return code;
      const plain = (text: string) =>
        text
          .toLowerCase()
          .replace(/[^a-z]/g, "")
          .replace(/(?:diagram|chart|graph)$/, "");
      const kind =
        KINDS.find((one) => plain(one) === plain(word) && one !== word) ??
        (/^flow(?:chart|graph|-chart)?$/i.test(word) ? "flowchart" : undefined);
      return kind === undefined || kind === word ? code : code.replace(word, kind);
    },
  },
  {
    message: "The diagram did not say of which kind it is.",
    repair(code) {
      if (startsLikeDiagram(code)) return code;
      if (/->>|-->>/.test(code)) return `sequenceDiagram\n${code}`;
      if (/-->|---|==>/.test(code)) return `flowchart TD\n${code}`;
      return code;
    },
  },
  {
    message: "The direction of the diagram was not one.",
    repair: (code) =>
      code.replace(
        /^([ \t]*(?:graph|flowchart))(?:[ \t-]+(\w+))?[ \t]*;?[ \t]*$/m,
        (line, kind: string, direction?: string) => {
          if (direction === undefined) return `${kind} TD`;
          const isKnown = /^(?:TB|TD|BT|RL|LR)$/i.test(direction);
          return isKnown ? `${kind} ${direction.toUpperCase()}` : line.replace(direction, "TD");
        },
      ),
  },
  {
    message: "Typographic signs became plain ones.",
    repair: perLine((line) =>
      line
        .replace(/[“”„]/g, '"')
        .replace(/[‘’]/g, "'")
        .replace(/\u00a0/g, " "),
    ),
  },
  {
    message: "Arrows are written as mermaid writes them.",
    repair(code) {
      if (!isFlowchart(code)) return code;
      return perLine((line) =>
        line
          .replace(/\s*(?:→|⟶|⇒|—>|–>|──>)\s*/g, " --> ")
          .replace(/(?<![-.=<])->(?!>)/g, "-->")
          .replace(/(?<![-=])=>/g, "==>"),
      )(code, 0);
    },
  },
  {
    message: "Arrows are written as mermaid writes them.",
    repair: (code) =>
      isSequence(code)
        ? code.replace(/\s*(?:→|—>)\s*/g, "->>").replace(/(?<![->])-->(?!>)(?=[^\n]*:)/g, "-->>")
        : code,
  },
  {
    message: "Comments begin with “%%” in mermaid.",
    repair: perLine((line) =>
      line.replace(/^(\s*)(?:\/\/|#(?!\w))/, "$1%%").replace(/\s+\/\/(?!\/)[^"\]]*$/, ""),
    ),
  },
  {
    message: "Labels with special signs are in quotes now.",
    repair: (code, line) => (isFlowchart(code) ? perLine(quoteLabels, true)(code, line) : code),
  },
  {
    message: "Labels with special signs are in quotes now.",
    repair: (code) => (isFlowchart(code) ? perLine(quoteLabels)(code, 0) : code),
  },
  {
    message: "Labels of arrows are in quotes now.",
    repair: perLine((line) =>
      line.replace(
        /\|([^|"]*[(){}[\]"@<>][^|"]*)\|/g,
        (_, label: string) => `|"${label.replaceAll('"', "#quot;")}"|`,
      ),
    ),
  },
  {
    message: "“end” is a reserved word in mermaid.",
    repair: (code) =>
      isFlowchart(code)
        ? perLine((line) =>
            /^\s*end\s*$/.test(line) ? line : line.replace(/\bend\b(?=\s*(?:[[({]|-->|---|$|;|&))/g, "End"),
          )(code, 0)
        : code,
  },
  {
    message: "A label of an arrow had one sign too few.",
    repair: perLine((line) =>
      line
        .replace(/--\s*([^->|"\n]+?)\s*->(?!>)/g, "-- $1 -->")
        .replace(/-->\s*\|([^|\n]+?)\s*(?=[A-Za-z]\w*\s*(?:[[({]|$))/g, "-->|$1| "),
    ),
  },
  {
    message: "Subgraphs that were never closed are closed now.",
    repair(code) {
      const opened = code.match(/^[ \t]*subgraph\b/gm)?.length ?? 0;
      const closed = code.match(/^[ \t]*end[ \t]*$/gm)?.length ?? 0;
      return opened > closed ? `${code.trimEnd()}\n${"end\n".repeat(opened - closed)}` : code;
    },
  },
  {
    message: "A subgraph's title is in quotes now.",
    repair: perLine((line) =>
      line.replace(
        /^(\s*subgraph\s+)([^"[\]\n]*[^\w\s"[\]\n][^"[\]\n]*)$/,
        (_, head: string, title: string) => `${head}"${title.trim()}"`,
      ),
    ),
  },
  {
    message: "Line breaks in labels are written as mermaid writes them.",
    repair: perLine((line) => line.replace(/<br\s*>/gi, "<br/>").replace(/\\n/g, "<br/>")),
  },
  {
    message: "Values of a pie have their names in quotes.",
    repair: (code) =>
      /^\s*pie\b/.test(code)
        ? perLine((line) => line.replace(/^(\s*)([^":\n]+?)\s*:\s*([\d.]+)\s*%?,?\s*$/, '$1"$2" : $3'))(
            code,
            0,
          )
        : code,
  },
  {
    message: "Semicolons and commas at the ends of lines were removed.",
    repair: perLine((line) => line.replace(/[;,]\s*$/, "")),
  },
  {
    message: "Blocks that were never closed are closed now.",
    repair(code) {
      const opened = code.match(/^[ \t]*(?:alt|opt|loop|par|critical|break|rect)\b/gm)?.length ?? 0;
      const closed = code.match(/^[ \t]*end[ \t]*$/gm)?.length ?? 0;
      return isSequence(code) && opened > closed
        ? `${code.trimEnd()}\n${"end\n".repeat(opened - closed)}`
        : code;
    },
  },
  {
    message: "Braces that were never closed are closed now.",
    repair(code) {
      const opened = code.split("{").length;
      const closed = code.split("}").length;
      return opened > closed ? `${code.trimEnd()}\n${"}\n".repeat(opened - closed)}` : code;
    },
  },
  {
    message: "Words after the diagram were removed.",
    repair: (code, line) =>
      line > 2
        ? code
            .split("\n")
            .slice(0, line - 1)
            .join("\n")
        : code,
  },
];
