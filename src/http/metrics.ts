import type { Counter } from "prom-client";
import Gauge from "prom-client/lib/gauge.js";
import Registry from "prom-client/lib/registry.js";
import { addGuardMetrics, type GuardMetricsSource } from "./guard-metrics.ts";
import { addGenAiMetrics, addRunMetrics, type RunMetricsSource } from "./run-metrics.ts";
import type { StreamEnd } from "./sse.ts";
import type { MetricsSnapshot } from "./sum-metrics.ts";

export interface MetricsSources {
  lagMs(): number;
  stats?(): Promise<Record<string, number>>;
  runMetrics?: RunMetricsSource;
  guardMetrics?: GuardMetricsSource;
  /** The metrics of all processes that share the port, with those of this one. */
  allProcesses?: (() => Promise<MetricsSnapshot[]>) | undefined;
}

export interface Metrics {
  answered(facts: { route: string; method: string; status: number; seconds?: number }): void;
  streamOpened(kind: "new" | "resumed"): void;
  streamEnded(end: StreamEnd): void;
  /** The Prometheus text of everything. */
  text(): Promise<string>;
  /** What this process has counted. */
  snapshot(): Promise<MetricsSnapshot>;
  readonly contentType: string;
}

/**
 * These are read through internal functions of Node, which can end the process while connections close. `nodejs_active_resources`
 * says the same.
 */
const UNSAFE_DEFAULTS = ["handles", "requests"].flatMap((what) => [
  `nodejs_active_${what}`,
  `nodejs_active_${what}_total`,
]);

/** What each process has for itself. */
const OWN_STATS = /^(ownedRuns|pool[A-Z]\w*)$/;

/** Creates the metrics of the server, never by user. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  const make = metricsIn(registry);
  const { counter, gauge, histogram } = make;
  let collecting: Promise<void> | undefined;
  const requests = counter("tackle_http_requests_total", "Requests handled", ["route", "method", "status"]);
  const durations = histogram(
    "tackle_http_request_duration_seconds",
    "Time until a response was ready, without event streams",
    ["route"],
    [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  );
  const streams = gauge("tackle_sse_streams", "Event streams in flight");
  const opened = counter(
    "tackle_sse_opened_total",
    "Event streams opened, by whether they started or resumed a run",
    ["kind"],
  );
  const ended = counter("tackle_sse_ended_total", "Event streams ended, by reason", ["reason"]);
  const lag = gauge("tackle_event_loop_lag_seconds", "How late timers fire", "max");
  if (sources.runMetrics) addRunMetrics(make, sources.runMetrics);
  if (sources.guardMetrics) addGuardMetrics(registry, make, sources.guardMetrics);
  addGenAiMetrics(make, sources);

  /** Brings what is measured only on request up to date. */
  async function collect(): Promise<void> {
    collecting ??= collectDefaults(registry);
    await collecting;
    lag.set(sources.lagMs() / 1000);
    for (const [name, value] of Object.entries((await sources.stats?.()) ?? {})) {
      const metric = `tackle_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
      const known = registry.getSingleMetric(metric);
      // The others are counted in the database that the processes share.
      const shown =
        known instanceof Gauge ? known : gauge(metric, name, OWN_STATS.test(name) ? "sum" : "max");
      shown.set(value);
    }
  }

  return {
    contentType: registry.contentType,
    answered({ route, method, status, seconds }) {
      requests.inc({ route, method, status: String(status) });
      if (seconds !== undefined) durations.observe({ route }, seconds);
    },
    streamOpened(kind) {
      streams.inc();
      opened.inc({ kind });
    },
    streamEnded(reason) {
      streams.dec();
      ended.inc({ reason });
    },
    async text() {
      if (sources.allProcesses) {
        const { textOfSum } = await import("./sum-metrics.ts");
        return textOfSum(await sources.allProcesses());
      }
      await collect();
      return registry.metrics();
    },
    async snapshot() {
      await collect();
      return (await registry.getMetricsAsJSON()) as object[] as MetricsSnapshot;
    },
  };
}

/** Metrics of the process: memory, CPU, garbage collection. They wake it a hundred times a second, so they begin at the first request. */
async function collectDefaults(registry: Registry): Promise<void> {
  const { default: collectDefaultMetrics } = await import("prom-client/lib/defaultMetrics.js");
  collectDefaultMetrics({ register: registry });
  for (const name of UNSAFE_DEFAULTS) registry.removeSingleMetric(name);
}

type Labels = Readonly<Record<string, string | undefined>>;

/** What the registry reads of a metric. */
interface Reading {
  name: string;
  help: string;
  type: "counter" | "histogram";
  aggregator: "sum";
  values: { labels: Record<string, string | number>; value: number; metricName?: string }[];
}

/** Creates metrics in a registry. */
export type MetricsMaker = ReturnType<typeof metricsIn>;

/** Counters and histograms that count more cheaply than those of the package, and its gauges. */
function metricsIn(registry: Registry) {
  const register = (name: string, help: string, type: Reading["type"], values: () => Reading["values"]) => {
    const get = async (): Promise<Reading> => ({ name, help, type, aggregator: "sum", values: values() });
    registry.registerMetric({ name, help, type, aggregator: "sum", get } as object as Counter);
  };
  return {
    counter(name: string, help: string, labelNames: readonly string[] = []) {
      const counts = new ByLabels(labelNames, () => ({ count: 0 }));
      register(name, help, "counter", () =>
        counts.read((labels, { count }) => [{ labels: { ...labels }, value: count }]),
      );
      return {
        inc(labels: Labels = {}, by = 1): void {
          if (Number.isFinite(by)) counts.of(labels).count += by;
        },
      };
    },
    /** `aggregator` says how the values of several processes become one. */
    gauge: (name: string, help: string, aggregator: "sum" | "max" = "sum") =>
      new Gauge({ name, help, aggregator, registers: [registry] }),
    histogram(name: string, help: string, labelNames: readonly string[], buckets: readonly number[]) {
      const all = new ByLabels(labelNames, () => ({ counts: buckets.map(() => 0), count: 0, sum: 0 }));
      register(name, help, "histogram", () =>
        all.read((labels, { counts, count, sum }) => {
          const upTo: [number | string, number][] = [];
          for (const [at, bucket] of buckets.entries())
            upTo.push([bucket, (upTo[at - 1]?.[1] ?? 0) + (counts[at] ?? 0)]);
          return [
            ...[...upTo, ["+Inf", count] as const].map(([le, value]) => ({
              labels: { le, ...labels },
              value,
              metricName: `${name}_bucket`,
            })),
            { labels: { ...labels }, value: sum, metricName: `${name}_sum` },
            { labels: { ...labels }, value: count, metricName: `${name}_count` },
          ];
        }),
      );
      return {
        observe(labels: Labels, value: number): void {
          if (!Number.isFinite(value)) return;
          const found = all.of(labels);
          const at = buckets.findIndex((bucket) => value <= bucket);
          if (at !== -1) found.counts[at] = (found.counts[at] ?? 0) + 1;
          found.count++;
          found.sum += value;
        },
      };
    },
  };
}

/**
 * Values by labels. Each turn adds to twenty of them. The counters and histograms of the package check and copy the labels each
 * time, which took 2 % of the turn.
 */
class ByLabels<Value> {
  readonly #names: readonly string[];
  readonly #make: () => Value;
  readonly #entries = new Map<string, { labels: Record<string, string>; value: Value }>();

  constructor(names: readonly string[], make: () => Value) {
    this.#names = names;
    this.#make = make;
    // Without labels there is one value from the beginning.
    if (names.length === 0) this.of({});
  }

  of(labels: Labels): Value {
    let key = "";
    for (const name of this.#names) key += `${labels[name] ?? ""}\n`;
    const known = this.#entries.get(key);
    if (known) return known.value;
    const given = this.#names.flatMap((name) => {
      const label = labels[name];
      return label === undefined ? [] : [[name, label] as const];
    });
    const made = { labels: Object.fromEntries(given), value: this.#make() };
    this.#entries.set(key, made);
    return made.value;
  }

  read<Result>(values: (labels: Record<string, string>, value: Value) => Result[]): Result[] {
    return [...this.#entries.values()].flatMap(({ labels, value }) => values(labels, value));
  }
}
