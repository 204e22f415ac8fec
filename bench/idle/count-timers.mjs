// Loaded before the server: counts which timers fire once it is idle, and writes that down when it ends.
import { writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const { TIMER_COUNTS, TIMER_COUNTS_AFTER_MS } = process.env;

if (isMainThread && TIMER_COUNTS !== undefined) {
  const counts = new Map();
  for (const name of ["setTimeout", "setInterval"]) {
    const original = globalThis[name];
    globalThis[name] = (callback, ms, ...rest) => {
      const place = placeOf(new Error());
      const counted = (...values) => {
        const key = `${ms} ms, ${place}`;
        if (performance.now() > Number(TIMER_COUNTS_AFTER_MS)) counts.set(key, (counts.get(key) ?? 0) + 1);
        return callback(...values);
      };
      return original(counted, ms, ...rest);
    };
  }
  process.on("exit", () => writeFileSync(TIMER_COUNTS, JSON.stringify([...counts])));
}

/** Returns the function and the file that set a timer. */
function placeOf({ stack }) {
  const line = stack.split("\n")[2]?.trim() ?? "";
  return line.replace(/^at /, "").replace(/\(?file:.*\/((?:src|dist|node_modules)\/.*?):\d+\)?$/, "$1");
}
