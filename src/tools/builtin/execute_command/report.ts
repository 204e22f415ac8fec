import type { ContainedResult } from "../../../contain/command.ts";

/** The output for the model. The exit code comes first, because long output may be truncated later. */
export function describe(result: ContainedResult): string {
  const seconds = (result.durationMs / 1_000).toFixed(1);
  const ended = result.excess
    ? `The command was stopped after ${seconds} s, because ${result.excess}.`
    : `Exit code ${result.exitCode} after ${seconds} s.`;
  const streams = (["stdout", "stderr"] as const).map((stream) => section(stream, result));
  return (
    [ended, ...streams.filter(Boolean)].join("\n\n") + (streams.some(Boolean) ? "" : " It printed nothing.")
  );
}

function section(stream: "stdout" | "stderr", result: ContainedResult): string {
  const text = result[stream];
  if (text === "") return "";
  const cut = result.cutBytes[stream];
  const note = cut > 0 ? ` (the beginning; ${cut.toLocaleString("en")} more bytes were cut)` : "";
  return `${stream}${note}:\n${text.replace(/\n$/, "")}`;
}
