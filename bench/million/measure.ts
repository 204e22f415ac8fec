import { setTimeout as pause } from "node:timers/promises";
import { type Cluster, findRelease, startCluster } from "../../src/store/testing/postgres.ts";
import { modelAt, type OwnProcess, startOwnServer, temporaryFolder } from "../../test/support/server.ts";
import { Child } from "../load/child.ts";
import { TOKEN_GAP_MS } from "../load/figures.ts";
import { postmasterOf } from "../load/instances.ts";
import { treeTime } from "../load/machine.ts";
import { fitCost, predictAmount, type Work } from "./fit.ts";
import type { Crowd } from "./people.ts";
import type { Costs } from "./predict.ts";

/** A load: this many people at once on this many processes, each asking for answers of a length, one after the other. */
interface Load {
  processes: number;
  people: number;
  turnsEach: number;
  tokens: number;
}

interface Measured {
  processes: number;
  work: Work;
  /** Seconds of CPU of the servers and of the database, and bytes of write-ahead log. */
  server: number;
  database: number;
  log: number;
}

/** The costs are taken from these, on one process. */
const LEARNED: Load[] = [
  { processes: 1, people: 20, turnsEach: 1, tokens: 300 },
  { processes: 1, people: 60, turnsEach: 1, tokens: 300 },
  { processes: 1, people: 40, turnsEach: 12, tokens: 20 },
];
/** These are predicted from the costs: other numbers of people and processes, and another length. */
const COMPARED: Load[] = [
  { processes: 1, people: 50, turnsEach: 3, tokens: 100 },
  { processes: 2, people: 70, turnsEach: 3, tokens: 100 },
  { processes: 4, people: 120, turnsEach: 3, tokens: 100 },
];
const STORED_TURNS = 500;
const STORED_LEARNED = [40, 400];
const STORED_COMPARED = 150;
const NO_LIMIT = JSON.stringify({ chat: { guest: 1e6, account: 1e6 }, api: { perMinute: 1e6 } });
const SETTLE_MS = 1_000;
/** How far a prediction may be from what is measured. */
export const TOLERANCE = 0.2;

/** A prediction beside what was measured, per token. */
export interface Comparison {
  what: string;
  where: string;
  predicted: number;
  measured: number;
  unit: string;
}

/** Measures on this machine what turns and tokens cost, and how well that predicts other loads. */
export async function measureCosts(): Promise<{ costs: Costs; comparisons: Comparison[]; engine: string }> {
  const release = findRelease();
  if (!release) throw new Error("PostgreSQL is not installed, and this needs it");
  const model = new Child("../million/model.ts", []);
  const people = new Child("../million/people.ts", []);
  const cluster = await startCluster(release, { durable: true });
  try {
    // A checkpoint in the middle would make the next writes of every page larger.
    await cluster.run("ALTER SYSTEM SET checkpoint_timeout = '1h'");
    await cluster.run("ALTER SYSTEM SET max_wal_size = '4GB'");
    await cluster.run("SELECT pg_reload_conf()");
    const address = await model.ask<string>("url");
    const worlds = { cluster, people, address };
    const learned = await measureAll(worlds, LEARNED);
    const compared: Measured[] = [];
    for (const load of COMPARED) compared.push(...(await measureAll(worlds, [load])));
    // The rest of the machine may have become busier meanwhile.
    learned.push(...(await measureAll(worlds, LEARNED)));
    const stored = await measureStored(worlds);
    const cost = (part: "server" | "database" | "log") =>
      fitCost(learned.map((one) => ({ work: one.work, amount: one[part] })));
    const costs = {
      server: cost("server"),
      database: cost("database"),
      log: cost("log"),
      stored: stored.cost,
    };
    return {
      costs,
      engine: release.name,
      comparisons: [...compared.flatMap((one) => compare(one, costs)), stored.comparison],
    };
  } finally {
    await cluster.dispose();
    await Promise.all([model.stop(), people.stop()]);
  }
}

interface World {
  cluster: Cluster;
  people: Child;
  address: string;
}

/** Measures loads on one server, which must all have the same number of processes. */
async function measureAll({ cluster, people, address }: World, loads: Load[]): Promise<Measured[]> {
  const processes = loads[0]?.processes ?? 1;
  return withServer({ cluster, address, processes }, async (server) => {
    const talk = (load: Omit<Crowd, "url">) => people.ask("talk", { ...load, url: server.url });
    // Warms up every process.
    for (let round = 0; round < 3; round++)
      await talk({ people: 25 * processes, turnsEach: 5, tokens: 100, speed: "at once" });
    const database = await postmasterOf(cluster);
    const found: Measured[] = [];
    for (const { people: count, turnsEach, tokens } of loads) {
      process.stderr.write(`${processes} × ${count} people, ${tokens} tokens\n`);
      await settled(cluster);
      const look = async () => ({
        server: treeTime(server.child.pid ?? 0),
        database: treeTime(database),
        log: await logPosition(cluster),
      });
      const before = await look();
      await talk({ people: count, turnsEach, tokens, speed: "slowly" });
      await settled(cluster);
      const after = await look();
      const turns = count * turnsEach;
      found.push({
        processes,
        work: {
          processSeconds: (processes * turnsEach * tokens * TOKEN_GAP_MS) / 1_000,
          turns,
          tokens: turns * tokens,
        },
        server: (after.server - before.server) / 1_000,
        database: (after.database - before.database) / 1_000,
        log: after.log - before.log,
      });
    }
    return found;
  });
}

async function withServer<Result>(
  { cluster, address, processes }: { cluster: Cluster; address: string; processes: number },
  work: (server: OwnProcess) => Promise<Result>,
): Promise<Result> {
  const folder = temporaryFolder();
  const server = await startOwnServer(folder.path, {
    ...modelAt(address),
    DATABASE_URL: cluster.url,
    TACKLE_SECRET: "a secret for this benchmark, and long enough",
    TACKLE_PROCESSES: String(processes),
    TACKLE_LIMITS: NO_LIMIT,
  });
  try {
    for (let tries = 0; processes > 1 && tries < 300; tries++) {
      const text = await fetch(`${server.url}/metrics`).then((response) => response.text());
      if (text.includes(`tackle_processes ${processes}\n`)) break;
      await pause(100);
    }
    return await work(server);
  } finally {
    await server.stop();
    folder.remove();
  }
}

/** What answers leave to do belongs to them: above all, the search index takes them in every two seconds. */
async function settled(cluster: Cluster): Promise<void> {
  for (let isDone = false; !isDone; ) {
    await pause(SETTLE_MS);
    const [row] = (await cluster.run("SELECT NOT EXISTS (SELECT FROM tackle.search_changes) AS done")) as {
      done: boolean;
    }[];
    isDone = row?.done === true;
  }
}

async function logPosition(cluster: Cluster): Promise<number> {
  const [row] = (await cluster.run("SELECT (pg_current_wal_lsn() - '0/0')::text AS position")) as {
    position: string;
  }[];
  return Number(row?.position);
}

/** Measures what is left in the tables, compacted, after answers of three lengths; two of them predict the third. */
async function measureStored({ cluster, people, address }: World) {
  return withServer({ cluster, address, processes: 1 }, async ({ url }) => {
    const growth = async (tokens: number) => {
      const before = await sizeOf(cluster);
      await people.ask("talk", { url, people: 20, turnsEach: STORED_TURNS / 20, tokens, speed: "at once" });
      await settled(cluster);
      const amount = (await sizeOf(cluster)) - before;
      const work = { processSeconds: 0, turns: STORED_TURNS, tokens: STORED_TURNS * tokens };
      return { work, amount };
    };
    const learned = [];
    for (const tokens of STORED_LEARNED) learned.push(await growth(tokens));
    const { work, amount } = await growth(STORED_COMPARED);
    const cost = fitCost(learned);
    const comparison: Comparison = {
      what: "stored after the end",
      where: `answers of ${STORED_COMPARED} tokens`,
      predicted: predictAmount(cost, work) / work.tokens,
      measured: amount / work.tokens,
      unit: "bytes",
    };
    return { cost, comparison };
  });
}

async function sizeOf(cluster: Cluster): Promise<number> {
  await cluster.run("VACUUM FULL");
  const [row] = (await cluster.run("SELECT pg_database_size(current_database())::text AS size")) as {
    size: string;
  }[];
  return Number(row?.size);
}

function compare(measured: Measured, costs: Costs): Comparison[] {
  const { work, processes } = measured;
  const where = `${processes} ${processes === 1 ? "process" : "processes"}`;
  const one = (what: string, part: "server" | "database" | "log", unit: string, scale: number) => ({
    what,
    where,
    predicted: (predictAmount(costs[part], work) / work.tokens) * scale,
    measured: (measured[part] / work.tokens) * scale,
    unit,
  });
  return [
    one("CPU of the servers", "server", "µs", 1e6),
    one("CPU of the database", "database", "µs", 1e6),
    one("write-ahead log", "log", "bytes", 1),
  ];
}

/** True if a prediction is close enough. */
export function holds({ predicted, measured }: Comparison): boolean {
  return Math.abs(predicted / measured - 1) <= TOLERANCE;
}
