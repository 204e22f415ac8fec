import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { addGuardMetrics, type GuardMetricsSource } from "./guard-metrics.ts";
import { addRunMetrics, type RunMetricsSource } from "./run-metrics.ts";
import type { StreamEnd } from "./sse.ts";

export interface MetricsSources {
  lagMs(): number;
  stats?(): Promise<Record<string, number>>;
  runMetrics?: RunMetricsSource;
  guardMetrics?: GuardMetricsSource;
}

export interface Metrics {
  answered(facts: { route: string; method: string; status: number; seconds?: number }): void;
  streamOpened(kind: "new" | "resumed"): void;
  streamEnded(end: StreamEnd): void;
  /** The Prometheus text of everything. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Creates the metrics of the server, never by user. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "tackle_http_requests_total",
    help: "Requests handled",
    labelNames: ["route", "method", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "tackle_http_request_duration_seconds",
    help: "Time until a response was ready, without event streams",
    labelNames: ["route"],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers,
  });
  const streams = new Gauge({ name: "tackle_sse_streams", help: "Event streams in flight", registers });
  const opened = new Counter({
    name: "tackle_sse_opened_total",
    help: "Event streams opened, by whether they started or resumed a run",
    labelNames: ["kind"],
    registers,
  });
  const ended = new Counter({
    name: "tackle_sse_ended_total",
    help: "Event streams ended, by reason",
    labelNames: ["reason"],
    registers,
  });
  gauge(registry, "tackle_event_loop_lag_seconds", "How late timers fire", () => sources.lagMs() / 1000);
  if (sources.runMetrics) addRunMetrics(registry, sources.runMetrics);
  if (sources.guardMetrics) addGuardMetrics(registry, sources.guardMetrics);

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
      for (const [name, value] of Object.entries((await sources.stats?.()) ?? {})) {
        const metric = `tackle_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
        const known = registry.getSingleMetric(metric);
        const shown = known instanceof Gauge ? known : new Gauge({ name: metric, help: name, registers });
        shown.set(value);
      }
      return registry.metrics();
    },
  };
}

function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
