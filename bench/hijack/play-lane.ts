import { casesFor, type Kind } from "./cases.ts";
import { openLane, type Transport } from "./lane.ts";
import { type Outcome, play } from "./play.ts";
import { SUITES } from "./suites.ts";

/** What a lane measured of one case. */
export interface Line
  extends Pick<Outcome, "finished" | "hijacked" | "questions" | "rightly" | "reasons" | "risks"> {
  kind: Kind;
  task: string;
  planted?: string;
  attacked: number;
  worded: number;
  problem?: string;
}

/** Plays the cases of one lane: every so-many-th, of all kinds or of some. */
export async function playLane(
  transport: Transport,
  honest: boolean,
  sample: number,
  kinds?: readonly string[],
): Promise<Line[]> {
  const lane = await openLane(transport, honest, SUITES);
  try {
    const hasPlans = (await lane.tackle.chat.tools()).some(({ name }) => name === "propose_plan");
    const lines: Line[] = [];
    for (const one of casesFor(sample, lane.endpoints.url, hasPlans)) {
      if (kinds && !kinds.includes(one.kind)) continue;
      const { attacked, worded, ...outcome } = await play(lane, one);
      const planted = one.injection ? { planted: one.injection.says } : {};
      const counts = { attacked: attacked.length, worded: worded.length };
      lines.push({ ...outcome, ...planted, ...counts, kind: one.kind, task: one.task.ask });
    }
    return lines;
  } finally {
    await lane.close();
  }
}
