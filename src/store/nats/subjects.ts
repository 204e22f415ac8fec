import { createHash } from "node:crypto";

// Runs are spread over a fixed number of streams. Each message of a run has its own subject, which ends with its number:
// `tackle.NAME.STREAM.RUN.1`, `….2` and so on. The stream accepts one message for each subject, so two writers can never both
// write the next one. It sends what it has stored on to `tackle-live.NAME.STREAM.RUN.1` for those who follow the run.

/** Where the messages of one run are. */
export interface Place {
  stream: string;
  /** The beginning of all subjects of the run, up to the number. */
  prefix: string;
  /** The same of those for followers. */
  live: string;
}

const SAFE = /^[A-Za-z0-9_-]+$/;

/** Returns the name of a stream. */
export function streamName(name: string, number: number): string {
  return `tackle-${name}-${number}`;
}

/** Returns the subjects of all runs in a stream, as they are written and as followers see them. */
export function subjectsOf(name: string, number: number): { written: string; live: string } {
  return { written: `tackle.${name}.${number}.>`, live: `tackle-live.${name}.${number}.>` };
}

/** Returns where a run is. It never changes. */
export function placeOf(name: string, streams: number, runId: string): Place {
  const number = createHash("sha1").update(runId).digest().readUInt32BE() % streams;
  const rest = `${name}.${number}.${encodeRunId(runId)}`;
  return { stream: streamName(name, number), prefix: `tackle.${rest}.`, live: `tackle-live.${rest}.` };
}

/** Returns the run that a subject belongs to. */
export function runOf(subject: string): string {
  const [, , , token = ""] = subject.split(".");
  return token.startsWith("=") ? Buffer.from(token.slice(1), "base64url").toString() : token;
}

/** Returns the number of a message in its run. */
export function numberOf(subject: string): number {
  return Number(subject.slice(subject.lastIndexOf(".") + 1));
}

/** A part of a subject cannot contain dots, spaces and the like. */
function encodeRunId(runId: string): string {
  return SAFE.test(runId) ? runId : `=${Buffer.from(runId).toString("base64url")}`;
}
