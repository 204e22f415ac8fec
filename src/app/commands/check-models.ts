import { once } from "node:events";
import { closeSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { bestModel, createModelCatalogue } from "../../models/catalogue.ts";
import { type CheckResult, checkModel } from "../../models/check/check-model.ts";
import { PROBES } from "../../models/check/probes.ts";
import { recordChecks } from "../../models/check/record.ts";
import { type TapedExchange, tapeTransport } from "../../models/check/tape.ts";
import { readProviders } from "../../models/read-providers.ts";
import type { ModelCatalogue } from "../../protocol/catalogue.ts";
import { Failure } from "../../protocol/failure.ts";
import { withoutSecrets } from "../../protocol/hidden.ts";
import type { Model } from "../../protocol/model.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { type CheckEstimate, checkLines, estimateLines, summaryLine } from "../../terminal/check-view.ts";
import { onInterrupt } from "../../terminal/interrupts.ts";
import { say } from "../../terminal/output.ts";
import { paintFor } from "../../terminal/style.ts";
import type { Config } from "../config.ts";
import { connectProviders } from "../connect-providers.ts";
import { productVersion } from "../product-version.ts";
import { openFile } from "../record-runs.ts";
import { secretsIn } from "../secret-settings.ts";
import { configOf } from "./open-tackle.ts";

interface CheckedModel {
  model: string;
  checks: CheckResult[];
}

const INTERRUPTED = 130;

/** Checks models with the keys that are set. Returns 1 if a vendor refused something, or did not answer. */
export async function run(line: CommandLine): Promise<number> {
  const config = await configOf(line, true);
  const tape: TapedExchange[] = [];
  const connections = await connectProviders(config, await readProviders(), undefined, (transport) =>
    tapeTransport(transport, tape),
  );
  const stop = new AbortController();
  onInterrupt(() => (stop.signal.aborted ? process.exit(INTERRUPTED) : stop.abort()));
  try {
    const { prices } = config;
    const catalogue = createModelCatalogue({ ...connections, preferred: config.model, prices });
    const models = await chosenModels(catalogue, line.words);
    if (line.words.length === 0 && models.every(({ id }) => id === "demo/demo"))
      process.stderr.write("No vendor is set up, so the demo model is checked. tackle models says how.\n");
    const estimates = models.map((model) => estimateOf(model, catalogue));
    if (!(await mayGoOn(line, estimates, stop))) return stop.signal.aborted ? INTERRUPTED : 1;
    return await check(line, config, models, catalogue, tape, stop.signal);
  } finally {
    await connections.close();
  }
}

/** Returns the models that were named, or the default model of every vendor that is set up. */
async function chosenModels(catalogue: ModelCatalogue, named: readonly string[]): Promise<Model[]> {
  await catalogue.list(); // Vendors' own lists decide which model is the best.
  if (named.length > 0) return [...new Set(named)].map((id) => catalogue.resolve(id));
  const usual = catalogue.defaultId();
  const ids = catalogue.connected().flatMap((connection) => {
    const vendor = connection.provider.id;
    if (usual.startsWith(`${vendor}/`)) return usual;
    const best = bestModel(connection, new Date().toISOString().slice(0, 10));
    return best ? `${vendor}/${best.name}` : [];
  });
  const real = ids.filter((id) => id !== "demo/demo");
  return (real.length > 0 ? real : ["demo/demo"]).map((id) => catalogue.resolve(id));
}

function estimateOf({ id, info }: Model, catalogue: ModelCatalogue): CheckEstimate {
  const probes = PROBES.filter((probe) => probe.offered(info));
  const requests = probes.reduce((sum, probe) => sum + probe.requests, 0);
  const vendor = catalogue.connected().find(({ provider }) => id.startsWith(`${provider.id}/`));
  // A server without a key runs on a machine of one's own.
  if (vendor && vendor.provider.keySetting === undefined) return { model: id, requests, maxCostUsd: 0 };
  const { price } = info;
  const cost = ({ inputTokens, maxOutputTokens, requests: count }: (typeof PROBES)[number]) =>
    price ? (inputTokens * price.input + count * maxOutputTokens * price.output) / 1e6 : 0;
  const maxCostUsd = price && probes.reduce((sum, probe) => sum + cost(probe), 0);
  return { model: id, requests, maxCostUsd };
}

/** Shows the cost, and asks before money is spent. */
async function mayGoOn(
  { json, yes }: CommandLine,
  estimates: CheckEstimate[],
  stop: AbortController,
): Promise<boolean> {
  // The JSON alone goes to standard output.
  const output = json ? process.stderr : process.stdout;
  output.write(`${estimateLines(estimates, columnsOf(output), paintFor(output)).join("\n")}\n`);
  if (yes || estimates.every(({ maxCostUsd }) => maxCostUsd === 0)) return true;
  if (!process.stdin.isTTY || !output.isTTY)
    throw new Failure("INVALID_INPUT", "This may cost money. Add --yes to go on without being asked.");
  return confirmed(output, stop);
}

async function confirmed(output: NodeJS.WriteStream, stop: AbortController): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output });
  reader.on("SIGINT", () => stop.abort());
  try {
    const closed = once(reader, "close").then(() => "no");
    const answer = await Promise.race([reader.question("Go on? [y/N] ", { signal: stop.signal }), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } catch (thrown) {
    if (stop.signal.aborted) return false;
    throw thrown;
  } finally {
    reader.close();
  }
}

async function check(
  line: CommandLine,
  config: Config,
  models: Model[],
  catalogue: ModelCatalogue,
  tape: TapedExchange[],
  signal: AbortSignal,
): Promise<number> {
  const known = secretsIn(config.settings);
  const recording = recordChecks(tape, (text) => withoutSecrets(text, known));
  const file = line.record === undefined ? undefined : openFile(line.record, line.force);
  const checked: CheckedModel[] = [];
  const view = line.json ? undefined : createView();
  for (const model of models) {
    if (signal.aborted) break;
    const checks: CheckResult[] = [];
    checked.push({ model: model.id, checks });
    view?.model(model.id);
    const dialect = dialectOf(model, catalogue);
    await checkModel({
      model,
      tape,
      signal,
      onStart: view?.start,
      onResult(result) {
        checks.push(result);
        view?.result(result);
      },
      onAnswer: (answer) => recording.add(model.id, dialect, answer),
    });
  }
  view?.end();
  if (file !== undefined) {
    const { exchanges } = recording;
    const header = {
      format: "tackle-check/1",
      program: `tackle ${productVersion()}`,
      recordedAt: new Date().toISOString(),
    };
    writeFileSync(file, `${JSON.stringify({ ...header, exchanges }, null, 1)}\n`);
    closeSync(file);
  }
  const all = checked.flatMap(({ checks }) => checks);
  const costUsd = all.reduce((sum, { usage }) => sum + (usage.costUsd ?? 0), 0);
  if (line.json) say([JSON.stringify({ complete: !signal.aborted, costUsd, models: checked }, null, 2)]);
  else say(endLines(all, costUsd, line.record, signal.aborted));
  if (signal.aborted) return INTERRUPTED;
  return all.some(({ status }) => status === "refused" || status === "error") ? 1 : 0;
}

function endLines(
  all: CheckResult[],
  costUsd: number,
  record: string | undefined,
  stopped: boolean,
): string[] {
  const cost = costUsd > 0 ? ` It cost $${costUsd.toFixed(4)}.` : "";
  return [
    "",
    `${stopped ? "Stopped. " : ""}${summaryLine(all)}${cost}`,
    ...(record === undefined
      ? []
      : [`Recorded without secrets in ${record}. Look at it before you share it.`]),
  ];
}

function dialectOf({ id, info }: Model, catalogue: ModelCatalogue): string {
  const vendor = catalogue.connected().find(({ provider }) => id.startsWith(`${provider.id}/`));
  const dialect = vendor?.provider.dialect ?? "";
  return typeof dialect === "string" ? dialect : dialect(info.name);
}

/** Prints rows as they come. On a terminal, the check that is under way is shown as well. */
function createView() {
  const { stdout } = process;
  const paint = paintFor(stdout);
  let pending = false;
  const clear = () => {
    if (pending) stdout.write("\r\x1b[K");
    pending = false;
  };
  return {
    model(id: string) {
      say(["", paint("bold", id)]);
    },
    start(check: string) {
      if (!stdout.isTTY) return;
      stdout.write(paint("dim", `  … ${check}`));
      pending = true;
    },
    result(result: CheckResult) {
      clear();
      say(checkLines(result, columnsOf(stdout), paint));
    },
    end: clear,
  };
}

function columnsOf(output: NodeJS.WriteStream): number {
  return output.isTTY ? output.columns || 80 : Number.POSITIVE_INFINITY;
}
