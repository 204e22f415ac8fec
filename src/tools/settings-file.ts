import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";

const POLL_MS = 1_000;

export interface SettingsFileOptions {
  /** The file; it may not exist yet. */
  file: string;
  /** The text to use while there is no file. */
  missing: string;
  apply(text: string): Promise<void>;
  onError(message: string): void;
}

export interface SettingsFile {
  /** Applies the file again, after any application under way. Never throws. */
  reload(): Promise<void>;
  /** Stops watching, and waits for an application under way. */
  close(): Promise<void>;
}

/** Applies a settings file once before this resolves, and again after every change. */
export async function watchSettingsFile(options: SettingsFileOptions): Promise<SettingsFile> {
  const { file, missing, apply, onError } = options;
  let closed = false;
  let work = Promise.resolve();

  async function applyFile(): Promise<void> {
    if (closed) return;
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return missing;
      throw error;
    });
    await apply(text);
  }

  function reload(): Promise<void> {
    work = work
      .then(applyFile)
      .catch((error: unknown) => onError(error instanceof Error ? error.message : String(error)));
    return work;
  }

  const onChange = () => void reload();
  watchFile(file, { interval: POLL_MS, persistent: false }, onChange);
  await reload();
  return {
    reload,
    async close() {
      closed = true;
      unwatchFile(file, onChange);
      await work;
    },
  };
}
