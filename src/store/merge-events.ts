import type { EncodedEvent } from "../protocol/run-records.ts";

/** Merges two lists that are each in order. An event that is in both comes once. */
export function mergeEvents(some: readonly EncodedEvent[], others: readonly EncodedEvent[]): EncodedEvent[] {
  const merged: EncodedEvent[] = [];
  let other = 0;
  for (const event of some) {
    for (let next = others[other]; next && next.seq <= event.seq; next = others[++other])
      if (next.seq < event.seq) merged.push(next);
    merged.push(event);
  }
  return merged.concat(others.slice(other));
}

/** Returns true if these are the events right after this number, without a gap. */
export function continuing(events: readonly EncodedEvent[], after: number): boolean {
  return events.every(({ seq }, index) => seq === after + 1 + index);
}
