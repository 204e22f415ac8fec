import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

type Question = { id: number; name: string; argument: unknown };
type Answer = { id: number; value: unknown; problem?: string };

/** A child process of this bench that answers questions. */
export class Child {
  readonly process: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #count = 0;

  constructor(file: string, args: string[], options: { execArgv?: string[]; env?: NodeJS.ProcessEnv } = {}) {
    this.process = fork(resolve(import.meta.dirname, file), args, {
      ...options,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.process.on("message", ({ id, value, problem }: Answer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (problem === undefined) waiting?.resolve(value);
      else waiting?.reject(new Error(`${file}: ${problem}`));
    });
    this.process.once("exit", (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`${file} ended with ${code}`));
    });
  }

  /** `Value` is the type of the answer. It is not checked, because both sides are in this folder. */
  ask<Value>(name: string, argument?: unknown): Promise<Value> {
    const answer = Promise.withResolvers<unknown>();
    const id = ++this.#count;
    this.#waiting.set(id, answer);
    this.process.send({ id, name, argument } satisfies Question);
    return answer.promise as Promise<Value>;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, "exit");
    this.process.disconnect();
    await ended;
  }
}

/** The child's side: answers questions by name, and exits with its parent. */
export function answerQuestions(answers: Record<string, (argument: never) => unknown>): void {
  process.on("message", async ({ id, name, argument }: Question) => {
    try {
      const value = await answers[name]?.(argument as never);
      process.send?.({ id, value } satisfies Answer);
    } catch (thrown) {
      process.send?.({ id, value: undefined, problem: String(thrown) } satisfies Answer);
    }
  });
  process.on("disconnect", () => process.exit(0));
}
