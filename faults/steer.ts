import { setTimeout as pause } from "node:timers/promises";
import { chatTurn } from "../src/sim/turns.ts";
import { seededRandom } from "../src/store/conformance/harness.ts";
import type { Instance } from "./instance.ts";
import { checkWorld } from "./invariants.ts";
import { within } from "./kills.ts";
import type { FollowedTurn } from "./turn.ts";
import type { Play, World } from "./world.ts";

const WORDS = Array.from({ length: 25 }, (_, index) => `word-${index}.`).join(" ");
const PATIENCE_MS = 60_000;

/** A message to a run, and whether the server has taken it. */
interface Sent {
  text: string;
  when: "now" | "after";
  messageId?: string;
}

/** The moment at which the instance dies. The messages are sent before it, or just then. */
interface Moment {
  name: string;
  reached(round: Round, sending: Promise<unknown>): Promise<unknown>;
}

interface Round {
  victim: Instance;
  turn: FollowedTurn;
  random(): number;
  openGate(): void;
}

const side = (random: () => number) => (random() < 0.5 ? "asks" : "answers");

/** When an instance is killed. On PostgreSQL the moments are exact, as in `phases.ts`. */
export const MOMENTS: readonly Moment[] = [
  { name: "being sent", reached: ({ random }) => pause(random() * 15) },
  { name: "waiting", reached: (_, sending) => sending },
  {
    name: "being heard",
    async reached({ victim, random, openGate }, sending) {
      await sending;
      const held = victim.line?.holdAt("user_message", side(random));
      openGate();
      await (held ?? pause(random() * 40));
    },
  },
  {
    name: "being answered",
    async reached({ turn, random, openGate }, sending) {
      await sending;
      openGate();
      await turn.seen(`word-${Math.floor(random() * 20)}.`);
    },
  },
  {
    name: "opening the next run",
    async reached({ victim, turn, random, openGate }, sending) {
      await sending;
      const held = victim.line?.holdAt("iterations", side(random));
      openGate();
      if (!held) await turn.seen("word-24.");
      await (held ?? pause(random() * 40));
    },
  },
];

/** Sends messages into runs, kills their instance, and checks that each message was used exactly once. */
export async function steerRounds(worlds: readonly World[], rounds: number, seed: number): Promise<boolean> {
  const random = seededRandom(Math.imul(seed, 2_654_435_761));
  const rows = new Map<
    string,
    { engine: string; moment: string; kills: number; sent: number; wrong: number }
  >();
  for (let index = 0; index < rounds; index++) {
    const world = worlds[index % worlds.length];
    const moment = MOMENTS[Math.floor(index / worlds.length) % MOMENTS.length];
    if (!world || !moment) throw new Error("there is nothing to kill");
    const key = `${world.engine} ${moment.name}`;
    const row = rows.get(key) ?? { engine: world.engine, moment: moment.name, kills: 0, sent: 0, wrong: 0 };
    rows.set(key, row);
    const { sent, problems } = await steerRound(world, moment, random);
    row.kills += 1;
    row.sent += sent;
    row.wrong += problems.length;
    for (const line of problems) console.log(`round ${index + 1} (${key}): ${line}`);
    if ((index + 1) % 20 === 0) console.log(`${index + 1} of ${rounds}`);
  }
  const all = [...rows.values()].toSorted((a, b) => a.engine.localeCompare(b.engine));
  console.table(all);
  const sum = (count: (row: (typeof all)[number]) => number) =>
    all.reduce((total, row) => total + count(row), 0);
  const [kills, sent, wrong] = [sum((row) => row.kills), sum((row) => row.sent), sum((row) => row.wrong)];
  console.log(`${kills} kills, ${sent} messages sent into runs: ${wrong} not used exactly once`);
  return wrong === 0 && sent > 0;
}

async function steerRound(world: World, moment: Moment, random: () => number) {
  const victim = world.instances[Math.floor(random() * world.instances.length)];
  if (!victim) throw new Error("there is no instance to kill");
  const gate = world.gate();
  let asked = 0;
  const play: Play = () =>
    asked++ === 0
      ? chatTurn({ calls: [{ name: "note", arguments: { gate: gate.path } }] })
      : { ...chatTurn({ text: WORDS, chunkSize: "word" }), gapMs: 4 };
  const turn = world.turn(play, { at: victim });
  await within(PATIENCE_MS, turn.seen("tool_executing"), "tool_executing");
  const sent: Sent[] = (["now", "after", random() < 0.5 ? "now" : "after"] as const).map((when, index) => ({
    when,
    text: `${turn.text} please-${index}.`,
  }));
  const sending = Promise.all(sent.map((one) => send(world, turn, one)));
  sending.catch(() => undefined);
  const round = { victim, turn, random, openGate: gate.open };
  await within(
    PATIENCE_MS,
    Promise.resolve(moment.reached(round, sending)).then(() => undefined),
    moment.name,
  );
  await victim.kill();
  if (random() < 0.5) victim.line?.reset();
  await pause(random() * 200);
  victim.line?.mend();
  gate.open();
  await victim.start();
  const unsent = await sending.then(
    () => [],
    (thrown: unknown) => [String(thrown)],
  );
  const unended = await turn.ended.then(
    () => [],
    (thrown: unknown) => [String(thrown)],
  );
  const problems = [...unsent, ...unended, ...(await untilUsed(world, turn, sent))];
  const { lost, doubled } = await checkWorld(world);
  return {
    sent: sent.filter(({ messageId }) => messageId !== undefined).length,
    problems: [...problems, ...lost, ...doubled],
  };
}

/** Sends a message until a server answers. The key is the same each time, so that it is sent once. */
async function send(world: World, turn: FollowedTurn, sent: Sent): Promise<void> {
  let last = "";
  for (const deadline = Date.now() + 2 * PATIENCE_MS; Date.now() < deadline; await pause(30)) {
    for (const { url } of world.instances) {
      if (!url) continue;
      const response = await fetch(`${url}/runs/${turn.runId}/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": sent.text, ...world.headers },
        body: JSON.stringify({ message: sent.text, when: sent.when }),
        signal: AbortSignal.timeout(3_000),
      }).catch(() => undefined);
      if (response?.status === 409) return; // The run was over already.
      if (response?.status !== 202) {
        last = response ? `${response.status} ${await response.text()}` : "no connection";
        continue;
      }
      sent.messageId = ((await response.json()) as { messageId: string }).messageId;
      return;
    }
  }
  throw new Error(`${sent.text} got no answer but ${last}`);
}

interface Shown {
  id: string;
  role: string;
  state?: { notices?: { event: { type: string; messageId?: string; when?: string } }[] };
}

/** Waits until every message was used and nothing runs, and says which were used never or twice. */
async function untilUsed(world: World, turn: FollowedTurn, sent: readonly Sent[]): Promise<string[]> {
  let problems: string[] = [];
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await pause(100)) {
    const url = world.instances.find((instance) => instance.url)?.url;
    const read = async <Answer>(path: string) =>
      (await fetch(`${url}/sessions/${turn.sessionId}${path}`, { headers: world.headers })).json() as Answer;
    try {
      const { activeRunId } = await read<{ activeRunId?: string }>("");
      const { messages } = await read<{ messages: Shown[] }>("/messages");
      problems = sent.flatMap((one) => usedOnce(world, messages, one));
      if (activeRunId === undefined && problems.length === 0) return [];
      if (activeRunId === undefined && problems.some((line) => line.includes("twice"))) break;
    } catch {
      // The instance is starting.
    }
  }
  return problems;
}

/** A message is used once if one place of the transcript shows it, and the model has read it once. */
function usedOnce(world: World, messages: readonly Shown[], { text, messageId }: Sent): string[] {
  if (messageId === undefined) return [];
  const heard = messages
    .flatMap(({ state }) => state?.notices ?? [])
    .filter(({ event }) => {
      return event.type === "user_message" && event.messageId === messageId && event.when === "now";
    }).length;
  const used = heard + messages.filter(({ id, role }) => role === "user" && id === messageId).length;
  if (used !== 1) return [`${text} was used ${used === 0 ? "never" : "twice"}`];
  const asked = world.upstream.requests.findLast(({ body }) => JSON.stringify(body).includes(text));
  const read = JSON.stringify(asked?.body ?? "").split(text).length - 1;
  return read === 1 ? [] : [`${text} was read ${read === 0 ? "never" : "twice"}`];
}
