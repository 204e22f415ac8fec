import { setTimeout as pause } from "node:timers/promises";
import { answerQuestions } from "./child.ts";
import { PEERS } from "./peers.ts";

// A child process with one of the servers, by name, in front of an upstream.

const [name = "", upstream = ""] = process.argv.slice(2);
const collect = globalThis.gc;
const start = PEERS[name];
if (!start) throw new Error(`there is no server ${name}`);
const url = await start(upstream);

answerQuestions({
  url: () => url,
  /** Milliseconds of CPU since the start. */
  cpu(): number {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  resident: () => process.memoryUsage.rss(),
  peak: () => process.resourceUsage().maxRSS * 1024,
  /** Reachable bytes, in the heap and in buffers. */
  async live(): Promise<number> {
    // Buffers are freed in the background, so only the next collection counts them.
    for (let times = 0; times < 3; times++) {
      collect?.();
      await pause(20);
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
});
