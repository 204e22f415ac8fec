import { availableParallelism, loadavg } from "node:os";
import { type Contestant, isGood } from "./contestant.ts";
import { SOON_MS } from "./figures.ts";
import { median } from "./rounds.ts";

const OFFERED = 2_000;
/** The share of its capacity that a process must admit at once. */
const GOAL = 0.8;
/** Where the search for the capacity starts. */
const FIRST = 200;
const ROUNDS = 3;

/** Finds how many streams a process can hold, offers it many more at once, and says what became of them. */
export async function reportCrowd(ours: Contestant): Promise<void> {
  const shares: number[] = [];
  const slow: number[] = [];
  console.log(`\n${OFFERED} streams are offered at once to a process that has been full before`);
  for (let round = 0; round < ROUNDS; round++) {
    // Measured each time: what a shared machine has left for this process changes.
    const found = await ours.most(FIRST);
    const crowd = await ours.overload(OFFERED);
    // The search ends too early if the machine is disturbed.
    const capacity = isGood(crowd) ? Math.max(found, crowd.streams) : found;
    shares.push(crowd.soon / capacity);
    slow.push(crowd.slow);
    console.log(
      `  it can hold ${capacity}; admitted ${crowd.admitted}, of them ${crowd.soon} within ${SOON_MS / 1000} s (${(crowd.soon / capacity).toFixed(2)} of what it can hold);` +
        ` ${crowd.refused} refused with 503 and Retry-After of ${crowd.waits.length} different lengths, ${crowd.broken} neither;` +
        `\n    then ${(crowd.tokens / crowd.seconds / crowd.streams).toFixed(1)} tokens a second on each stream, ${crowd.slow} slow, ${crowd.silent} silent,` +
        ` p99 ${crowd.p99.toFixed(0)} ms; ${(crowd.cpuMs / 1000).toFixed(1)} s of CPU in ${(crowd.answeredMs / 1000).toFixed(1)} s until all had an answer`,
    );
  }
  const [share, behind] = [median(shares), median(slow)];
  const holds = share >= GOAL && behind === 0;
  console.log(
    `admitted within ${SOON_MS / 1000} s, of what it can hold, at least ${GOAL} in the median, and none slow: ${share.toFixed(2)}, ${behind} slow, ${holds ? "holds" : "DOES NOT HOLD"}` +
      `\nload average ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`,
  );
}
