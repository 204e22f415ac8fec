import { Failure } from "../../protocol/failure.ts";
import { isObject, parseJson } from "../../protocol/json.ts";
import {
  headerLine,
  line,
  RECORDING_VERSION,
  type RecordedLine,
  type RecordedRun,
  type Recording,
} from "./format.ts";

/** Reads a recording. Throws INVALID_INPUT if it is damaged, cut off, too new or something else. */
export function parseRecording(text: string): Recording {
  const [first = "", ...rest] = text.split("\n");
  const header = parseHeader(first);
  const runs = new Map<number, { start: RecordedLine & { type: "run" }; lines: RecordedLine[] }>();
  const ended: RecordedRun[] = [];
  const cutOff = rest.pop() !== "";
  rest.forEach((one, index) => {
    const at = index + 2;
    const read = parseLine(one, at);
    if (read.type === "run") {
      if (runs.has(read.run)) throw bad(`begins run ${read.run} a second time in line ${at}`);
      runs.set(read.run, { start: read, lines: [] });
      return;
    }
    const open = runs.get(read.run);
    if (!open) throw bad(`speaks in line ${at} of run ${read.run}, which has not begun`);
    if (ended.some(({ start }) => start.run === read.run))
      throw bad(`goes on in line ${at} with run ${read.run}, which has ended`);
    if (read.type === "end") ended.push({ ...open, end: read });
    else open.lines.push(read);
  });
  const missing = [...runs.keys()].find((run) => !ended.some(({ start }) => start.run === run));
  if (cutOff || missing !== undefined)
    throw bad(
      `is cut off${missing === undefined ? "" : ` in the middle of run ${missing}`}. Record it again`,
    );
  if (ended.length === 0) throw bad("holds no run");
  ended.sort((left, right) => left.start.run - right.start.run);
  return { program: header.program, recordedAt: header.recordedAt, runs: ended };
}

function parseHeader(text: string) {
  const json = parseJson(text);
  if (!isObject(json) || json.type !== "recording" || typeof json.version !== "number")
    throw bad("is not a recording of tackle");
  if (json.version > RECORDING_VERSION)
    throw bad(
      `was written by a newer tackle (format ${json.version}, this one reads up to ${RECORDING_VERSION}). Update tackle`,
    );
  const parsed = headerLine.safeParse(json);
  if (!parsed.success) throw bad("is damaged in line 1");
  return parsed.data;
}

function parseLine(text: string, at: number): RecordedLine {
  const json = parseJson(text);
  if (json === undefined) throw bad(`is damaged: line ${at} is not JSON`);
  const parsed = line.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw bad(
    `is damaged: line ${at}, ${issue?.path.join(".") || "as a whole"}: ${issue?.message ?? "is not valid"}`,
  );
}

function bad(what: string): Failure {
  return new Failure("INVALID_INPUT", `The file ${what}.`);
}
