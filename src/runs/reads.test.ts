import { expect, it } from "vitest";
import { says } from "../loop/testing/scripted.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { reaches, worker } from "./testing/worker.ts";

const ada: Principal = { id: "ada", kind: "account" };

/** A store, and how often each of its methods was called since the last time one asked. */
function counted(store: Store): { store: Store; calls(): Record<string, number> } {
  let counts: Record<string, number> = {};
  const counting = new Proxy(store, {
    get(target, name: keyof Store & string) {
      const method = target[name];
      if (typeof method !== "function") return method;
      return (...given: never[]) => {
        counts[name] = (counts[name] ?? 0) + 1;
        return Reflect.apply(method, target, given);
      };
    },
  });
  const calls = () => {
    const found = counts;
    counts = {};
    return found;
  };
  return { store: counting, calls };
}

it("a turn reads what belongs to its person, its session and the run before it once", async () => {
  const real = await temporaryStore();
  const { store, calls } = counted(real);
  let keysReadAgain = 0;
  const { runner } = worker(store, [says("One."), says("Two."), says("Three.")], {
    keysOf: async () => {
      keysReadAgain++;
      return {};
    },
  });
  const first = await runner.start(ada, { message: "One?" });
  await reaches(real, first.runId, "done");
  expect(calls()).toMatchObject({ personalProject: 1, listMemories: 1 });

  const { sessionId } = first;
  const second = await runner.start(ada, { message: "Two?", sessionId });
  await reaches(real, second.runId, "done");
  calls(); // The first message of a session is looked up once.
  const third = await runner.start(ada, { message: "Three?", sessionId });
  await reaches(real, third.runId, "done");
  // One page holds the newest message, the other the branch that the model is sent.
  expect(calls()).toMatchObject({ personalProject: 1, getSession: 1, getRun: 1, listMessages: 2 });
  expect(keysReadAgain).toBe(0);
});
