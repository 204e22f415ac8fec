import { type Captured, startCapture } from "./vendors/capture.ts";
import { DOCUMENTED, hasDocuments } from "./vendors/documents.ts";
import { VENDORS } from "./vendors/models.ts";
import { SCENARIOS } from "./vendors/scenarios.ts";

/**
 * Asks every model of every vendor in every scenario, and holds the requests against the vendors' rules and their
 * published API documents. `--list` prints the findings, `--only=text` takes scenarios or models with that text.
 */
export async function run(): Promise<void> {
  const only = process.argv.find((word) => word.startsWith("--only="))?.slice("--only=".length);
  const began = performance.now();
  const capture = await startCapture({ documents: hasDocuments() });
  const captured: Captured[] = [];
  const refused = new Map<string, number>();
  for (const vendor of VENDORS)
    for (const model of vendor.models)
      for (const scenario of SCENARIOS) {
        if (only && !`${vendor.id}/${model} ${scenario.group}: ${scenario.name}`.includes(only)) continue;
        const { bodies, refused: words } = await capture.ask(vendor, model, scenario);
        captured.push(...bodies);
        if (words)
          refused.set(`${scenario.name}: ${words}`, (refused.get(`${scenario.name}: ${words}`) ?? 0) + 1);
      }
  await capture.close();
  const clean = captured.filter(({ findings }) => findings.length === 0);
  const broken = new Set(
    captured
      .filter(({ findings }) => findings.length > 0)
      .map(({ scenario }) => `${scenario.group}: ${scenario.name}`),
  );
  console.log(
    `${captured.length} bodies, ${SCENARIOS.length} scenarios, ${VENDORS.flatMap(({ models }) => models).length} models`,
  );
  console.log(`bodies without a finding      ${clean.length} of ${captured.length}`);
  console.log(`scenarios without a finding   ${SCENARIOS.length - broken.size} of ${SCENARIOS.length}`);
  for (const id of DOCUMENTED) {
    const bodies = captured.filter(({ vendor, documented }) => vendor.id === id && documented);
    const valid = bodies.filter(({ invalid }) => invalid === undefined);
    console.log(`valid by document: ${id.padEnd(10)} ${valid.length} of ${bodies.length}`);
  }
  if (!hasDocuments()) console.log("No published API documents in ../shared/corpus/specs.");
  console.log(`refused before they were sent ${[...refused.values()].reduce((sum, one) => sum + one, 0)}`);
  console.log(`${((performance.now() - began) / 1000).toFixed(1)} s`);
  if (process.argv.includes("--list")) list(captured, refused);
}

function list(captured: readonly Captured[], refused: ReadonlyMap<string, number>): void {
  const groups = new Map<
    string,
    { count: number; models: Set<string>; scenarios: Set<string>; example: string }
  >();
  for (const { vendor, model, scenario, findings, invalid } of captured) {
    const document = invalid ? [{ rule: "document", message: invalid, misread: false }] : [];
    for (const { rule, message, misread } of [...findings, ...document]) {
      const key = `${vendor.id} ${rule}${misread ? " (misread)" : ""}`;
      const found = groups.get(key) ?? {
        count: 0,
        models: new Set(),
        scenarios: new Set(),
        example: message,
      };
      found.count++;
      found.models.add(model);
      found.scenarios.add(`${scenario.group}: ${scenario.name}`);
      groups.set(key, found);
    }
  }
  for (const [key, { count, models, scenarios, example }] of [...groups].sort(
    (one, other) => other[1].count - one[1].count,
  )) {
    console.log(`\n${key}: ${count} (${[...models].join(", ")})\n  ${example.slice(0, 200)}`);
    console.log(
      `  ${[...scenarios].slice(0, 14).join("; ")}${scenarios.size > 14 ? ` … ${scenarios.size - 14} more` : ""}`,
    );
  }
  for (const [words, count] of refused) console.log(`\nnot sent, ${count} times: ${words}`);
}
