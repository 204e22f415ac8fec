/** Translates an indentation that the caller wrote into the one that the file has. Undefined where that would be a guess. */
export type IndentMap = (indent: string) => string | undefined;

type Pair = readonly [written: string, inFile: string];

/** Returns the blanks that a line begins with. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/**
 * Learns how the file is indented from lines that are equal but for their indentation. Undefined if the same written
 * indentation stands for different ones in the file.
 */
export function learnIndents(pairs: readonly Pair[]): IndentMap | undefined {
  const known = new Map<string, string>();
  for (const [written, inFile] of pairs) {
    if ((known.get(written) ?? inFile) !== inFile) return undefined;
    known.set(written, inFile);
  }
  const step = stepOf([...known]);
  return (indent) => {
    const exact = known.get(indent);
    if (exact !== undefined || step === undefined) return exact;
    const shorter = longest([...known.keys()].filter((key) => indent.startsWith(key)));
    if (shorter !== undefined) {
      const rest = step(indent.slice(shorter.length));
      return rest === undefined ? undefined : `${known.get(shorter)}${rest}`;
    }
    // Less than any known indentation: take away what the next deeper one has more.
    const deeper = [...known.keys()]
      .filter((key) => key.startsWith(indent))
      .sort((left, right) => left.length - right.length)[0];
    if (deeper === undefined) return undefined;
    const more = step(deeper.slice(indent.length));
    const inFile = known.get(deeper) ?? "";
    return more !== undefined && inFile.endsWith(more)
      ? inFile.slice(0, inFile.length - more.length)
      : undefined;
  };
}

/** Returns how additional indentation is written in the file. Undefined if the pairs do not agree on it. */
function stepOf(pairs: readonly Pair[]): IndentMap | undefined {
  const kinds = new Set(pairs.map(([, inFile]) => kindOf(inFile)).filter((kind) => kind !== ""));
  const writtenKinds = new Set(pairs.map(([written]) => kindOf(written)).filter((kind) => kind !== ""));
  const [kind = "", other] = kinds;
  const [writtenKind = kind, another] = writtenKinds;
  if (other !== undefined || another !== undefined || kind === "mixed" || writtenKind === "mixed")
    return undefined;
  const same = (rest: string) => (rest === "" || kind === "" || kindOf(rest) === kind ? rest : undefined);
  const deltas = new Set(pairs.map(([written, inFile]) => inFile.length - written.length));
  if (kind === writtenKind && deltas.size <= 1) return same;
  const width = widthOf(pairs);
  if (width === undefined) return undefined;
  return (rest) => {
    if (rest === "") return "";
    if (kindOf(rest) !== writtenKind) return undefined;
    const length = rest.length * width;
    return Number.isInteger(length) ? kind.repeat(length) : undefined;
  };
}

/** How many characters in the file stand for one that was written: 4 where a tab was written for four spaces. */
function widthOf(pairs: readonly Pair[]): number | undefined {
  const sorted = pairs.toSorted(([left], [right]) => left.length - right.length);
  const first = sorted[0];
  if (first === undefined) return undefined;
  // A single pair counts as starting from no indentation at all.
  const base: Pair = sorted.length > 1 ? first : ["", ""];
  const widths = new Set(
    sorted
      .filter(([written]) => written.length > base[0].length)
      .map(([written, inFile]) => (inFile.length - base[1].length) / (written.length - base[0].length)),
  );
  const [width] = widths;
  return widths.size === 1 && width !== undefined && width > 0 ? width : undefined;
}

function kindOf(indent: string): "" | " " | "\t" | "mixed" {
  if (indent === "") return "";
  if (/^ +$/.test(indent)) return " ";
  return /^\t+$/.test(indent) ? "\t" : "mixed";
}

function longest(texts: readonly string[]): string | undefined {
  return texts.toSorted((left, right) => right.length - left.length)[0];
}
