import { Worker } from "node:worker_threads";

export interface DiagramProblem {
  message: string;
  line: number;
}

const LONGEST_MS = 5_000;
const IDLE_MS = 60_000;

let worker: Worker | undefined;
let idle: NodeJS.Timeout | undefined;
let nextId = 0;
const waiting = new Map<number, (problem: DiagramProblem | undefined) => void>();

/** What mermaid's own parser finds wrong with a diagram; undefined where it is fine. */
export async function diagramProblem(text: string): Promise<DiagramProblem | undefined> {
  const id = nextId++;
  const { promise, resolve } = Promise.withResolvers<DiagramProblem | undefined>();
  waiting.set(id, resolve);
  const thread = openWorker();
  thread.postMessage({ id, text });
  const late = setTimeout(
    () => endWorker({ message: "The diagram took too long to read.", line: 1 }),
    LONGEST_MS,
  );
  try {
    return await promise;
  } finally {
    clearTimeout(late);
  }
}

function openWorker(): Worker {
  clearTimeout(idle);
  idle = setTimeout(() => endWorker(undefined), IDLE_MS);
  idle.unref();
  if (worker) return worker;
  const thread = new Worker(new URL("./mermaid-worker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  thread.unref();
  thread.on("message", ({ id, problem }: { id: number; problem?: DiagramProblem }) => {
    waiting.get(id)?.(problem);
    waiting.delete(id);
  });
  thread.on("error", ({ message }) =>
    endWorker({ message: `The diagram could not be checked: ${message}`, line: 1 }),
  );
  worker = thread;
  return thread;
}

/** Ends the thread; whoever still waits is answered. */
function endWorker(problem: DiagramProblem | undefined): void {
  if (problem === undefined && waiting.size > 0) return;
  void worker?.terminate();
  worker = undefined;
  for (const resolve of waiting.values()) resolve(problem);
  waiting.clear();
}
