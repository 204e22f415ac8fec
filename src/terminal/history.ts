import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { dirname } from "node:path";

/** What was typed at the prompt, in this start and those before. */
export interface PromptHistory {
  /** Newest first, as readline keeps it; the prompt changes it in place. */
  readonly entries: string[];
  /** Keeps a line for the starts to come. */
  add(line: string): void;
  /** Resolves once everything that was added is kept. */
  settled(): Promise<void>;
}

const MOST_ENTRIES = 500;
const LONGEST_ENTRY = 10_000;

/** A history that ends with the process. */
export function createHistory(): PromptHistory {
  return { entries: [], add: () => {}, settled: async () => {} };
}

/**
 * The history in a file for its owner's eyes alone; several terminals may add to it. Without a file that can be written
 * there is none, and nobody is bothered with that.
 */
export function openHistory(file: string, redact: (line: string) => Promise<string>): PromptHistory {
  const entries = read(file);
  let writing = Promise.resolve();
  async function append(line: string): Promise<void> {
    try {
      await appendFile(file, `${JSON.stringify(await redact(line))}\n`, { mode: 0o600 });
    } catch (thrown) {
      if (!(thrown instanceof Error && "code" in thrown)) throw thrown; // A disk that does not take it is no reason to stop.
    }
  }
  return {
    entries,
    add(line) {
      if (line.trim() === "" || line.length > LONGEST_ENTRY) return;
      writing = writing.then(() => append(line));
    },
    settled: () => writing,
  };
}

function read(file: string): string[] {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const newestFirst = [...new Set(lines.toReversed().flatMap(entryOf))].slice(0, MOST_ENTRIES);
    if (lines.length > 2 * MOST_ENTRIES) shorten(file, newestFirst);
    return newestFirst;
  } catch {
    return []; // None yet, or none that can be read.
  }
}

/** Half a line of a terminal that was killed is left out. */
function entryOf(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "string" && entry.length <= LONGEST_ENTRY ? [entry] : [];
  } catch {
    return [];
  }
}

function shorten(file: string, newestFirst: string[]): void {
  const lines = newestFirst.toReversed().map((entry) => `${JSON.stringify(entry)}\n`);
  writeFileSync(`${file}.new`, lines.join(""), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
