import type { Administration } from "../protocol/administration.ts";
import type { FeedbackCount, FeedbackReport, FeedbackSlice } from "../protocol/feedback.ts";
import type { HttpContext } from "./context.ts";
import { namesOf } from "./names.ts";
import { daysOf, indexOfPeriod, readPeriod, startsOf } from "./period.ts";

/** Returns the feedback of the period of the query: by model, for each day or hour, and the newest notes. */
export async function readFeedback(c: HttpContext, administration: Administration): Promise<FeedbackReport> {
  const period = readPeriod(c);
  const now = Date.now();
  const starts = startsOf(period, now);
  const { slices, notes } = await administration.feedback(now - (starts[0] ?? now));
  const names = await namesOf(c.get("server"), new Set(notes.map(({ userId }) => userId)));
  const each = Map.groupBy(slices, ({ at }) => indexOfPeriod(starts, at));
  const sumAt = (place: number) => sum(each.get(place) ?? []);
  const hours = starts.map((start, place) => ({ at: new Date(start).toISOString(), ...sumAt(place) }));
  return {
    models: byModel(slices),
    notes: notes.map((note) => ({ ...note, user: names.get(note.userId) ?? note.userId })),
    days: period.byHour ? [] : daysOf(period, now).map((day, place) => ({ day, ...sumAt(place) })),
    ...(period.byHour ? { hours } : {}),
  };
}

/** The models with the most feedback first. */
function byModel(slices: readonly FeedbackSlice[]): FeedbackReport["models"] {
  return [...Map.groupBy(slices, ({ model }) => model)]
    .map(([model, some]) => ({ model, ...sum(some) }))
    .sort((a, b) => b.up + b.down - a.up - a.down || a.model.localeCompare(b.model));
}

function sum(counts: readonly FeedbackCount[]): FeedbackCount {
  return counts.reduce((all, { up, down }) => ({ up: all.up + up, down: all.down + down }), {
    up: 0,
    down: 0,
  });
}
