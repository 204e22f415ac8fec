import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Block,
  type EditCase,
  type LineChange,
  mapChange,
  newLines,
  oldLines,
  type Random,
} from "./case.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const FOLDERS = [
  "src/loop",
  "src/protocol",
  "src/http/routes",
  "src/web/chat",
  "src/terminal",
  "docs",
  "src/store/sqlite",
];
const MIN_LINES = 40;

/** The texts of files in this repository, in a fixed order. */
export function ownSources(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:tsx?|md|css)$/.test(entry.name))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8")),
  ).filter(
    (text) => text.split("\n").length >= MIN_LINES && !/\r| hidden\]/.test(text) && text.endsWith("\n"),
  );
}

/** Picks a block that occurs once, whatever the blanks and quotes, and changes some of its lines. */
export function pickBlock(
  sources: readonly string[],
  random: Random,
  suitable = (_lines: string[]) => true,
): Block {
  for (;;) {
    const lines = random.pick(sources).split("\n").slice(0, -1);
    const start = random.below(lines.length - 8);
    const block = lines.slice(start, start + 2 + random.below(6));
    if (
      block.filter((line) => line.trim().length > 8).length < 2 ||
      block[0]?.trim() === "" ||
      block.at(-1)?.trim() === ""
    )
      continue;
    if (occurrences(lines, block) !== 1 || !suitable(block)) continue;
    return {
      before: lines.slice(0, start),
      change: changeOf(block, random),
      after: lines.slice(start + block.length),
    };
  }
}

function occurrences(lines: readonly string[], block: readonly string[]): number {
  // It may also be a part of lines that are indented further.
  const inside = lines.join("\n").split(block.join("\n").trimStart()).length - 1;
  if (inside !== 1) return inside;
  const [first, ...rest] = block.map(bare);
  return lines.filter(
    (line, index) =>
      bare(line) === first && rest.every((one, at) => bare(lines[index + 1 + at] ?? "") === one),
  ).length;
}

/** A line without anything that a tolerant comparison may ignore. */
function bare(line: string): string {
  return line.replace(/[\s\u2018\u2019\u201c\u201d'"\u2010-\u2015-]/g, "");
}

function changeOf(block: readonly string[], random: Random): LineChange[] {
  const at = random.below(block.length);
  const style = random.below(4);
  return block.flatMap((line, index): LineChange[] => {
    if (index !== at) return [{ keep: line }];
    const indent = /^\s*/.exec(line)?.[0] ?? "";
    if (style === 0) return [{ from: line, to: renamed(line) }];
    if (style === 1) return [{ keep: line }, { add: `${indent}const added = compute("x");` }];
    if (style === 2 && block.length > 2) return [{ remove: line }];
    return [{ from: line, to: renamed(line) }, { add: `${indent}done(true);` }];
  });
}

/** Changes a word in the middle of a line, so that its start and end stay. */
function renamed(line: string): string {
  const word = /[A-Za-z]{4,}/.exec(line)?.[0];
  return word === undefined ? `${line}changed` : line.replace(word, `${word}Changed`);
}

interface Text {
  file?: (line: string) => string;
  end?: string;
}

/** Makes a case from a block. `file` rewrites the file's lines, `model` what the model writes. */
export function caseOf(
  kind: string,
  { before, change, after }: Block,
  { file = (line) => line, end = "\n" }: Text,
  model: (lines: string[]) => string[],
): EditCase {
  const inFile = mapChange(change, file, file);
  const whole = (lines: readonly string[]) =>
    [...before.map(file), ...lines, ...after.map(file)].map((line) => line + end).join("");
  return {
    kind,
    before: whole(oldLines(inFile)),
    args: { oldText: model(oldLines(change)).join("\n"), newText: model(newLines(change)).join("\n") },
    expected: whole(newLines(inFile)),
  };
}

/** Lines that begin with spaces, without tabs, and with more than one level. */
export function isIndented(lines: readonly string[]): boolean {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => /^ */.exec(line)?.[0].length ?? 0);
  return indents.every((indent) => indent % 2 === 0) && new Set(indents).size > 1;
}

export function toTabs(line: string): string {
  return line.replace(/^(?: {2})+/, (indent) => "\t".repeat(indent.length / 2));
}

export function toFour(line: string): string {
  return line.replace(/^(?: {2})+/, (indent) => indent + indent);
}

export function typographic(line: string): string {
  return line
    .replace(/(\w)'(\w)/g, "$1\u2019$2")
    .replace(/"([^"]*)"/g, "\u201c$1\u201d")
    .replace(/ - /g, " \u2013 ")
    .replace(/([a-z]) (=)/g, "$1\u00a0$2");
}
