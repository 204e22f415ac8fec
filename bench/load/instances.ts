import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type NatsNode, startNats } from "../../src/store/testing/nats.ts";
import { type Cluster, findRelease, startCluster } from "../../src/store/testing/postgres.ts";
import type { Child } from "./child.ts";
import { Contestant, isGood, shippedCommandLine, startServer } from "./contestant.ts";
import { GOOD_P99_MS, type Seen, TOKEN_GAP_MS } from "./figures.ts";
import { machineTime, treeTime } from "./machine.ts";

const COUNTS = numbersOf("--counts=") ?? [1, 2, 4];
/** Streams in all, instead of a search for the most, which says little on a machine that others disturb. */
const STREAMS = numbersOf("--streams=");
/** Keeps the events of answers in progress in three NATS nodes instead of the database. */
const ON_NATS = process.argv.includes("--journal=nats");
/** Streams per process, few enough that the machine is not full. */
const EACH = 50;
const LOOK_MS = 4_000;
/** WAL files of 16 MB each, more than a measurement writes. */
const LOG_FILES = 40;
/** How often a different number than the search found is tried. */
const TRIES = 10;
/** Cores that other processes may use before the figures say little. */
const DISTURBED = 0.2;

/** How many cores each part used while streams were open. */
interface Share {
  seen: Seen;
  servers: number;
  database: number;
  /** The nodes of the journal beside the database; 0 without one. */
  journal: number;
  /** The model and the readers of this bench. */
  around: number;
  /** Unrelated processes. */
  others: number;
  /** Bytes that the database wrote to its log, for each token. */
  logBytes: number;
}

/** The processes whose CPU is measured separately. */
interface Parts {
  servers: Child[];
  cluster: Cluster;
  database: number;
  journal: readonly NatsNode[];
  around: Child[];
}

/** Measures several processes on one PostgreSQL: what each costs, and what is the bottleneck. */
export async function reportInstances(upstream: Child, client: Child): Promise<void> {
  const release = findRelease();
  if (!release) return console.log("\nPostgreSQL is not installed: several processes were not measured");
  const address = await upstream.ask<string>("url");
  console.log(
    `\nSeveral processes on one ${release.name}: servers, database, model and readers share the ${availableParallelism()} cores of this machine.` +
      `\nFor each count: ${STREAMS ? `${STREAMS.join(", ")} streams` : `${EACH} streams a process, then the most with p99 under ${GOOD_P99_MS} ms added`}.${ON_NATS ? " The journal is on three NATS nodes." : ""}\n`,
  );
  console.log(
    row([
      "processes",
      "streams",
      "p50",
      "p99",
      "servers",
      "database",
      "journal",
      "log",
      "cores: servers",
      "database",
      "bench",
      "others",
    ]),
  );
  const found: Share[] = [];
  for (const count of COUNTS) {
    const cluster = await startCluster(release, { durable: true });
    const nats = ON_NATS ? await startNats() : undefined;
    const journal = nats && { TACKLE_JOURNAL_URL: nats.url };
    const env = { ...shippedCommandLine().env, DATABASE_URL: cluster.url, ...journal };
    const servers = Array.from({ length: count }, () => startServer("tackle", address, { env }));
    const contestant = new Contestant(`${count} on ${release.name}`, servers, client);
    try {
      await fillLog(cluster);
      await contestant.prepare("tackle");
      await contestant.burst(); // Warms up.
      const parts = {
        servers,
        cluster,
        database: await postmasterOf(cluster),
        journal: nats?.nodes ?? [],
        around: [upstream, client],
      };
      for (const streams of STREAMS ?? [EACH * count, "most"]) {
        const share =
          typeof streams === "number"
            ? await hold(contestant, parts, streams)
            : await holdMost(contestant, parts);
        say(count, share);
        found.push(share);
      }
      console.log(await storedAfter(cluster));
    } finally {
      await contestant.stop();
      await nats?.dispose();
      await cluster.dispose();
    }
  }
  conclude(found);
}

/** Returns the numbers in a flag, if it is given. */
function numbersOf(flag: string): number[] | undefined {
  const word = process.argv.find((word) => word.startsWith(flag));
  return word?.slice(flag.length).split(",").map(Number);
}

/** Creates the WAL files in advance, as in a database in use. Otherwise commits would wait for each new file. */
async function fillLog(cluster: Cluster): Promise<void> {
  await cluster.run("ALTER SYSTEM SET min_wal_size = '1GB'");
  await cluster.run("SELECT pg_reload_conf()");
  for (let files = 0; files < LOG_FILES; files++) {
    await cluster.run("SELECT pg_logical_emit_message(false, 'bench', '')");
    await cluster.run("SELECT pg_switch_wal()");
  }
  await cluster.run("CHECKPOINT");
}

/** Returns the process id of a database server. */
export async function postmasterOf(cluster: Cluster): Promise<number> {
  const [found] = (await cluster.run("SHOW data_directory")) as { data_directory: string }[];
  return Number.parseInt(readFileSync(join(found?.data_directory ?? "", "postmaster.pid"), "utf8"), 10);
}

async function logPosition(cluster: Cluster): Promise<number> {
  const [row] = (await cluster.run(
    "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes",
  )) as { bytes: number }[];
  return row?.bytes ?? 0;
}

/** Says how many bytes are on disk for each byte of text in the answers of runs that have ended. */
async function storedAfter(cluster: Cluster): Promise<string> {
  const sizeOf = (table: string) => `pg_total_relation_size('tackle.${table}')`;
  const [row] = (await cluster.run(
    `SELECT sum(octet_length(m.text))::float8 AS text, (SELECT ${sizeOf("run_folded")})::float8 AS folded,
       (SELECT ${sizeOf("messages")})::float8 AS messages,
       (SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'tackle.run_pages'::regclass)::float8 AS pages,
       (SELECT count(*) FROM tackle.runs WHERE folded)::int AS runs
     FROM tackle.messages AS m JOIN tackle.runs AS r ON r.message_id = m.id WHERE r.folded`,
  )) as { text: number; folded: number; messages: number; pages: number; runs: number }[];
  if (!row?.text) return "No run has ended: nothing to say about the disk.";
  const times = (bytes: number) => `${(bytes / row.text).toFixed(2)} ×`;
  return (
    `  After the end, for ${(row.text / 1e6).toFixed(1)} MB of text in ${row.runs} answers: ${times(row.messages + row.folded)} the text on disk (messages ${times(row.messages)}, folded events ${times(row.folded)}), goal 1.3 ×.` +
    ` Pages, which go with their day: ${times(row.pages)}.`
  );
}

/** Checks the result of the short search for a longer time, and tries more or fewer streams. */
async function holdMost(contestant: Contestant, parts: Parts): Promise<Share> {
  let streams = await contestant.most(120);
  let best: Share | undefined;
  for (let tries = 1; ; tries++) {
    const share = await hold(contestant, parts, streams);
    const good = isGood(share.seen);
    if (good) best = share;
    if (tries === TRIES || (best && !good)) return best ?? share;
    streams = Math.round(streams * (good ? 1.15 : 0.88));
  }
}

async function hold(contestant: Contestant, parts: Parts, streams: number): Promise<Share> {
  await contestant.open(streams);
  const logBefore = await logPosition(parts.cluster);
  const before = times(parts);
  const seen = await contestant.look(LOOK_MS);
  const after = times(parts);
  // The log grows while the streams settle too, when their tokens are not counted yet.
  const logBytesPerSecond =
    ((await logPosition(parts.cluster)) - logBefore) / ((after.at - before.at) / 1_000);
  const logBytes = (logBytesPerSecond * seen.seconds) / seen.tokens;
  await contestant.close();
  const cores = (figure: keyof typeof after) => (after[figure] - before[figure]) / (after.at - before.at);
  const [servers, database, around] = [cores("servers"), cores("database"), cores("around")];
  const journal = cores("journal");
  // Measured differently than the rest, so the difference may be slightly negative.
  const others = Math.max(0, cores("machine") - servers - database - journal - around);
  return { seen, servers, database, journal, around, others, logBytes };
}

function times({ servers, database, journal, around }: Parts) {
  const sum = (children: Child[]) =>
    children.reduce((total, child) => total + treeTime(child.process.pid ?? 0), 0);
  return {
    at: performance.now(),
    machine: machineTime(),
    servers: sum(servers),
    database: treeTime(database),
    journal: journal.reduce((total, { pid = 0 }) => total + treeTime(pid), 0),
    around: sum(around),
  };
}

function say(count: number, share: Share): void {
  const { seen, servers, database, journal, around, others, logBytes } = share;
  console.log(
    row([
      String(count),
      String(seen.streams),
      `${seen.p50.toFixed(1)} ms`,
      `${seen.p99.toFixed(1)} ms`,
      `${perToken(servers, seen).toFixed(0)} µs`,
      `${perToken(database, seen).toFixed(0)} µs`,
      journal === 0 ? "–" : `${perToken(journal, seen).toFixed(0)} µs`,
      `${logBytes.toFixed(0)} B`,
      ...[servers, database, around, others].map((cores) => cores.toFixed(2)),
    ]),
  );
}

function perToken(cores: number, { tokens, seconds }: Seen): number {
  return (cores * 1e6 * seconds) / tokens;
}

/** Extrapolates to a larger machine, and says that this is an estimate. */
function conclude(found: Share[]): void {
  const disturbed = found.filter(({ others }) => others > DISTURBED).length;
  if (disturbed > 0)
    console.log(
      `\nIn ${disturbed} of ${found.length} lines other programs used more than ${DISTURBED} cores: measure again when the machine is idle.`,
    );
  const last = found.at(-1);
  if (!last || last.seen.tokens === 0) return;
  const streams = (cores: number) => ((TOKEN_GAP_MS * 1000) / perToken(cores, last.seen)).toFixed(0);
  const bench = last.around / (last.servers + last.database + last.around);
  console.log(
    `\nWith ${last.seen.streams} streams on ${COUNTS.at(-1)} processes, the machine is ${percent((last.servers + last.database + last.around + last.others) / availableParallelism())} busy; the model and the readers use ${percent(bench)} of our part.` +
      `\nMore processes on a full machine do not hold more streams. By the cost of a token, each additional core for servers adds` +
      `\nabout ${streams(last.servers)} streams, and one core of the database is full at about ${streams(last.database)}. This is an estimate, not a measurement.`,
  );
}

function percent(part: number): string {
  return `${(part * 100).toFixed(0)} %`;
}

function row(cells: string[]): string {
  const widths = [10, 8, 8, 9, 9, 9, 9, 7, 15, 9, 7, 7];
  return cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join(" ");
}
