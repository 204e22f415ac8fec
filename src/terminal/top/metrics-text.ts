const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)$/;

/** The samples of a Prometheus text. */
export interface MetricsText {
  /** The sum over all samples of a metric that have this label. Undefined if there is no such metric. */
  sum(name: string, label?: string): number | undefined;
}

/** Reads a Prometheus text. */
export function parseMetricsText(text: string): MetricsText {
  const samples = new Map<string, { labels: string; value: number }[]>();
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = SAMPLE.exec(line) ?? [];
    if (name === undefined) continue;
    const known = samples.get(name) ?? [];
    samples.set(name, [...known, { labels, value: Number(value) }]);
  }
  return {
    sum: (name, label = "") =>
      samples
        .get(name)
        ?.filter(({ labels }) => labels.includes(label))
        .reduce((sum, { value }) => sum + value, 0),
  };
}
