import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Shorthands that create metrics in a registry. */
export function metricsIn(registry: Registry) {
  const registers = [registry];
  return {
    counter: (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: (name: string, help: string) => new Gauge({ name, help, registers }),
    histogram: (name: string, help: string, labelNames: string[], buckets: number[]) =>
      new Histogram({ name, help, labelNames, buckets, registers }),
  };
}
