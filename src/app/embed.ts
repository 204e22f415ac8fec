import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { z } from "zod";
import type { Chat } from "../protocol/chat.ts";
import type { JsonSchema } from "../protocol/json.ts";
import type { Model } from "../protocol/model.ts";
import type { Provider } from "../protocol/provider.ts";
import { checkOptions } from "../protocol/requests.ts";
import type { Tool } from "../protocol/tool.ts";
import { openLog } from "./builders/data.ts";
import { type Config, loadConfig } from "./config.ts";
import { type Generated, type GenerateOptions, generate } from "./generate.ts";
import { type PolicyRules, parsePolicy } from "./policy-file.ts";
import { recordTo } from "./record-runs.ts";
import { createTackle as createApp, type OwnParts, type Tackle } from "./tackle.ts";

export interface TackleOptions {
  /** The data directory, for one process at a time. `:memory:`, the default, keeps nothing after `close()`. */
  dataDir?: string;
  /** `provider/model`, or the program's own model, such as `fromLanguageModel(…)`. */
  model?: string | Model;
  /** Tools of the program, beside the built-in ones. */
  tools?: readonly Tool[] | ToolOptions;
  /** Replaces our system prompt. */
  system?: string;
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

export interface ToolOptions {
  /** Which built-in tools are offered: none, or these. All by default. */
  builtin?: boolean | readonly string[];
  /** Tools of the program. */
  own?: readonly Tool[];
}

/** The whole product inside another program. */
export interface EmbeddedTackle extends Pick<Tackle, "chatFor" | "turnsFor" | "callTool" | "close"> {
  /** The chat of the program itself, without request limits. `chatFor` returns those of others. */
  readonly chat: Chat;
  /** Everything that it is made of, such as `config`, `store` and `log`. Any version may change it. */
  readonly internals: Tackle;
  /** Asks once and returns the whole answer, after all tools have run. Throws `Failure`. */
  generate<Schema extends z.ZodType | JsonSchema>(
    options: GenerateOptions<Schema>,
  ): Promise<Generated<Schema extends z.ZodType ? z.output<Schema> : unknown>>;
}

const OPTIONS: Record<keyof TackleOptions, true> = {
  dataDir: true,
  model: true,
  tools: true,
  system: true,
  providers: true,
  roots: true,
  policy: true,
  record: true,
  settings: true,
};

function isList(tools: readonly Tool[] | ToolOptions): tools is readonly Tool[] {
  return Array.isArray(tools);
}

/** Returns the app inside an embedded one. */
export function internalsOf(tackle: EmbeddedTackle | Tackle): Tackle {
  return "internals" in tackle ? tackle.internals : tackle;
}

const MEMORY = ":memory:";

/** Starts Tackle in this process, without a server. Throws `Failure` for a wrong option. */
export async function createTackle(options: TackleOptions | Config = {}): Promise<EmbeddedTackle> {
  const isConfig = "loop" in options;
  if (!isConfig) checkOptions("createTackle", options, OPTIONS);
  const { dataDir: folder = MEMORY } = options;
  const temporary = folder === MEMORY ? mkdtempSync(join(tmpdir(), "tackle-")) : undefined;
  const removeTemporary = () => {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
  };
  const dataDir = temporary ?? folder;
  let recording: ReturnType<typeof recordingOf>;
  try {
    const config = isConfig ? { ...options, dataDir } : configOf(options, dataDir);
    recording = isConfig ? undefined : recordingOf(options, config);
    const tackle = await createApp(config, {
      ...(isConfig ? {} : partsOf(options)),
      ...(recording ? { recorder: recording.recorder } : {}),
    });
    const chat = tackle.chatFor({ id: "local", kind: "owner" });
    const { chatFor, turnsFor, callTool } = tackle;
    return {
      chat,
      chatFor,
      turnsFor,
      callTool,
      internals: tackle,
      generate: (asked) => generate(chat, asked),
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
    // A program that wants titles names a model for them.
    env: {
      TACKLE_TITLE_MODEL: "off",
      ...settings,
      ...(roots ? { TACKLE_ROOTS: roots.join(delimiter) } : {}),
    },
    overrides: { data: dataDir, ...(model ? { model: typeof model === "string" ? model : model.id } : {}) },
    cwd: process.cwd(),
  });
}

function recordingOf({ record: file }: TackleOptions, { settings, logLevel }: Config) {
  if (file === undefined) return undefined;
  const onProblem = (sentence: string) => openLog({ logLevel }).error(sentence);
  return recordTo({ file, program: "tackle", settings, onProblem });
}

function partsOf({ model, tools = [], system, providers, policy }: TackleOptions): OwnParts {
  const { builtin = true, own = [] } = isList(tools) ? { own: tools } : tools;
  if (!isList(tools)) checkOptions("createTackle, tools", tools, { builtin: true, own: true });
  return {
    tools: own,
    ...(builtin === true ? {} : { builtInTools: builtin === false ? [] : builtin }),
    system,
    providers,
    ...(typeof model === "object" ? { models: [model] } : {}),
    ...(policy ? { policy: parsePolicy(policy) } : {}),
  };
}
