import type { Counter, Registry } from "prom-client";
import Gauge from "prom-client/lib/gauge.js";

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
export function metricsIn(registry: Registry) {
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
