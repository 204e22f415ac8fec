import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { ChatEvent } from "../src/protocol/events.ts";
import { callsOf, reduceAll } from "../src/protocol/reduce.ts";
import type { StoredRun } from "./inspect.ts";
import type { FollowedTurn } from "./turn.ts";
import type { World } from "./world.ts";

/** Violations of the guarantees: things that were lost and things that happened twice. Both lists must be empty. */
export interface Violations {
  lost: string[];
  doubled: string[];
}

const SETTLE_MS = 60_000;

/** Waits until all unchecked turns have ended, and checks the guarantees for them. */
export async function checkWorld(world: World): Promise<Violations> {
  const turns = world.turns.splice(0);
  const violations: Violations = { lost: [], doubled: [] };
  const { lost } = violations;
  const ends = await Promise.allSettled(turns.filter(({ left }) => !left).map(({ ended }) => ended));
  for (const end of ends) if (end.status === "rejected") lost.push(String(end.reason));
  const texts = [...new Set(turns.map(({ text }) => text))];
  await settled(world, texts);
  const runs = await world.inspection.runs(texts);
  for (const run of runs) checkRun(run, violations);
  for (const turn of turns) checkTurn(turn, runs, violations);
  checkEffects(world.effects(), runs, violations);
  for (const instance of world.instances) {
    if (instance.unexpectedExit) lost.push(`a process exited: ${instance.unexpectedExit}`);
    const { url } = instance;
    if (url && !(await answers(url))) lost.push(`${url} no longer responds`);
  }
  await world.inspection.forgetBreakers();
  return violations;
}

async function settled(world: World, texts: readonly string[]): Promise<void> {
  for (const deadline = Date.now() + SETTLE_MS; Date.now() < deadline; await pause(50))
    if ((await world.inspection.unfinished(texts)) === 0) return;
}

function answers(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`, { signal: AbortSignal.timeout(10_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Checks that a run ended once, has no gaps in its numbers, and has a transcript equal to the fold of its events. */
function checkRun(run: StoredRun, { lost, doubled }: Violations): void {
  const name = `${run.text} (${run.id})`;
  if (!["done", "error", "cancelled"].includes(run.status)) lost.push(`${name} is still ${run.status}`);
  if (run.events.some(({ seq }, index) => seq !== index + 1)) lost.push(`${name} has a gap in its events`);
  const events = run.events.map(({ json }) => JSON.parse(json) as ChatEvent);
  const ends = events.filter(({ type }) => type === "done").length;
  if (ends > 1) doubled.push(`${name} has ${ends} ends`);
  if (ends === 0 || events.at(-1)?.type !== "done") lost.push(`${name} has no end`);
  if (run.answers.length > 1) doubled.push(`${name} has ${run.answers.length} answers`);
  const [answer] = run.answers;
  if (!answer) lost.push(`${name} has no answer in its session`);
  else if (!isDeepStrictEqual(answer, JSON.parse(JSON.stringify(reduceAll(events)))))
    lost.push(`${name} has an answer that differs from its events`);
  for (const call of callsOf(reduceAll(events)))
    if (call.status !== "succeeded" && call.status !== "failed")
      lost.push(`${name} has a call without a result`);
}

/** Checks that a key has one run, and that its follower saw exactly the stored bytes. */
function checkTurn(turn: FollowedTurn, runs: readonly StoredRun[], { lost, doubled }: Violations): void {
  lost.push(...turn.problems);
  const own = runs.filter(({ text }) => text === turn.text);
  if (own.length > 1) doubled.push(`${turn.text} has ${own.length} runs`);
  const [run] = own;
  if (!run) {
    if (turn.acknowledged) lost.push(`${turn.text} was acknowledged but is missing`);
    return;
  }
  const seen = turn.frames.filter(({ data }) => data !== "[DONE]");
  for (const { id, data } of seen)
    if (run.events[(id ?? 0) - 1]?.json !== data)
      lost.push(`${turn.text}: event ${id} differs from what a follower saw`);
  if (turn.isOver && seen.length !== run.events.length)
    lost.push(`${turn.text}: a follower saw ${seen.length} of ${run.events.length} events`);
  if (!turn.isOver && !turn.left) lost.push(`${turn.text}: a follower never saw the end`);
}

/** Checks that no unsafe call had its effect twice, and that every successful call had its effect. */
function checkEffects(effects: readonly string[], runs: readonly StoredRun[], violations: Violations): void {
  for (const run of runs) {
    const calls = callsOf(reduceAll(run.events.map(({ json }) => JSON.parse(json) as ChatEvent)));
    for (const { toolCallId, toolName, status } of calls) {
      if (toolName !== "note") continue;
      const times = effects.filter((key) => key === `${run.id}:${toolCallId}`).length;
      if (times > 1) violations.doubled.push(`${run.text}: a call had its effect ${times} times`);
      if (times === 0 && status === "succeeded")
        violations.lost.push(`${run.text}: a call succeeded without its effect`);
    }
  }
}
