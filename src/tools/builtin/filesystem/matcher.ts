import { Worker } from "node:worker_threads";
import { Failure } from "../../../protocol/failure.ts";

export interface LineMatch {
  line: number;
  text: string;
}

/** Finds a query in texts. */
export interface Matcher {
  /** Returns up to `limit` matching lines. */
  lines(text: string, limit: number): Promise<LineMatch[]>;
  close(): Promise<void>;
}

/** Finds literal text, ignoring case. */
export function textMatcher(query: string): Matcher {
  const wanted = query.toLowerCase();
  return {
    async lines(text, limit) {
      if (!text.toLowerCase().includes(wanted)) return [];
      const matches: LineMatch[] = [];
      for (const [index, line] of text.split("\n").entries()) {
        if (matches.length === limit) break;
        if (line.toLowerCase().includes(wanted)) matches.push({ line: index + 1, text: line });
      }
      return matches;
    },
    async close() {},
  };
}

/** Plain JavaScript, because the worker gets it as text. */
const WORKER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const pattern = new RegExp(workerData, "iu");
  parentPort.on("message", ({ text, limit }) => {
    const matches = [];
    for (const [index, line] of text.split("\\n").entries()) {
      if (matches.length === limit) break;
      if (pattern.test(line)) matches.push({ line: index + 1, text: line });
    }
    parentPort.postMessage(matches);
  });
`;

/** Finds a regular expression in a worker thread, which is terminated when the expression takes too long. */
export function regexMatcher(source: string, timeoutMs: number, signal: AbortSignal): Matcher {
  try {
    new RegExp(source, "iu");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure("INVALID_INPUT", `The query is not a regular expression: ${reason}.`, { cause: error });
  }
  const deadline = performance.now() + timeoutMs;
  const worker = new Worker(WORKER, {
    eval: true,
    workerData: source,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  worker.unref();
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  return {
    lines(text, limit) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => {
            void worker.terminate();
            settle(() => reject(tooSlow()));
          },
          Math.max(0, deadline - performance.now()),
        );
        const onMessage = (matches: LineMatch[]) => settle(() => resolve(matches));
        const onError = (error: unknown) => settle(() => reject(error));
        const onExit = () => settle(() => reject(signal.aborted ? signal.reason : tooSlow()));
        function settle(finish: () => void) {
          clearTimeout(timer);
          worker.off("message", onMessage).off("error", onError).off("exit", onExit);
          finish();
        }
        worker.on("message", onMessage).on("error", onError).on("exit", onExit);
        worker.postMessage({ text, limit });
      });
    },
    async close() {
      signal.removeEventListener("abort", stop);
      await worker.terminate();
    },
  };
}

function tooSlow(): Failure {
  const message = "The regular expression takes too long. Make it simpler, or search for text.";
  return new Failure("TOOL_TIMEOUT", message, { retryable: false });
}
