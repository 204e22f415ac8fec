import type { EncodedEvent } from "../../protocol/run-records.ts";

// A page is a row with consecutive events of a run, one per line; its number is that of the first. Encoded events have no
// line breaks. A row with one event is a page too.

/** An event among those of other runs. */
export interface WrittenEvent extends EncodedEvent {
  runId: string;
}

/** Returns the events of a page after a number. */
export function eventsOfPage({ seq, json }: EncodedEvent, after = 0): EncodedEvent[] {
  if (!json.includes("\n")) return seq > after ? [{ seq, json }] : [];
  return json
    .split("\n")
    .map((line, index) => ({ seq: seq + index, json: line }))
    .slice(Math.max(0, after + 1 - seq));
}

/** Returns the number of the last event of a page. */
export function endOfPage({ seq, json }: EncodedEvent): number {
  let last = seq;
  for (let at = json.indexOf("\n"); at !== -1; at = json.indexOf("\n", at + 1)) last++;
  return last;
}

/** Encodes an event as a line of a commit. */
export function writtenLine(runId: string, seq: number, json: string): string {
  return `${runId}\t${seq}\t${json}\n`;
}

/** Returns the events of a commit, in order. */
export function eventsOfLines(lines: string): WrittenEvent[] {
  return lines
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const first = line.indexOf("\t");
      const second = line.indexOf("\t", first + 1);
      return {
        runId: line.slice(0, first),
        seq: Number(line.slice(first + 1, second)),
        json: line.slice(second + 1),
      };
    });
}
