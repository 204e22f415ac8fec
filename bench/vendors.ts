import { AWKWARD_TOOLS } from "./vendors/awkward-tools.ts";
import { type Captured, startCapture } from "./vendors/capture.ts";
import { DOCUMENTED, hasDocuments } from "./vendors/documents.ts";
import { ERROR_BODIES, isUnderstood } from "./vendors/error-bodies.ts";
import { VENDORS } from "./vendors/models.ts";
import { SCENARIOS } from "./vendors/scenarios.ts";
import { askThroughServer } from "./vendors/through-server.ts";

/**
 * Asks every model of every vendor in every scenario, and holds the requests against the vendors' rules and their
 * published API documents. `--list` prints what was found, `--only=text` takes only scenarios and models with that text.
 */
export async function run(): Promise<void> {
  const only = process.argv.find((word) => word.startsWith("--only="))?.slice("--only=".length) ?? "";
  const documents = hasDocuments();
  const began = performance.now();
  const capture = await startCapture({ documents });
  const captured: Captured[] = [];
  for (const vendor of VENDORS)
    for (const model of vendor.models)
      for (const scenario of SCENARIOS)
        if (`${vendor.id}/${model} ${scenario.group}: ${scenario.name}`.includes(only))
          captured.push(...(await capture.ask(vendor, model, scenario)));
  reportBodies(captured, documents);
  if (only === "") {
    reportAwkward(captured);
    const wrong = VENDORS.filter(
      (vendor) => !vendor.models.some((name) => capture.defaultOf(vendor) === `${vendor.id}/${name}`),
    );
    line(
      "vendors whose default model exists",
      VENDORS.length - wrong.length,
      VENDORS.length,
      wrong.map(capture.defaultOf),
    );
    const misread: string[] = [];
    for (const error of ERROR_BODIES) {
      const failure = await capture.fail(error);
      if (!failure || !isUnderstood(error, failure))
        misread.push(
          `${error.vendor} ${error.status} ${error.meaning}: ${failure?.code} ${failure?.publicMessage}`,
        );
    }
    line("error bodies understood", ERROR_BODIES.length - misread.length, ERROR_BODIES.length, misread);
    const served = await askThroughServer({ documents, models: 2 });
    line("bodies through a server", served.filter(isClean).length, served.length, []);
    captured.push(...served);
  }
  await capture.close();
  console.log(`\n${((performance.now() - began) / 1000).toFixed(0)} s`);
  if (process.argv.includes("--list")) listFindings(captured);
}

function isClean({ findings }: Captured): boolean {
  return findings.length === 0;
}

function line(what: string, good: number, all: number, wrong: readonly string[]): void {
  console.log(`${what.padEnd(38)}${String(good).padStart(6)} of ${all}${good === all ? "" : "  ✗"}`);
  for (const one of wrong) console.log(`    ${one}`);
}

function reportBodies(captured: readonly Captured[], documents: boolean): void {
  const models = new Set(captured.map(({ vendor, model }) => `${vendor.id}/${model}`));
  const scenarios = new Set(captured.map(({ scenario }) => scenario));
  const broken = new Set(captured.filter((one) => !isClean(one)).map(({ scenario }) => scenario));
  console.log(
    `${captured.length} bodies: ${scenarios.size} scenarios, ${models.size} models, ${VENDORS.length} vendors\n`,
  );
  line("bodies without a finding", captured.filter(isClean).length, captured.length, []);
  line("scenarios without a finding", scenarios.size - broken.size, scenarios.size, []);
  for (const id of DOCUMENTED) {
    const bodies = captured.filter(({ vendor, documented }) => vendor.id === id && documented);
    const valid = bodies.filter(({ findings }) => findings.every(({ rule }) => rule !== "document"));
    line(`valid by the document of ${id}`, valid.length, bodies.length, []);
  }
  if (!documents) console.log("The published API documents are missing: ../shared/corpus/specs");
}

/** A tool works with a vendor if no request of any of its models breaks a rule. */
function reportAwkward(captured: readonly Captured[]): void {
  const pairs = AWKWARD_TOOLS.size * VENDORS.length;
  const failed = new Set(
    captured
      .filter((one) => one.scenario.startsWith("awkward: ") && !isClean(one))
      .map(({ vendor, scenario }) => `${vendor.id} ${scenario}`),
  );
  line(`awkward tools (${AWKWARD_TOOLS.size}) × vendors`, pairs - failed.size, pairs, []);
}

function listFindings(captured: readonly Captured[]): void {
  const groups = new Map<
    string,
    { count: number; models: Set<string>; scenarios: Set<string>; example: string }
  >();
  for (const { vendor, model, scenario, findings } of captured)
    for (const { rule, message, misread } of findings) {
      const key = `${vendor.id} ${rule}${misread ? " (misread)" : ""}`;
      const found = groups.get(key) ?? {
        count: 0,
        models: new Set(),
        scenarios: new Set(),
        example: message,
      };
      found.count++;
      found.models.add(model);
      found.scenarios.add(scenario);
      groups.set(key, found);
    }
  const sorted = [...groups].sort(([, one], [, other]) => other.count - one.count);
  for (const [key, { count, models, scenarios, example }] of sorted) {
    const more = scenarios.size > 14 ? ` … ${scenarios.size - 14} more` : "";
    console.log(`\n${key}: ${count} (${[...models].join(", ")})\n  ${example.slice(0, 200)}`);
    console.log(`  ${[...scenarios].slice(0, 14).join("; ")}${more}`);
  }
}
