import { setTimeout as pause } from "node:timers/promises";
import { callsOf } from "../src/protocol/reduce.ts";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { seededRandom } from "../src/store/conformance/harness.ts";
import { checkWorld } from "./invariants.ts";
import { within } from "./kills.ts";
import type { FollowedTurn } from "./turn.ts";
import type { Play, World } from "./world.ts";

const COUNT = 90;
const WORDS = Array.from({ length: COUNT }, (_, index) => `word-${index}${index % 9 === 8 ? ".\n\n" : " "}`);
const ANSWER = WORDS.join("").trimEnd();
const THOUGHTS = Array.from({ length: 40 }, (_, index) => `thought-${index}`).join(" ");
const AFTER_CALL = " And that was noted.";

/** How a model goes on with an answer that broke off. */
interface Manner {
  name: string;
  /** What the whole answer must be in the end. */
  answer: string;
  /** Returns the first answer, which is slow enough to be killed. */
  first(): Turn;
  /** Returns what follows after `said`. */
  rest(said: string): Turn;
  after?: Turn;
}

const slowly = (turn: Turn): Turn => ({ ...turn, gapMs: 8 });
const writing = () => slowly(chatTurn({ text: ANSWER, chunkSize: "word" }));
const saying = (text: string) => chatTurn({ text, chunkSize: "word" });

/** Repeats the last words of what was said. */
function repeating(said: string, words: number): string {
  const last = said.trimEnd().split(/\s+/).slice(-words).join(" ");
  return last + ANSWER.slice(said.trimEnd().length);
}

/** How models go on. */
export const MANNERS: readonly Manner[] = [
  { name: "goes on", answer: ANSWER, first: writing, rest: (said) => saying(ANSWER.slice(said.length)) },
  { name: "repeats a few words", answer: ANSWER, first: writing, rest: (said) => saying(repeating(said, 3)) },
  { name: "repeats 30 words", answer: ANSWER, first: writing, rest: (said) => saying(repeating(said, 30)) },
  { name: "starts over", answer: ANSWER, first: writing, rest: () => saying(ANSWER) },
  {
    name: "goes on with a call",
    answer: "",
    first: writing,
    rest: () => chatTurn({ calls: [{ name: "note", arguments: {} }] }),
    after: chatTurn({ text: AFTER_CALL }),
  },
  {
    name: "was still thinking",
    answer: ANSWER,
    first: () => slowly(chatTurn({ reasoning: THOUGHTS, text: ANSWER, chunkSize: "word" })),
    rest: (said) => chatTurn({ reasoning: THOUGHTS, text: ANSWER.slice(said.length), chunkSize: "word" }),
  },
];

/** Kills instances in the middle of answers, and compares every word of what followers saw with what the model wrote. */
export async function continueRounds(
  worlds: readonly World[],
  rounds: number,
  seed: number,
): Promise<boolean> {
  const random = seededRandom(Math.imul(seed, 2_654_435_761));
  const rows = new Map<
    string,
    { engine: string; model: string; kills: number; errors: number; seams: number }
  >();
  for (let index = 0; index < rounds; index++) {
    const world = worlds[index % worlds.length];
    const manner = MANNERS[Math.floor(index / worlds.length) % MANNERS.length];
    if (!world || !manner) throw new Error("there is nothing to kill");
    const key = `${world.engine} ${manner.name}`;
    const row = rows.get(key) ?? { engine: world.engine, model: manner.name, kills: 0, errors: 0, seams: 0 };
    rows.set(key, row);
    const turn = await killOnce(world, manner, random);
    const { lost, doubled } = await checkWorld(world);
    const { finishReason, text } = turn.state();
    const wrong = finishReason === "stop" ? wrongSeam(turn, manner) : undefined;
    row.kills += 1;
    if (finishReason !== "stop" || lost.length + doubled.length > 0) row.errors += 1;
    if (wrong !== undefined) row.seams += 1;
    for (const line of [...lost, ...doubled, ...(wrong === undefined ? [] : [wrong])])
      console.log(`round ${index + 1}: ${line}`);
    if (finishReason !== "stop")
      console.log(`round ${index + 1}: ${key} ended with ${finishReason}: ${text.slice(-80)}`);
    if ((index + 1) % 20 === 0) console.log(`${index + 1} of ${rounds}`);
  }
  const all = [...rows.values()].toSorted((a, b) => a.engine.localeCompare(b.engine));
  console.table(all);
  const sum = (count: (row: (typeof all)[number]) => number) =>
    all.reduce((total, row) => total + count(row), 0);
  const [kills, errors, seams] = [sum((row) => row.kills), sum((row) => row.errors), sum((row) => row.seams)];
  console.log(
    `${kills} kills in mid-answer: ${errors} runs ended with an error, ${seams} seams were not clean`,
  );
  return errors + seams === 0;
}

/** Starts a turn, kills its instance when a random word was seen, and waits for the end. */
async function killOnce(world: World, manner: Manner, random: () => number): Promise<FollowedTurn> {
  const victim = world.instances[Math.floor(random() * world.instances.length)];
  if (!victim) throw new Error("there is no instance to kill");
  const killed = Promise.withResolvers<void>();
  const { frames, ...rest } = manner.first();
  const begun = frames.slice(0, 5 + Math.floor(random() * (frames.length - 10)));
  const play: Play = (step, attempt, said) => {
    if (step > 0) return manner.after ?? chatTurn({ text: "" });
    if (said !== undefined) return manner.rest(said);
    // However slow the machine is, the answer is not over before the kill.
    return attempt === 0 ? { ...rest, frames: [...begun, { hold: killed.promise }] } : manner.rest("");
  };
  const turn = world.turn(play, { at: victim });
  const words = JSON.stringify(begun.slice(0, -2)).match(/(?:word|thought)-\d+/g);
  const seen = words?.at(-1) ?? "session";
  await within(60_000, turn.seen(seen), seen).catch((thrown: unknown) => {
    console.log(JSON.stringify(turn.events()).slice(-2_000));
    throw thrown;
  });
  await pause(random() * 30);
  await victim.kill();
  killed.resolve();
  await victim.start();
  await turn.ended;
  return turn;
}

/** Returns what is wrong with the answer, if something is. */
function wrongSeam(turn: FollowedTurn, { answer, name }: Manner): string | undefined {
  const state = turn.state();
  const continued = turn.events().filter(({ type }) => type === "run_continued").length;
  if (continued === 0) return `${name}: nothing says that the run was continued`;
  const thoughts = state.blocks.flatMap((block) =>
    block.type === "reasoning" ? [block.reasoning.text] : [],
  );
  if (thoughts.length > 1 || !THOUGHTS.startsWith(thoughts[0] ?? ""))
    return `${name}: reasoning was shown twice`;
  if (answer !== "") return state.text === answer ? undefined : `${name}: ${differing(state.text, answer)}`;
  const [call] = callsOf(state);
  const before = state.text.slice(0, call?.textOffset);
  const isRight =
    call?.status === "succeeded" && ANSWER.startsWith(before) && state.text === before + AFTER_CALL;
  return isRight ? undefined : `${name}: ${state.text.slice(-120)}`;
}

function differing(text: string, answer: string): string {
  let at = 0;
  while (text[at] === answer[at]) at++;
  return `“${text.slice(Math.max(0, at - 40), at + 40)}” in place of “${answer.slice(Math.max(0, at - 40), at + 40)}”`;
}
