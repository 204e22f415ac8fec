import { setTimeout as pause } from "node:timers/promises";
import { answerQuestions } from "./child.ts";
import { PEERS } from "./peers.ts";

// A process: one of the servers, by name, in front of an upstream.

const [name = "", upstream = ""] = process.argv.slice(2);
const collect = globalThis.gc;
const start = PEERS[name];
if (!start) throw new Error(`there is no server ${name}`);
const url = await start(upstream);

answerQuestions({
  url: () => url,
  /** Milliseconds of CPU since it was started. */
  cpu(): number {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  resident: () => process.memoryUsage.rss(),
  peak: () => process.resourceUsage().maxRSS * 1024,
  /** Bytes that are reachable, in the heap and in buffers outside it. */
  async live(): Promise<number> {
    // Buffers are let go of beside the work: only the next collection knows how many were.
    for (let times = 0; times < 3; times++) {
      collect?.();
      await pause(20);
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
});
