import { createHash } from "node:crypto";

/** As long as somebody may open the same page again and again. A task that was stopped because the machine was busy gets another chance. */
const KEPT_MS = 10 * 60_000;
const MOST = 500;

/** Remembers tasks that took too long, so that repeating one cannot keep others waiting. */
export function createStoppedTasks(now: () => number = Date.now) {
  const until = new Map<string, number>();
  return {
    /** Remembers a task. The oldest are dropped. */
    add(task: object): void {
      const key = keyOf(task);
      until.delete(key);
      until.set(key, now() + KEPT_MS);
      const [oldest] = until.keys();
      if (until.size > MOST && oldest !== undefined) until.delete(oldest);
    },
    has(task: object): boolean {
      return until.size > 0 && (until.get(keyOf(task)) ?? 0) > now();
    },
  };
}

function keyOf(task: object): string {
  return createHash("sha256").update(JSON.stringify(task)).digest("base64url");
}
