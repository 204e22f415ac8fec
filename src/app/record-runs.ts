import { closeSync, openSync, writeSync } from "node:fs";
import { isSecretField, redactSecrets } from "../guard/redact/redact.ts";
import { createRecorder, type Recorder } from "../observe/recordings/record.ts";
import { Failure } from "../protocol/failure.ts";
import { withoutSecrets } from "../protocol/hidden.ts";
import { secretsIn } from "./secret-settings.ts";

export interface RecordOptions {
  file: string;
  /** Replaces an existing file. */
  force?: boolean;
  /** The program and its version, for the header. */
  program: string;
  /** The values of secret settings are removed everywhere. */
  settings: Readonly<Record<string, string | undefined>>;
  /** Called once if the rest cannot be written. Must not throw. */
  onProblem(sentence: string): void;
}

/** Opens a file to record the runs of this process in. Throws INVALID_INPUT if it cannot be opened. */
export function recordTo(options: RecordOptions): { recorder: Recorder; close(): void } {
  const { file, program, settings } = options;
  const handle = openFile(file, options.force ?? false);
  const known = knownIn(settings);
  let closed = false;
  const recorder = createRecorder({
    write: (text) => {
      if (closed) return; // The recording ends here, even if a run continues.
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
    },
    program,
    secrets: {
      isSecretField,
      redactText: (text) => redactSecrets(withoutSecrets(text, known)),
    },
    onProblem: (thrown) =>
      options.onProblem(`${file} ends here because it can no longer be written: ${wordsOf(thrown)}.`),
  });
  return {
    recorder,
    close() {
      if (!closed) closeSync(handle);
      closed = true;
    },
  };
}

/** The values of secret settings, longest first. */
function knownIn(settings: RecordOptions["settings"]): string[] {
  return [...new Set(secretsIn(settings))].sort((left, right) => right.length - left.length);
}

/** Opens a file to record to. Throws INVALID_INPUT if it cannot be opened. */
export function openFile(file: string, force: boolean): number {
  try {
    return openSync(file, force ? "w" : "wx", 0o600);
  } catch (thrown) {
    const exists = thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST";
    const why = exists ? "it already exists. Use --force to replace it" : wordsOf(thrown);
    throw new Failure("INVALID_INPUT", `${file} cannot be recorded to: ${why}.`, { cause: thrown });
  }
}

/** Why a file cannot be written, as the end of a sentence. */
export function wordsOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  const words: Record<string, string> = {
    ENOENT: "there is no such folder",
    EISDIR: "it is a folder",
    EACCES: "that is not permitted",
    EROFS: "the disk can only be read",
    ENOSPC: "the disk is full",
  };
  return words[code] ?? (code || "unknown reason");
}
