import { existsSync } from "node:fs";
import { isAllowed } from "../../terminal/allow.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { onInterrupt } from "../../terminal/interrupts.ts";
import { say } from "../../terminal/output.ts";
import { ReplayView } from "../../terminal/replay-view.ts";
import type { EmbeddedTackle } from "../embed.ts";
import { readRecording, replay } from "../replay.ts";
import { configOf } from "./open-tackle.ts";

/** Plays a recording again. Returns 0 if the result is the same and 1 if it differs. */
export async function run(line: CommandLine): Promise<number> {
  const recording = await readRecording(line.file ?? "");
  const { model, tools = "recorded", speed, allow } = line;
  const stop = new AbortController();
  onInterrupt(() => (stop.signal.aborted ? process.exit(130) : stop.abort()));
  const view = line.json ? undefined : new ReplayView(process.stdout);
  const tackle = model === undefined && tools === "recorded" ? undefined : await openAside(line);
  try {
    const played = await replay(recording, {
      tools,
      signal: stop.signal,
      allow: (call) => isAllowed(allow, call),
      onRun: (question) => view?.begin(question),
      onEvent: (event) => view?.apply(event),
      model,
      speed,
      tackle,
    });
    view?.end();
    if (stop.signal.aborted) return 130;
    const { replayLines } = await import("../../observe/recordings/report.ts");
    const { differences } = played;
    view?.report(replayLines(played));
    if (line.json) say([JSON.stringify({ same: differences.length === 0, ...played }, null, 2)]);
    return differences.length === 0 ? 0 : 1;
  } finally {
    view?.end();
    await tackle?.close();
  }
}

/** Opens the configured models and tools with an empty in-memory store, so that a running server is not disturbed. */
async function openAside(line: CommandLine): Promise<EmbeddedTackle> {
  const { createTackle } = await import("../embed.ts");
  const config = await configOf(line, true);
  // Tools must not read the keys in the data directory.
  const { keepClosed } = await import("../../contain/paths-folder.ts");
  if (existsSync(config.dataDir)) await keepClosed(config.dataDir);
  const files = { ...config.files, s3: undefined };
  return createTackle({ ...config, dataDir: ":memory:", databaseUrl: undefined, files });
}
