import { type Cost, predictAmount } from "./fit.ts";
import type { Inputs } from "./inputs.ts";

/** What was measured on this machine. Seconds of CPU, and bytes. */
export interface Costs {
  server: Cost;
  database: Cost;
  log: Cost;
  /** In the tables after the end of a run. */
  stored: Cost;
}

/** What so many people need. */
export interface Prediction {
  messagesPerDay: number;
  /** In the busiest minutes. */
  messagesPerSecond: number;
  tokensPerSecond: number;
  streams: number;
  processes: number;
  instances: number;
  databaseCores: number;
  logBytesPerSecond: number;
  databaseBytes: number;
  fileBytes: number;
  connections: number;
  monthUsd: { servers: number; database: number; storage: number; models: number };
}

const DAY_SECONDS = 86_400;
const MONTH_DAYS = 30.4;
const MOST_PROCESSES = 10_000_000;
/** Of random arrivals, this many standard deviations above the mean are exceeded in one second of a thousand. */
const BURST_DEVIATIONS = 3.1;

/** Computes what the inputs need, by what was measured. */
export function predict(inputs: Inputs, costs: Costs): Prediction {
  const messagesPerDay = inputs.people * inputs.activeShare * inputs.messagesPerDay;
  const messagesPerSecond = (messagesPerDay / DAY_SECONDS) * inputs.peakFactor;
  const tokensPerSecond = messagesPerSecond * inputs.tokensPerAnswer;
  // People write independently of each other, so the number of open streams is Poisson distributed.
  const mean = messagesPerSecond * (inputs.tokensPerAnswer / inputs.tokensPerSecond + inputs.toolSeconds);
  const streams = mean + BURST_DEVIATIONS * Math.sqrt(mean);
  const busy = (cost: Cost, processes: number) =>
    predictAmount(cost, { processSeconds: processes, turns: messagesPerSecond, tokens: tokensPerSecond });
  // Each further process also costs something, so the number is found by trying.
  let processes = Math.max(2, Math.ceil(streams / inputs.streamsPerProcess));
  while (busy(costs.server, processes) > processes * inputs.utilization && processes < MOST_PROCESSES)
    processes = Math.ceil(processes * 1.01);
  const instances = Math.max(2, Math.ceil(processes / inputs.coresPerInstance));
  const databaseCores = busy(costs.database, processes) / inputs.utilization;
  const messagesKept = messagesPerDay * inputs.retentionDays;
  const databaseBytes =
    predictAmount(costs.stored, {
      processSeconds: 0,
      turns: messagesKept,
      tokens: messagesKept * inputs.tokensPerAnswer,
    }) * inputs.storageOverhead;
  const fileBytes = messagesKept * inputs.fileBytesPerMessage;
  const messagesPerMonth = messagesPerDay * MONTH_DAYS;
  return {
    messagesPerDay,
    messagesPerSecond,
    tokensPerSecond,
    streams,
    processes,
    instances,
    databaseCores,
    logBytesPerSecond: busy(costs.log, processes),
    databaseBytes,
    fileBytes,
    connections: processes * inputs.poolSize,
    monthUsd: {
      servers: instances * inputs.coresPerInstance * inputs.coreMonthUsd,
      database: Math.max(2, databaseCores) * inputs.databaseCoreMonthUsd,
      storage:
        (databaseBytes / 1e9) * inputs.diskGigabyteMonthUsd + (fileBytes / 1e9) * inputs.fileGigabyteMonthUsd,
      models:
        (messagesPerMonth / 1e6) *
        (inputs.tokensPerAnswer * inputs.outputMillionUsd +
          inputs.inputTokensPerMessage * inputs.inputMillionUsd),
    },
  };
}

/** A limit, and how many people there are when it is reached. */
export interface Limit {
  what: string;
  people: number;
  remedy: string;
}

/** Returns what breaks first, second and so on, as the number of people grows and everything else stays. */
export function limitsOf(inputs: Inputs, costs: Costs): Limit[] {
  const reach = (used: (prediction: Prediction) => number, most: number) => {
    let [low, high] = [1_000, 1e11];
    while (high / low > 1.01) {
      const people = Math.sqrt(low * high);
      if (used(predict({ ...inputs, people }, costs)) > most) high = people;
      else low = people;
    }
    return low;
  };
  return [
    {
      what: `connections to the database (${inputs.databaseConnections})`,
      people: reach(({ connections }) => connections, inputs.databaseConnections),
      remedy: "Lower TACKLE_DATABASE_POOL, or put a session pooler in front of PostgreSQL.",
    },
    {
      what: `CPU of the database (${inputs.databaseCores} cores)`,
      people: reach(({ databaseCores }) => databaseCores, inputs.databaseCores),
      remedy: "Give separate groups of people their own deployment, each with its own database.",
    },
    {
      what: `write-ahead log (${inputs.logMegabytesPerSecond} MB/s)`,
      people: reach(({ logBytesPerSecond }) => logBytesPerSecond / 1e6, inputs.logMegabytesPerSecond),
      remedy: "Use faster disks, and let replicas follow asynchronously.",
    },
    {
      what: `size of the database (${inputs.databaseTerabytes} TB)`,
      people: reach(({ databaseBytes }) => databaseBytes / 1e12, inputs.databaseTerabytes),
      remedy: "Keep conversations for a shorter time with TACKLE_SESSIONS_DAYS.",
    },
  ].sort((one, other) => one.people - other.people);
}
