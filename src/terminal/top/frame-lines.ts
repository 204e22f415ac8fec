import { byteSize } from "../../protocol/byte-size.ts";
import { truncate } from "../lines.ts";
import { table } from "../listings.ts";
import { dollars, tokens } from "../status-line.ts";
import type { Paint } from "../style.ts";
import { duration, oneLine } from "../wording.ts";
import type { Frame } from "./frame.ts";

interface Size {
  columns: number;
  /** Infinite where nothing is cut. */
  rows: number;
}

const MOST_ERRORS = 5;
/** The table of runs gets at least its header and this many rows. */
const FEWEST_RUNS = 3;
/** An empty line, the header and one error. */
const FEWEST_ERROR_LINES = 3;
const SLOW_LAG_MS = 50;
const NO_METRICS = "not shown: set TACKLE_METRICS_TOKEN as the server has it";

/** A frame as lines for this size. `problem` is what went wrong since the frame was made. */
export function frameLines(frame: Frame, { columns, rows }: Size, paint: Paint, problem?: string): string[] {
  const head = [titleLine(frame, columns, paint), ...factLines(frame, columns, paint)];
  if (problem !== undefined) head.push(paint("red", truncate(oneLine(problem), columns)));
  const room = rows - head.length - 1;
  const errors = errorLines(frame, columns, paint).slice(
    0,
    Math.max(0, room - Math.min(frame.active.length, FEWEST_RUNS) - 1),
  );
  const shownErrors = errors.length >= FEWEST_ERROR_LINES ? errors : [];
  const runs = runLines(frame, columns, room - shownErrors.length, paint);
  return [...head, "", ...runs, ...shownErrors].slice(0, rows);
}

function titleLine({ server, ready, process, at }: Frame, columns: number, paint: Paint): string {
  const up = process?.upSeconds;
  const words = [
    "Tackle",
    oneLine(server),
    ready ? "ready" : "not ready",
    process && process.processes > 1 ? `${process.processes} processes` : "",
    up === undefined ? "" : `up ${wholeSeconds(up * 1_000)}`,
    clock(at),
  ];
  const line = truncate(words.filter((word) => word !== "").join(" · "), columns);
  return paint(ready ? "bold" : ["bold", "red"], line);
}

function factLines(frame: Frame, columns: number, paint: Paint): string[] {
  const { runs, streams, tokensPerSecond, cost, process, openBreakers, windowSeconds } = frame;
  const period = windowSeconds > 0 ? `in ${windowSeconds} s` : "";
  const facts: [name: string, words: (string | undefined)[], isBad?: boolean][] = [
    [
      "Runs",
      [
        `${count(runs.active)} active`,
        runs.waiting > 0 ? `${count(runs.waiting)} waiting for a person` : undefined,
        perSecond(runs.endedPerSecond, "ended"),
        runs.failed === undefined ? undefined : `${count(runs.failed)} failed ${period}`,
      ],
      (runs.failed ?? 0) > 0,
    ],
    [
      "Streams",
      streams
        ? [
            `${count(streams.open)} open`,
            perSecond(streams.openedPerSecond, "opened"),
            streams.dropped ? `${count(streams.dropped)} dropped ${period}` : undefined,
          ]
        : [NO_METRICS],
      (streams?.dropped ?? 0) > 0,
    ],
    ["Tokens", [perSecond(tokensPerSecond?.input, "in"), perSecond(tokensPerSecond?.output, "out")]],
    [
      "Cost",
      [
        cost.usdPerMinute === undefined ? undefined : `${money(cost.usdPerMinute)}/min`,
        `${money(cost.todayUsd)} today`,
      ],
    ],
    [
      "Process",
      [
        process?.cpuPercent === undefined ? undefined : `CPU ${Math.round(process.cpuPercent)} %`,
        process?.memoryBytes === undefined ? undefined : byteSize(process.memoryBytes),
        process?.lagMs === undefined ? undefined : `timers ${Math.round(process.lagMs)} ms late`,
      ],
      (process?.lagMs ?? 0) >= SLOW_LAG_MS,
    ],
    ["Breakers", openBreakers.length > 0 ? [`open: ${openBreakers.map(oneLine).join(", ")}`] : [], true],
  ];
  return facts.flatMap(([name, words, isBad]) => {
    const text = words.filter((word) => word !== undefined).join(" · ");
    if (text === "") return [];
    const shown = truncate(text, Math.max(1, columns - 10));
    return [`${paint("dim", name.padEnd(10))}${isBad ? paint("yellow", shown) : shown}`];
  });
}

function runLines({ active, runs, at }: Frame, columns: number, rows: number, paint: Paint): string[] {
  if (active.length === 0) return [paint("dim", "No active runs.")];
  const room = Math.max(0, rows - 1);
  const isCut = active.length > room;
  const shown = active.slice(0, isCut ? Math.max(0, room - 1) : room);
  const cells = shown.map(({ id, user, model, status, startedAt, waitsFor }) => [
    wholeSeconds(Date.parse(at) - Date.parse(startedAt)),
    waitsFor ? `waits for ${waitsFor.tool ? oneLine(waitsFor.tool) : WAITS[waitsFor.for]}` : status,
    oneLine(user),
    oneLine(model),
    oneLine(id),
  ]);
  const more = Math.max(runs.active, active.length) - shown.length;
  const lines = table(["SINCE", "STATE", "USER", "MODEL", "RUN"], cells, columns, paint);
  return more > 0 ? [...lines, paint("dim", `and ${count(more)} more`)] : lines;
}

const WAITS = { decision: "approval", answer: "an answer", tool: "a tool", model: "the model" } as const;

function errorLines({ errorsToday }: Frame, columns: number, paint: Paint): string[] {
  if (errorsToday.length === 0) return [];
  const rows = errorsToday
    .slice(0, MOST_ERRORS)
    .map(({ code, source, count: times, latest }) => [
      count(times),
      oneLine(code),
      clock(latest),
      oneLine(source),
    ]);
  return ["", ...table(["TODAY", "ERROR", "LAST", "FROM"], rows, columns, paint)];
}

/** The time of day where the person is. */
function clock(at: string): string {
  return new Date(at).toLocaleTimeString("en", { hourCycle: "h23" });
}

function wholeSeconds(milliseconds: number): string {
  return milliseconds < 60_000
    ? `${Math.max(0, Math.floor(milliseconds / 1_000))} s`
    : duration(milliseconds);
}

function money(amount: number): string {
  return amount === 0 ? "$0" : dollars(amount);
}

function perSecond(rate: number | undefined, word: string): string | undefined {
  if (rate === undefined) return undefined;
  return `${rate >= 1_000 ? tokens(rate) : rate.toFixed(rate < 10 ? 1 : 0)}/s ${word}`;
}

function count(number: number): string {
  return number.toLocaleString("en");
}
