import { readFile, stat } from "node:fs/promises";
import type { Recording } from "../observe/recordings/format.ts";
import { parseRecording } from "../observe/recordings/read.ts";
import { type PlayOptions, playRecording, type Replay } from "../observe/recordings/replay.ts";
import { Failure } from "../protocol/failure.ts";
import type { Model } from "../protocol/model.ts";
import { PastResults } from "../protocol/past-results.ts";
import type { DirectCallOptions } from "../runs/direct-call.ts";
import { type EmbeddedTackle, internalsOf } from "./embed.ts";
import type { Tackle } from "./tackle.ts";

export interface ReplayOptions extends Pick<PlayOptions, "speed" | "onRun" | "onEvent" | "signal"> {
  /** Replaces the recorded model. A name needs `tackle` to look it up in. */
  model?: string | Model;
  /** `live` runs the recorded calls again in `tackle`; a list of names does so for these tools only. */
  tools?: "recorded" | "live" | readonly string[];
  /** Where models are looked up and tools are run. */
  tackle?: EmbeddedTackle | Tackle;
  /** Whether a call that needs an approval may run again. By default none may. */
  allow?(call: {
    toolName: string;
    arguments: unknown;
    outside?: true | undefined;
    always?: unknown;
  }): boolean;
}

type Ask = NonNullable<NonNullable<DirectCallOptions["asModel"]>["ask"]>;

const LARGEST_FILE = 256 * 1024 * 1024;

/** Reads a file that `--record` wrote. Throws INVALID_INPUT if it is not a recording. */
export async function readRecording(file: string): Promise<Recording> {
  try {
    const facts = await stat(file);
    if (!facts.isFile()) throw new Failure("INVALID_INPUT", "It is not a file.");
    if (facts.size > LARGEST_FILE)
      throw new Failure("INVALID_INPUT", "The file is larger than any recording.");
    return parseRecording(await readFile(file, "utf8"));
  } catch (thrown) {
    const missing = thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
    const why = missing ? "There is no such file." : "It cannot be read.";
    throw new Failure("INVALID_INPUT", `${file}: ${thrown instanceof Failure ? thrown.publicMessage : why}`, {
      cause: thrown,
    });
  }
}

/** Replays a recording and reports the differences. No tool or model is called unless an option says so. */
export async function replay(recording: Recording, options: ReplayOptions = {}): Promise<Replay> {
  const { model, tools = "recorded", tackle, allow, ...rest } = options;
  const notes: string[] = [];
  const live = tools === "recorded" ? undefined : liveTools(needed(tackle, "tools"), tools, allow, notes);
  const played = await playRecording(recording, {
    ...rest,
    ...(model === undefined
      ? {}
      : { model: typeof model === "string" ? needed(tackle, "model").models.resolve(model) : model }),
    runTool: live,
  });
  return { ...played, notes: [...played.notes, ...notes] };
}

function needed(tackle: ReplayOptions["tackle"], what: string): Tackle {
  if (tackle) return internalsOf(tackle);
  throw new Failure("INVALID_INPUT", `${what}: give a tackle to look it up in.`);
}

/** Runs recorded calls behind all layers. A call that needs an approval runs only if `allow` says so. */
function liveTools(
  tackle: Tackle,
  which: "live" | readonly string[],
  allow: ReplayOptions["allow"],
  notes: string[],
): NonNullable<PlayOptions["runTool"]> {
  const missing = which === "live" ? [] : which.filter((name) => !tackle.registry.get(name));
  if (missing.length > 0)
    throw new Failure("INVALID_INPUT", `tools: there is no tool ${missing.join(", ")} here.`);
  const wanted = which === "live" ? undefined : new Set(which.map((name) => tackle.registry.get(name)?.name));
  const pastResults = new PastResults();
  return async (name, args, signal) => {
    if (wanted && !wanted.has(tackle.registry.get(name)?.name)) return undefined;
    let refused = false;
    const ask: Ask = async (_question, { always, outside }) => {
      refused = !allow?.({ toolName: name, arguments: args, always, outside });
      return !refused;
    };
    try {
      const { output } = await tackle.callTool({ id: "local", kind: "owner" }, name, args, signal, {
        asModel: { pastResults, ask },
      });
      return { output };
    } catch (thrown) {
      if (!refused) throw thrown;
      notes.push(
        `${name} ${JSON.stringify(args)} needs an approval and was not run: --allow-tool ${name} allows it.`,
      );
      return undefined;
    }
  };
}
