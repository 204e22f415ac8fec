import { type Dirent, watch } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename } from "node:path";

/** Some file systems report no changes, so the folder is also polled. */
const POLL_MS = 2_000;
/** Saving a file causes several events. One scan after them is enough. */
const SETTLE_MS = 50;
/** A file that fails may be half-written, so it is tried again before the problem is reported. */
const RETRY_PAUSES_MS = [150, 400];

/** What a folder holds, one thing in each file. */
export interface FolderKind<Made> {
  /** What one is called, for people: "user tool". */
  name: string;
  files(folder: string, entries: readonly Dirent[]): string[];
  /** Reads a file again whenever it is given a new version. Throws an error that says what is missing. */
  load(file: string, version: string): Promise<Made>;
}

export interface Loaded<Made> {
  made: Made;
  file: string;
}

interface LoadedFile<Made> {
  signature: string;
  /** The last version that was valid. */
  made: Made | undefined;
  /** Why the newest version cannot be used. */
  problem?: string;
}

/** A file of the folder: what it holds, or why it cannot be used. */
export interface WatchedFile<Made> {
  file: string;
  made?: Made;
  problem?: string;
}

export interface WatchedFolder<Made> {
  files(): WatchedFile<Made>[];
  /** Reads the folder now, and again what could not be used. */
  rescan(): Promise<void>;
  close(): void;
}

/**
 * Loads the files of a folder and watches it. `onMade` gets all of them, once before this resolves and then after each
 * change. For a broken file, the last version that worked stays in use and the problem is reported.
 *
 * Scripts run in this process, with all its rights: anyone who can write to the folder can do what the server can.
 */
export async function watchedFolder<Made>(
  directory: string | undefined,
  kind: FolderKind<Made>,
  onProblem: (line: string) => void,
  onMade: (made: Loaded<Made>[]) => void,
): Promise<WatchedFolder<Made>> {
  if (directory === undefined) {
    onMade([]);
    return { files: () => [], async rescan() {}, close() {} };
  }
  const folder = directory;
  const loaded = new Map<string, LoadedFile<Made>>();
  let closed = false;
  let version = 0;

  async function load(file: string, pauses: readonly number[]): Promise<boolean> {
    const previous = loaded.get(file);
    for (let attempt = 0; ; attempt++) {
      const signature = await signatureOf(file);
      if (signature === undefined || closed || signature === previous?.signature) return false;
      try {
        const made = await kind.load(file, `${process.pid}-${Date.now()}-${version++}`);
        if (signature !== (await signatureOf(file))) throw new Error("it is still being written");
        loaded.set(file, { signature, made });
        return true;
      } catch (error) {
        const pause = pauses[attempt];
        if (pause !== undefined) {
          await new Promise((resolve) => setTimeout(resolve, pause));
          continue;
        }
        loaded.set(file, { signature, made: previous?.made, problem: messageOf(error) });
        onProblem(problemOf(kind.name, file, error, previous?.made !== undefined));
        return false;
      }
    }
  }

  async function scan(pauses: readonly number[]): Promise<boolean> {
    const files = await readFolder(folder, kind);
    const results = await Promise.all(files.map((file) => load(file, pauses)));
    const gone = [...loaded.keys()].filter((file) => !files.includes(file));
    for (const file of gone) loaded.delete(file);
    return gone.length > 0 || results.includes(true);
  }

  function publish() {
    const sorted = [...loaded].sort(([left], [right]) => (left < right ? -1 : 1));
    onMade(sorted.flatMap(([file, { made }]) => (made === undefined ? [] : [{ file, made }])));
  }

  await scan([]);
  publish();

  // One scan at a time. A change meanwhile requests one more.
  let scanning: Promise<void> | undefined;
  let again = false;
  function scanAgain(): Promise<void> {
    again = true;
    scanning ??= scanWhileChanged().finally(() => {
      scanning = undefined;
    });
    return scanning;
  }

  async function scanWhileChanged(): Promise<void> {
    try {
      while (again && !closed) {
        again = false;
        const changed = await scan(RETRY_PAUSES_MS);
        if (changed && !closed) publish();
      }
    } catch (error) {
      onProblem(`The folder ${basename(folder)} cannot be read: ${messageOf(error)}.`);
    }
  }

  const notice = watchFolder(folder, () => void scanAgain());
  const poll = setInterval(() => {
    notice.start();
    void scanAgain();
  }, POLL_MS);
  poll.unref();
  return {
    files: () => [...loaded].map(([file, { made, problem }]) => ({ file, made, problem })),
    async rescan() {
      for (const [file, known] of loaded)
        if (known.problem !== undefined) loaded.set(file, { ...known, signature: "" });
      await scanAgain();
    },
    close() {
      closed = true;
      clearInterval(poll);
      notice.close();
    },
  };
}

/** Watches a folder as soon as it exists. Polling covers what this misses. */
function watchFolder(folder: string, onChange: () => void): { start(): void; close(): void } {
  let watcher: ReturnType<typeof watch> | undefined;
  let settle: NodeJS.Timeout | undefined;
  function stop() {
    watcher?.close();
    watcher = undefined;
  }
  function start() {
    if (watcher) return;
    try {
      watcher = watch(folder, { persistent: false }, () => {
        clearTimeout(settle);
        settle = setTimeout(onChange, SETTLE_MS);
      });
      watcher.on("error", stop);
    } catch {
      // No such folder yet, or no watches left. Polling still sees every change.
    }
  }
  start();
  return {
    start,
    close() {
      clearTimeout(settle);
      stop();
    },
  };
}

async function readFolder<Made>(folder: string, kind: FolderKind<Made>): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return kind.files(
      folder,
      entries.filter((entry) => !entry.isDirectory()),
    );
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function signatureOf(file: string): Promise<string | undefined> {
  try {
    const facts = await stat(file);
    return facts.isFile() ? `${facts.ino}:${facts.size}:${facts.mtimeMs}` : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function problemOf(kind: string, file: string, error: unknown, kept: boolean): string {
  const consequence = kept ? "The last version that worked stays in use." : "It is not loaded.";
  return `The ${kind} ${basename(file)} cannot be used: ${messageOf(error)}. ${consequence}`;
}

/** Returns the first line of what an error says, without its full stop. A syntax error continues with an excerpt of the file. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split("\n")[0] ?? "").replace(/\.$/, "").slice(0, 300);
}
