import { diffLines } from "diff";
import { counted } from "../../protocol/counted.ts";
import type { Difference } from "./compare.ts";
import type { Replay } from "./replay.ts";

const SHOWN_DIFFERENCES = 50;
const SHOWN_LINES = 40;

/** The result of a replay for people: the differences, then a summary line. */
export function replayLines({ runs, steps, calls, differences, notes }: Replay): string[] {
  const shown = differences.slice(0, SHOWN_DIFFERENCES);
  const more = differences.length - shown.length;
  const size = `${counted(runs, "run")}, ${counted(steps, "answer")} of the model, ${counted(calls, "call")}`;
  return [
    ...shown.flatMap((difference) => [...differenceLines(difference, runs > 1), ""]),
    ...(more > 0 ? [`and ${counted(more, "more difference")}`, ""] : []),
    ...notes.map((note) => `! ${note}`),
    differences.length === 0
      ? `The same as recorded: ${size}.`
      : `${counted(differences.length, "difference")} from the recording: ${size}.`,
  ];
}

function differenceLines({ run, where, recorded = "", now = "" }: Difference, several: boolean): string[] {
  const lines = diffLines(recorded, now).flatMap(({ added, removed, value }) => {
    const mark = added ? "+" : removed ? "-" : " ";
    return value
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => `  ${mark} ${line}`);
  });
  const shown = lines.slice(0, SHOWN_LINES);
  const more = lines.length - shown.length;
  return [
    `≠ ${several ? `run ${run}, ` : ""}${where}`,
    ...shown,
    ...(more > 0 ? [`    … ${counted(more, "more line")}`] : []),
  ];
}
