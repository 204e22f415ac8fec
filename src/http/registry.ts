import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";

/** Shorthands that create metrics in a registry. */
export function metricsIn(registry: Registry) {
  const registers = [registry];
  return {
    counter: (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    /** `aggregator` says how the values of several processes become one. */
    gauge: (name: string, help: string, aggregator: "sum" | "max" = "sum") =>
      new Gauge({ name, help, aggregator, registers }),
    histogram: (name: string, help: string, labelNames: string[], buckets: number[]) =>
      new Histogram({ name, help, labelNames, buckets, registers }),
  };
}
