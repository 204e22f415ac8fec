import type { EncodedEvent } from "../../protocol/store.ts";

// A page is several consecutive events of a run in one row: a line each, the row's number being the first one's. Encoded
// events have no line breaks of their own. A row with one event is a page too.

/** An event as it stands among those of other runs. */
export interface WrittenEvent extends EncodedEvent {
  runId: string;
}

/** The events of a page that come after a number. */
export function eventsOfPage({ seq, json }: EncodedEvent, after = 0): EncodedEvent[] {
  if (!json.includes("\n")) return seq > after ? [{ seq, json }] : [];
  return json
    .split("\n")
    .map((line, index) => ({ seq: seq + index, json: line }))
    .slice(Math.max(0, after + 1 - seq));
}

/** The number of the last event of a page. */
export function endOfPage({ seq, json }: EncodedEvent): number {
  let last = seq;
  for (let at = json.indexOf("\n"); at !== -1; at = json.indexOf("\n", at + 1)) last++;
  return last;
}

/** One event as a line of a commit. */
export function writtenLine(runId: string, seq: number, json: string): string {
  return `${runId}\t${seq}\t${json}\n`;
}

/** The events of a commit, in order. */
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
