import { createRunMetrics, type RunMetrics } from "../../observe/run-metrics.ts";
import { startSampling } from "../../observe/sampling.ts";
import { createExporter } from "../../observe/trace/exporter.ts";
import { createTracer, type Tracer } from "../../observe/trace/tracer.ts";
import { createUsageLedger, type UsageLedger } from "../../observe/usage-ledger.ts";
import type { RequestWaits } from "../../protocol/waits.ts";
import { createRequestWaits } from "../../runs/waits.ts";
import type { Closing } from "../closing.ts";
import type { Config } from "../config.ts";
import type { Data } from "./data.ts";

/** Metrics, traces and the usage ledger. */
export interface Observers {
  metrics: RunMetrics;
  ledger: UsageLedger;
  waits: RequestWaits;
  /** Missing where no collector is set up. */
  tracer: Tracer | undefined;
}

/** Starts everything that watches the others work. */
export function startObservers(config: Config, { store, log }: Data, closing: Closing): Observers {
  const exporter =
    config.tracing && createExporter({ ...config.tracing, onProblem: (line) => log.warn(line) });
  closing.add(() => exporter?.close());
  const ledger = createUsageLedger(store, (thrown) =>
    log.warn({ err: thrown }, "could not write to the usage ledger"),
  );
  closing.add(() => ledger.close());
  closing.add(startSampling(store, (thrown) => log.warn({ err: thrown }, "could not note what is active")));
  return {
    metrics: createRunMetrics(),
    ledger,
    waits: createRequestWaits(),
    tracer: exporter && createTracer(exporter),
  };
}
