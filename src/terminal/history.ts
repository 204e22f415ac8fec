import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parseJson } from "../protocol/json.ts";

/** What was typed at the prompt, now and in earlier sessions. */
export interface PromptHistory {
  /** Newest first. */
  readonly entries: string[];
  /** Adds a message, and saves it. */
  add(message: string): void;
  /** Resolves once every line is saved. */
  settled(): Promise<void>;
}

const MOST_ENTRIES = 500;
const LONGEST_ENTRY = 10_000;

/** A history in memory. */
export function createHistory(): PromptHistory {
  const entries: string[] = [];
  return { entries, add: (message) => putFirst(entries, message), settled: async () => {} };
}

/** A history in a file that only its owner can read. Several terminals can share it. If it cannot be written, it is skipped. */
export function openHistory(file: string, redact: (line: string) => Promise<string>): PromptHistory {
  const entries = read(file);
  let writing = Promise.resolve();
  async function append(line: string): Promise<void> {
    try {
      await appendFile(file, `${JSON.stringify(await redact(line))}\n`, { mode: 0o600 });
    } catch (thrown) {
      if (!(thrown instanceof Error && "code" in thrown)) throw thrown; // A disk error is no reason to stop.
    }
  }
  return {
    entries,
    add(line) {
      putFirst(entries, line);
      if (line.trim() === "" || line.length > LONGEST_ENTRY) return;
      writing = writing.then(() => append(line));
    },
    settled: () => writing,
  };
}

function putFirst(entries: string[], message: string): void {
  const at = entries.indexOf(message);
  if (at !== -1) entries.splice(at, 1);
  if (message.trim() !== "") entries.unshift(message);
}

function read(file: string): string[] {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const newestFirst = [...new Set(lines.toReversed().flatMap(entryOf))].slice(0, MOST_ENTRIES);
    if (lines.length > 2 * MOST_ENTRIES) shorten(file, newestFirst);
    return newestFirst;
  } catch {
    return []; // There is none yet, or it cannot be read.
  }
}

/** Skips a line that a killed terminal left half-written. */
function entryOf(line: string): string[] {
  const entry = parseJson(line);
  return typeof entry === "string" && entry.length <= LONGEST_ENTRY ? [entry] : [];
}

function shorten(file: string, newestFirst: string[]): void {
  const lines = newestFirst.toReversed().map((entry) => `${JSON.stringify(entry)}\n`);
  writeFileSync(`${file}.new`, lines.join(""), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
