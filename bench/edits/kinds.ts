import { type Block, type EditCase, mapChange, newLines, oldLines, type Random } from "./case.ts";
import { caseOf, isIndented, pickBlock, toFour, toTabs, typographic } from "./generate.ts";

type Maker = (sources: readonly string[], random: Random) => EditCase;

const same = (lines: string[]) => lines;
const trailing = (line: string) =>
  line.length % 3 === 0 ? `${line}  ` : line.length % 3 === 1 ? `${line}\t` : line;

/** How to make a case of each kind, and how many. */
export const KINDS: readonly (readonly [count: number, make: Maker])[] = [
  [20, (sources, random) => caseOf("exact", pickBlock(sources, random), {}, same)],
  [20, (sources, random) => caseOf("CRLF in the file", pickBlock(sources, random), { end: "\r\n" }, same)],
  [8, (sources, random) => carriageReturns(pickBlock(sources, random))],
  [20, (sources, random) => trailingInFile(pickBlock(sources, random))],
  [10, (sources, random) => trailingInEdit(pickBlock(sources, random))],
  [20, (sources, random) => shifted(pickBlock(sources, random, isIndented), random)],
  [
    20,
    (sources, random) =>
      caseOf(
        "tabs in the file, spaces in the edit",
        pickBlock(sources, random, isIndented),
        { file: toTabs },
        same,
      ),
  ],
  [10, (sources, random) => spacesForTabs(pickBlock(sources, random, isIndented))],
  [
    10,
    (sources, random) =>
      caseOf(
        "four spaces in the file, two in the edit",
        pickBlock(sources, random, isTwoLevels),
        { file: toFour },
        same,
      ),
  ],
  [
    16,
    (sources, random) =>
      typographicFile(
        pickBlock(sources, random, (lines) => lines.some((line) => typographic(line) !== line)),
      ),
  ],
  [20, (sources, random) => numbered(pickBlock(sources, random), random)],
  [10, (sources, random) => blankEdges(pickBlock(sources, random))],
  [8, (sources, random) => utf16(pickBlock(sources, random), random)],
  [20, (sources, random) => several(sources, random)],
  [8, (sources, random) => moved(pickBlock(sources, random))],
  [8, (sources, random) => everywhere(pickBlock(sources, random))],
  [10, (sources, random) => crlfAndMore(pickBlock(sources, random, isIndented))],
  [24, (sources, random) => nearMiss(pickBlock(sources, random), random)],
  [16, (sources, random) => duplicated(pickBlock(sources, random), random)],
  [6, (sources, random) => oneOfSeveralMissing(sources, random)],
];

/** At least two levels besides the outermost, so that the width of a level is known. */
function isTwoLevels(lines: string[]): boolean {
  return isIndented(lines) && new Set(lines.map((line) => /^ */.exec(line)?.[0].length)).size > 2;
}

function carriageReturns(block: Block): EditCase {
  const made = caseOf("CRLF in the edit", block, {}, same);
  const { oldText, newText } = made.args as { oldText: string; newText: string };
  return {
    ...made,
    args: { oldText: oldText.replaceAll("\n", "\r\n"), newText: newText.replaceAll("\n", "\r\n") },
  };
}

/** Lines that the edit does not touch keep their blanks; those that it writes have none. */
function trailingInFile({ before, change, after }: Block): EditCase {
  // What follows the last line that is searched for is not a part of it, and stays.
  const last = oldLines(change).at(-1);
  const inFile = mapChange(
    change,
    (line) => (line === last ? line : trailing(line)),
    (line) => line,
  );
  const whole = (lines: string[]) => `${[...before, ...lines, ...after].join("\n")}\n`;
  return {
    kind: "trailing blanks in the file",
    before: whole(oldLines(inFile)),
    args: { oldText: oldLines(change).join("\n"), newText: newLines(change).join("\n") },
    expected: whole(newLines(inFile)),
  };
}

/** Blanks in lines that the edit only repeats do not get into the file. */
function trailingInEdit(block: Block): EditCase {
  const written = mapChange(block.change, trailing, (line) => line);
  const args = { oldText: oldLines(written).join("\n"), newText: newLines(written).join("\n") };
  return { ...caseOf("trailing blanks in the edit", block, {}, same), args };
}

function shifted(block: Block, random: Random): EditCase {
  const change = block.change;
  const known = [...oldLines(change), ...newLines(change)].filter((line) => line.trim() !== "");
  const least = Math.min(...known.map((line) => /^ */.exec(line)?.[0].length ?? 0));
  const more = random.pick([2, 4, 8]);
  const shift =
    least > 0 && random.below(2) === 0
      ? (line: string) => line.slice(least)
      : (line: string) => (line.trim() === "" ? line : " ".repeat(more) + line);
  return caseOf("indentation shifted", block, {}, (lines) => lines.map(shift));
}

function spacesForTabs(block: Block): EditCase {
  return caseOf("spaces in the file, tabs in the edit", block, {}, (lines) => lines.map(toTabs));
}

/** The file keeps its characters wherever the edit does not change them. */
function typographicFile({ before, change, after }: Block): EditCase {
  const inFile = change.map((one) => {
    if ("keep" in one) return { keep: typographic(one.keep) };
    if ("remove" in one) return { remove: typographic(one.remove) };
    if ("add" in one) return one;
    // Only one word of the line changes.
    return { from: typographic(one.from), to: typographic(one.to) };
  });
  const lines = [...before, ...oldLines(inFile), ...after];
  return {
    kind: "quotes, dashes and spaces",
    before: `${lines.join("\n")}\n`,
    args: { oldText: oldLines(change).join("\n"), newText: newLines(change).join("\n") },
    expected: `${[...before, ...newLines(inFile), ...after].join("\n")}\n`,
  };
}

function numbered(block: Block, random: Random): EditCase {
  const first = block.before.length + 1;
  const style = random.pick([
    (number: number) => `${number}\t`,
    (number: number) => `${String(number).padStart(6)}\u2192`,
  ]);
  const made = caseOf("line numbers", block, {}, (lines) =>
    lines.map((line, at) => style(first + at) + line),
  );
  if (random.below(2) === 0) return made;
  return { ...made, args: { ...made.args, newText: newLines(block.change).join("\n") } };
}

function blankEdges(block: Block): EditCase {
  const isTight = (line: string | undefined) => line !== undefined && line.trim() !== "";
  const tight = isTight(block.before.at(-1)) && isTight(block.after[0]);
  return caseOf("blank lines around", block, {}, (lines) => (tight ? ["", ...lines, "", ""] : [...lines]));
}

function utf16(block: Block, random: Random): EditCase {
  const made = caseOf("UTF-16 and byte order marks", block, { end: random.pick(["\n", "\r\n"]) }, same);
  const encoding = random.below(3);
  const encode = (text: EditCase["before"]) => {
    const marked = `\ufeff${String(text)}`;
    if (encoding === 0) return Buffer.from(marked);
    const bytes = Buffer.from(marked, "utf16le");
    return encoding === 1 ? bytes : bytes.swap16();
  };
  return { ...made, before: encode(made.before), expected: encode(made.expected) };
}

/** Renames that occur once, at some places of one file. */
function renames(
  sources: readonly string[],
  random: Random,
): { text: string; edits: { oldText: string; newText: string }[] } {
  for (;;) {
    const text = random.pick(sources);
    const unique = text
      .split("\n")
      .filter((line) => line.trim().length > 12 && text.split(line.trim()).length === 2);
    if (unique.length < 10) continue;
    const count = 2 + random.below(4);
    const lines = Array.from(
      { length: count },
      (_, at) => unique[Math.floor((unique.length / count) * at)] ?? "",
    );
    return { text, edits: lines.map((line) => ({ oldText: line, newText: `${line} // changed` })) };
  }
}

function several(sources: readonly string[], random: Random): EditCase {
  const { text, edits } = renames(sources, random);
  const expected = text
    .split("\n")
    .map((line) => edits.find(({ oldText }) => oldText === line)?.newText ?? line)
    .join("\n");
  // Models do not always give edits in the order of the file.
  return {
    kind: "several at once",
    before: text,
    args: { edits: random.below(2) ? edits : edits.toReversed() },
    expected,
  };
}

function oneOfSeveralMissing(sources: readonly string[], random: Random): EditCase {
  const { text, edits } = renames(sources, random);
  const missing = { oldText: "this line was never in the file();", newText: "x" };
  const at = random.below(edits.length + 1);
  return {
    kind: "refuse: one of several is missing",
    before: text,
    args: { edits: edits.toSpliced(at, 0, missing) },
    expected: undefined,
  };
}

function moved({ before, change, after }: Block): EditCase {
  const block = oldLines(change);
  const moved = [...before, ...after];
  const next = after[0] === undefined ? [] : [after[0]];
  const first = moved[0] ?? "";
  return {
    kind: "moved code",
    before: `${[...before, ...block, ...after].join("\n")}\n`,
    args: {
      edits: [
        {
          oldText: [...before.slice(-3), ...block, ...next].join("\n"),
          newText: [...before.slice(-3), ...next].join("\n"),
        },
        {
          oldText: `${moved.slice(0, 4).join("\n")}\n`,
          newText: `${[...block, ...moved.slice(0, 4)].join("\n")}\n`,
        },
      ],
    },
    expected: `${[...block, first, ...moved.slice(1)].join("\n")}\n`,
  };
}

function everywhere({ before, change, after }: Block): EditCase {
  const text = `${[...before, ...oldLines(change), ...after].join("\n")}\n`;
  const word = /[a-z]{5,}/.exec(oldLines(change).join(" "))?.[0] ?? "e";
  return {
    kind: "every occurrence",
    before: text,
    args: { oldText: word, newText: "renamed", replaceAll: true },
    expected: text.split(word).join("renamed"),
  };
}

function crlfAndMore(block: Block): EditCase {
  return caseOf("CRLF, tabs and line numbers together", block, { file: toTabs, end: "\r\n" }, (lines) =>
    lines.map((line, at) => `${block.before.length + 1 + at}\t${line}`),
  );
}

/** Text that is nearly, but not quite, in the file. */
function nearMiss(block: Block, random: Random): EditCase {
  const made = caseOf("refuse: near miss", block, {}, same);
  const lines = oldLines(block.change);
  const long = lines.findIndex((line) => line.trim().length > 8);
  const misses: (() => string[])[] = [
    () => lines.with(long, renamedLetter(lines[long] ?? "")),
    () => [...lines.slice(0, 1), "this.was.never.here();", ...lines.slice(1)],
    () => lines.toReversed(),
    () => lines.with(long, (lines[long] ?? "").replace(/(\w) ?(\W) ?/, "$1  $2  ")),
    () => lines.with(long, `${lines[long] ?? ""};;`),
    () => lines.with(long, (lines[long] ?? "").toUpperCase()),
  ];
  for (;;) {
    const miss = random.pick(misses)();
    const text = miss.join("\n");
    const squeeze = (value: string) =>
      value
        .split("\n")
        .map((line) => line.trim())
        .join("\n");
    if (squeeze(String(made.before)).includes(squeeze(text))) continue;
    return { ...made, args: { oldText: text, newText: "replaced();" }, expected: undefined };
  }
}

function renamedLetter(line: string): string {
  const at = line.search(/[a-y](?=[a-z])/);
  if (at < 0) return `${line}x`;
  return line.slice(0, at) + String.fromCharCode(line.charCodeAt(at) + 1) + line.slice(at + 1);
}

/** The block is there twice: exactly, with other indentation, or with other blanks. */
function duplicated(block: Block, random: Random): EditCase {
  const lines = oldLines(block.change);
  const [copy, kind] = random.pick([
    [(line: string) => line, "exact"] as const,
    [(line: string) => `      ${line}`, "indented"] as const,
    [(line: string) => `${line} `, "blanks"] as const,
  ]);
  const whole = [...block.before, ...lines.map(copy), "// between", ...lines.map(copy), ...block.after];
  const asked = kind === "exact" ? lines : lines.map((line) => line.trim());
  return {
    kind: "refuse: ambiguous",
    before: `${whole.join("\n")}\n`,
    args: { oldText: asked.join("\n"), newText: newLines(block.change).join("\n") },
    expected: undefined,
  };
}
