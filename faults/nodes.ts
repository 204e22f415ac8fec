import { setTimeout as pause } from "node:timers/promises";
import { chatTurn } from "../src/sim/turns.ts";
import { seededRandom } from "../src/store/conformance/harness.ts";
import type { NatsNode, NatsServers } from "../src/store/testing/nats.ts";
import { checkWorld } from "./invariants.ts";
import { type FaultRow, report } from "./report.ts";
import type { World } from "./world.ts";

/** What happens to nodes of the NATS cluster, and how it ends. */
interface NodeFault {
  name: string;
  /** The name in docs/reliability.md. */
  scenario: string;
  /** Returns the nodes that it happens to. */
  choose(nats: NatsServers, random: () => number): Promise<readonly NatsNode[]>;
  begin(node: NatsNode): void | Promise<void>;
  end(node: NatsNode): void | Promise<void>;
  /** How long it lasts. Without it, until all runs have ended. */
  lastsMs?: number;
}

const killed = { begin: (node: NatsNode) => node.kill(), end: (node: NatsNode) => node.start() };
const frozen = { begin: (node: NatsNode) => node.freeze(), end: (node: NatsNode) => node.thaw() };
const cutOff = { begin: (node: NatsNode) => node.cutOff(), end: (node: NatsNode) => node.reconnect() };

/** Long enough for the others to elect a leader, so that a frozen or separated one comes back as a former leader. */
const ELECTION_MS = 12_000;

/** All faults of nodes. */
export const NODE_FAULTS: readonly NodeFault[] = [
  { name: "any node killed", scenario: "journal-node-killed", choose: anyNode, ...killed },
  { name: "leader killed", scenario: "journal-leader-killed", choose: leader, ...killed },
  {
    name: "leader frozen",
    scenario: "journal-leader-frozen",
    choose: leader,
    ...frozen,
    lastsMs: ELECTION_MS,
  },
  {
    name: "leader cut off",
    scenario: "journal-leader-cut-off",
    choose: leader,
    ...cutOff,
    lastsMs: ELECTION_MS,
  },
  {
    name: "majority killed",
    scenario: "journal-majority-killed",
    choose: majority,
    ...killed,
    lastsMs: 3_000,
  },
  {
    name: "all cut off from each other",
    scenario: "journal-all-cut-off",
    choose: majority,
    ...cutOff,
    lastsMs: 5_000,
  },
];

const WORDS = Array.from({ length: 120 }, (_, index) => `word-${index}.`).join(" ");

async function anyNode({ nodes }: NatsServers, random: () => number): Promise<readonly NatsNode[]> {
  const chosen = Math.floor(random() * nodes.length);
  return nodes.filter((_, index) => index === chosen);
}

async function leader(nats: NatsServers, random: () => number): Promise<readonly NatsNode[]> {
  const streams = await nats.streams();
  const name = await nats.leaderOf(streams[Math.floor(random() * streams.length)] ?? "");
  return nats.nodes.filter((node) => node.name === name);
}

async function majority({ nodes }: NatsServers, random: () => number): Promise<readonly NatsNode[]> {
  const spared = Math.floor(random() * nodes.length);
  return nodes.filter((_, index) => index !== spared);
}

/** Streams turns on all instances while the fault happens, and checks the guarantees. */
export async function nodeRound(world: World, fault: NodeFault, random: () => number) {
  const { nats } = world;
  if (!nats) throw new Error("there is no NATS cluster");
  const turns = world.instances.flatMap((at) =>
    [1, 2, 3].map(() =>
      world.turn(() => ({ ...chatTurn({ text: WORDS, chunkSize: "word" }), gapMs: 15 }), {
        at,
        patienceMs: 60_000,
      }),
    ),
  );
  await Promise.all(turns.map((turn) => turn.seen(`word-${Math.floor(random() * 60)}.`)));
  const nodes = await fault.choose(nats, random);
  const at = performance.now();
  await Promise.all(nodes.map((node) => fault.begin(node)));
  try {
    if (fault.lastsMs === undefined) await Promise.allSettled(turns.map(({ ended }) => ended));
    else await pause(fault.lastsMs);
  } finally {
    await Promise.all(nodes.map((node) => fault.end(node)));
  }
  const violations = await checkWorld(world);
  const tookMs = performance.now() - at;
  await allFollow(nats);
  return { ...violations, runs: turns.length, tookMs };
}

/** Waits until every node has caught up, so that the next fault meets a whole cluster. */
async function allFollow(nats: NatsServers): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await nats.isWhole().catch(() => false)) return;
    await pause(100);
  }
  throw new Error("the NATS cluster did not recover");
}

/** Breaks nodes this many times, one fault after the other, and prints the results. */
export async function nodeRounds(worlds: readonly World[], rounds: number, seed: number): Promise<boolean> {
  const [world] = worlds;
  if (!world) throw new Error("NATS is not installed");
  const random = seededRandom(Math.imul(seed, 2_654_435_761));
  const rows = new Map<string, FaultRow>();
  for (let index = 0; index < rounds; index++) {
    const fault = NODE_FAULTS[index % NODE_FAULTS.length];
    if (!fault) continue;
    const { runs, lost, doubled, tookMs } = await nodeRound(world, fault, random);
    for (const line of [...lost, ...doubled]) console.log(`round ${index + 1}: ${line}`);
    const row = rows.get(fault.name) ?? {
      engine: "NATS",
      phase: fault.name,
      kills: 0,
      runs: 0,
      lost: [],
      doubled: [],
      longestMs: 0,
    };
    rows.set(fault.name, row);
    row.kills += 1;
    row.runs += runs;
    row.lost.push(...lost);
    row.doubled.push(...doubled);
    row.longestMs = Math.max(row.longestMs, tookMs);
    console.log(`${index + 1} of ${rounds}: ${fault.name}, ${Math.round(tookMs)} ms`);
  }
  return report([...rows.values()]);
}
