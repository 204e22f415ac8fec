import { Worker } from "node:worker_threads";
import { Failure } from "../../../protocol/failure.ts";

export interface LineMatch {
  /** Counted from 1. */
  line: number;
  /** Where the match begins in the line. */
  column: number;
}

export interface TextMatches {
  /** How many lines match. */
  count: number;
  /** The first ones. */
  matches: LineMatch[];
}

/** Finds a query in texts. */
export interface Matcher {
  /** Counts the matching lines and returns up to `limit` of them. */
  find(text: string, limit: number): Promise<TextMatches>;
  close(): Promise<void>;
}

/** Finds literal text. */
export function textMatcher(query: string, caseSensitive: boolean): Matcher {
  const fold = (text: string) => (caseSensitive ? text : text.toLowerCase());
  const wanted = fold(query);
  return {
    async find(text, limit) {
      const found: TextMatches = { count: 0, matches: [] };
      if (!fold(text).includes(wanted)) return found;
      if (wanted.includes("\n")) return acrossLines(fold(text), wanted, limit);
      for (const [index, line] of text.split("\n").entries()) {
        const column = fold(line).indexOf(wanted);
        if (column < 0) continue;
        found.count++;
        if (found.matches.length < limit) found.matches.push({ line: index + 1, column });
      }
      return found;
    },
    async close() {},
  };
}

function acrossLines(text: string, wanted: string, limit: number): TextMatches {
  const found: TextMatches = { count: 0, matches: [] };
  let line = 1;
  let position = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    line += text.slice(position, at).split("\n").length - 1;
    position = at;
    found.count++;
    if (found.matches.length < limit)
      found.matches.push({ line, column: at - text.lastIndexOf("\n", at - 1) - 1 });
  }
  return found;
}

/** Plain JavaScript, because the worker gets it as text. A pattern with a line break is matched across lines. */
const WORKER = `
  const { parentPort, workerData: { source, flags } } = require("node:worker_threads");
  const across = /\\\\n|\\n/.test(source);
  const pattern = new RegExp(source, across ? flags + "gm" : flags);
  parentPort.on("message", ({ text, limit }) => {
    const matches = [];
    let count = 0;
    if (across) {
      let line = 1, position = 0;
      for (const { index } of text.matchAll(pattern)) {
        for (let at = text.indexOf("\\n", position); at >= 0 && at < index; at = text.indexOf("\\n", at + 1)) line++;
        position = index;
        if (++count <= limit) matches.push({ line, column: index - text.lastIndexOf("\\n", index - 1) - 1 });
      }
    } else {
      let line = 0;
      for (const content of text.split("\\n")) {
        line++;
        const column = content.endsWith("\\r") ? content.slice(0, -1).search(pattern) : content.search(pattern);
        if (column >= 0 && ++count <= limit) matches.push({ line, column });
      }
    }
    parentPort.postMessage({ count, matches });
  });
`;

/** Returns a regular expression for JavaScript. Throws INVALID_INPUT if the source is none. */
export function compile(source: string, caseSensitive: boolean): { source: string; flags: string } {
  // As other engines write it, options may be at the start.
  const [options = "", letters = ""] = /^\(\?([imsu]+)\)/.exec(source) ?? [];
  const body = source.slice(options.length);
  const flags = new Set([...letters.replace("u", ""), ...(caseSensitive ? "" : "i")]);
  try {
    return checked(body, `${[...flags].join("")}u`);
  } catch {
    // Without `u`, needless escapes such as \" or \- are allowed, as in other engines.
  }
  try {
    return checked(body, [...flags].join(""));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(
      "INVALID_INPUT",
      `The query is not a regular expression: ${reason}. Set literal to search for it as text.`,
      {
        cause: error,
      },
    );
  }
}

function checked(source: string, flags: string): { source: string; flags: string } {
  new RegExp(source, flags);
  return { source, flags };
}

/** Finds a regular expression in a worker thread, which is terminated when the expression takes too long. */
export function regexMatcher(
  source: string,
  caseSensitive: boolean,
  timeoutMs: number,
  signal: AbortSignal,
): Matcher {
  const deadline = performance.now() + timeoutMs;
  const worker = new Worker(WORKER, {
    eval: true,
    workerData: compile(source, caseSensitive),
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  worker.unref();
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  return {
    find(text, limit) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => {
            void worker.terminate();
            settle(() => reject(tooSlow()));
          },
          Math.max(0, deadline - performance.now()),
        );
        const onMessage = (found: TextMatches) => settle(() => resolve(found));
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
