import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Chat } from "../protocol/chat.ts";
import type { Model, Provider } from "../protocol/model.ts";
import type { Tool } from "../protocol/tool.ts";
import { openLog } from "./builders/data.ts";
import { type Config, loadConfig } from "./config.ts";
import { type PolicyRules, parsePolicy } from "./policy-file.ts";
import { recordTo } from "./record-runs.ts";
import { createTackle as createApp, type OwnParts, type Tackle } from "./tackle.ts";

export interface TackleOptions {
  /** The data directory, for one process at a time. `:memory:` keeps nothing after `close()`. */
  dataDir: string;
  /** `provider/model`, or the program's own model, such as `fromLanguageModel(…)`. */
  model?: string | Model;
  tools?: readonly Tool[];
  providers?: readonly Provider[];
  /** Folders that the filesystem and command tools may use. Without any, these tools are not offered. */
  roots?: readonly string[];
  /** Which calls need an approval. By default, those that change something. */
  policy?: PolicyRules;
  /** A new file to record every run in, for `replay`. */
  record?: string;
  /** Settings by the names of a server's environment variables. The environment itself is not read. */
  settings?: Readonly<Record<string, string | undefined>>;
}

/** The whole product inside another program. */
export interface EmbeddedTackle extends Tackle {
  /** The chat of the program itself, without request limits. `chatFor` returns those of others. */
  readonly chat: Chat;
}

const MEMORY = ":memory:";

/** Starts Tackle in this process, without a server. Throws `Failure` for a wrong option. */
export async function createTackle(options: TackleOptions | Config): Promise<EmbeddedTackle> {
  const isConfig = "loop" in options;
  const temporary = options.dataDir === MEMORY ? mkdtempSync(join(tmpdir(), "tackle-")) : undefined;
  const removeTemporary = () => {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
  };
  const dataDir = temporary ?? options.dataDir;
  let recording: ReturnType<typeof recordingOf>;
  try {
    const config = isConfig ? { ...options, dataDir } : configOf(options, dataDir);
    recording = isConfig ? undefined : recordingOf(options, config);
    const tackle = await createApp(config, {
      ...(isConfig ? {} : partsOf(options)),
      ...(recording ? { recorder: recording.recorder } : {}),
    });
    return {
      ...tackle,
      chat: tackle.chatFor({ id: "local", kind: "owner" }),
      async close() {
        await tackle.close();
        recording?.close();
        removeTemporary();
      },
    };
  } catch (thrown) {
    recording?.close();
    removeTemporary();
    throw thrown;
  }
}

function configOf({ model, roots, settings = {} }: TackleOptions, dataDir: string): Config {
  return loadConfig({
    env: { ...settings, ...(roots ? { TACKLE_ROOTS: roots.join(delimiter) } : {}) },
    overrides: { data: dataDir, ...(model ? { model: typeof model === "string" ? model : model.id } : {}) },
    cwd: process.cwd(),
  });
}

function recordingOf({ record: file }: TackleOptions, { settings, logLevel }: Config) {
  if (file === undefined) return undefined;
  const onProblem = (sentence: string) => openLog({ logLevel }).error(sentence);
  return recordTo({ file, program: "tackle", settings, onProblem });
}

function partsOf({ model, tools, providers, policy }: TackleOptions): OwnParts {
  return {
    ...(tools ? { tools } : {}),
    ...(providers ? { providers } : {}),
    ...(typeof model === "object" ? { models: [model] } : {}),
    ...(policy ? { policy: parsePolicy(policy) } : {}),
  };
}
