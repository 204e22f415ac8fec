import { Connection } from "../../client/connection.ts";
import { PATIENCE } from "../../client/patience.ts";
import type { ActiveRun, Situation } from "../../protocol/administration.ts";
import { FAILURE_STATUS, Failure } from "../../protocol/failure.ts";
import type { UsageReport } from "../../protocol/ledger.ts";
import { type MetricsText, parseMetricsText } from "./metrics-text.ts";

/** One look at a server. */
export interface Reading {
  at: number;
  ready: boolean;
  runs: (ActiveRun & { user: string })[];
  /** Names of the breakers that reject calls. */
  openBreakers: string[];
  /** Missing if the server does not show its metrics to this machine. */
  metrics: MetricsText | undefined;
  today: DayReading;
}

/** What changes slowly, and is read less often. */
export interface DayReading {
  costUsd: number;
  errors: { code: string; source: string; count: number; latest: string }[];
}

export interface ReaderOptions {
  /** An administrator's API key. */
  token?: string | undefined;
  metricsToken?: string | undefined;
}

const DAY_EVERY_MS = 5_000;
const TIMEOUT_MS = 10_000;

/** Returns a function that reads the state of a server. It rejects with a sentence that says what to do. */
export function createServerReader(
  url: string,
  { token, metricsToken }: ReaderOptions,
): () => Promise<Reading> {
  const connection = new Connection(url, token ? { token } : {}, PATIENCE);
  const monitor = metricsToken ? new Connection(url, { token: metricsToken }, PATIENCE) : connection;
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  let today: (DayReading & { readAt: number }) | undefined;

  const get = <Answer>(path: string, query = {}) =>
    connection.json<Answer>(path, { query, signal: AbortSignal.timeout(TIMEOUT_MS) });

  async function readDay(): Promise<DayReading> {
    if (today && Date.now() - today.readAt < DAY_EVERY_MS) return today;
    const query = { days: 1, timeZone };
    const [usage, { counts }] = await Promise.all([
      get<UsageReport>("admin/usage", query),
      get<{ counts: DayReading["errors"] }>("admin/errors", query),
    ]);
    today = { costUsd: usage.total.costUsd, errors: counts, readAt: Date.now() };
    return today;
  }

  async function readMetrics(): Promise<MetricsText | undefined> {
    try {
      const answer = await monitor.call("metrics", { signal: AbortSignal.timeout(TIMEOUT_MS) });
      return parseMetricsText(await answer.text());
    } catch (thrown) {
      if (isRefusal(thrown)) return undefined;
      throw thrown;
    }
  }

  async function readReady(): Promise<boolean> {
    try {
      return (await get<{ ok: boolean }>("readyz")).ok;
    } catch (thrown) {
      if (thrown instanceof Failure && FAILURE_STATUS[thrown.code] === 503) return false;
      throw thrown;
    }
  }

  return async () => {
    try {
      const [now, day, metrics, ready] = await Promise.all([
        get<Omit<Situation, "runs"> & { runs: Reading["runs"] }>("admin/now"),
        readDay(),
        readMetrics(),
        readReady(),
      ]);
      const openBreakers = now.breakers.filter(({ state }) => state !== "closed").map(({ name }) => name);
      return { at: Date.now(), ready, runs: now.runs, openBreakers, metrics, today: day };
    } catch (thrown) {
      if (thrown instanceof Failure && thrown.code === "CANCELLED")
        throw new Failure("UPSTREAM_TIMEOUT", `The server at ${connection.origin} does not answer.`, {
          cause: thrown,
        });
      if (!isRefusal(thrown)) throw thrown;
      const sentence = `${thrown.publicMessage} Set TACKLE_TOKEN to an administrator's API key with the scope admin.`;
      throw new Failure(thrown.code, sentence, { cause: thrown });
    }
  };
}

function isRefusal(thrown: unknown): thrown is Failure {
  return thrown instanceof Failure && (thrown.code === "UNAUTHORIZED" || thrown.code === "FORBIDDEN");
}
