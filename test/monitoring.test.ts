import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { readText, readYaml, root } from "./support/deploy.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat } from "./support/sse.ts";

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}
interface Panel {
  title: string;
  targets?: { expr: string }[];
}

const ALERTS = "deploy/prometheus/alerts.yaml";
const rules = readYaml<{ groups: { rules: Rule[] }[] }>(ALERTS).groups.flatMap((group) => group.rules);
const board: { panels: Panel[] } = JSON.parse(readText("deploy/grafana/tackle.json"));
const shown = board.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
const queries = [...rules.map(({ alert, expr }) => ({ title: alert, expr })), ...shown];

const PROMTOOL = "/usr/bin/promtool";
const lacksPromtool = !existsSync(PROMTOOL) && !process.env.CI;
if (lacksPromtool)
  process.stderr.write("promtool is not installed, so alert rules are not checked with it\n");

const release = findRelease();
const folder = temporaryFolder();
let cluster: Awaited<ReturnType<typeof startCluster>> | undefined;
let server: ServerProcess | undefined;
let metrics = "";

beforeAll(async () => {
  cluster = release && (await startCluster(release));
  server = await startServer(folder.path, cluster ? { DATABASE_URL: cluster.tcpUrl } : {});
  await chat(server.url, { message: "What time is it in Paris?" });
  // The number of a request is counted when its answer is sent.
  await fetch(`${server.url}/healthz`);
  metrics = await (await fetch(`${server.url}/metrics`)).text();
});
afterAll(async () => {
  await server?.stop();
  await cluster?.dispose();
  folder.remove();
});

/** The metrics that a query names, with the labels that it expects of them. */
function metricsIn(expr: string): { name: string; labels: string[] }[] {
  return [...expr.matchAll(/\b((?:tackle|gen_ai|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)]
    .filter(([, name = ""]) => !isLabel(name))
    .map(([, name = "", selector = ""]) => ({
      name: name.replace(/_(bucket|sum|count)$/, ""),
      labels: [...selector.matchAll(/(\w+)\s*(?:=~|!=|=)/g)].map(([, label = ""]) => label),
    }));
}

/** Labels of OpenTelemetry begin like its metrics. */
function isLabel(name: string): boolean {
  return /^gen_ai_(provider_name|request_model|token_type|tool_name|operation_name)$/.test(name);
}

function promtool(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { cwd: root, encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
}

it("asks only for metrics that a running server has", () => {
  const offered = new Set([...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const asked = queries.flatMap(({ expr }) => metricsIn(expr).map(({ name }) => name));
  expect(new Set(asked).size).toBeGreaterThan(25);
  // Without PostgreSQL there are no connections to it.
  const here = asked.filter((name) => cluster || !name.startsWith("tackle_pool_"));
  expect(here.filter((name) => !offered.has(name))).toEqual([]);
});

it("asks only for labels that these metrics have", () => {
  // What Prometheus adds, and what is there only after a failure.
  const added = ["job", "instance", "le", "error_type"];
  const samples = metrics.split("\n").filter((line) => !line.startsWith("#"));
  const wrong = queries.flatMap(({ title, expr }) =>
    metricsIn(expr).flatMap(({ name, labels }) => {
      const own = samples.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name}_`));
      const known = own.join("\n");
      const missing = labels.filter((label) => !added.includes(label) && !known.includes(`${label}="`));
      return own.length === 0 ? [] : missing.map((label) => `${title}: ${name} has no ${label}`);
    }),
  );
  expect(wrong).toEqual([]);
});

it.skipIf(lacksPromtool)("has alert rules that promtool accepts, and a scrape configuration", () => {
  expect(promtool("check", "rules", ALERTS)).toMatchObject({ status: 0 });
  const checked = promtool("check", "config", "--syntax-only", "deploy/prometheus/prometheus.yaml");
  expect(checked, checked.output).toMatchObject({ status: 0 });
});

it.skipIf(lacksPromtool)("has two cases for every alert: it fires, and it stays quiet", () => {
  const { tests } = readYaml<{ tests: { name: string }[] }>("deploy/prometheus/alerts.test.yaml");
  const cases = rules.flatMap(({ alert }) => [`${alert} fires`, `${alert} stays quiet`]);
  expect(tests.map(({ name }) => name)).toEqual(cases);
  const tested = promtool("test", "rules", "deploy/prometheus/alerts.test.yaml");
  expect(tested, tested.output).toMatchObject({ status: 0 });
});

it.skipIf(lacksPromtool)("has a board whose queries promtool accepts", () => {
  const asRules = shown.map(({ expr }, number) => ({
    record: `panel_${number}`,
    expr: expr.replaceAll("$__rate_interval", "5m").replaceAll("$job", "tackle"),
  }));
  const file = join(folder.path, "board.json");
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: "board", rules: asRules }] }));
  const checked = promtool("check", "rules", file);
  expect(checked, checked.output).toMatchObject({ status: 0 });
  expect(checked.output).toContain(`${shown.length} rules found`);
});

it("has a runbook for every alert, to which the alert points, and no runbook without one", () => {
  const sections = readText("docs/runbooks.md").split(/^## /m).slice(1);
  const titles = sections.map((section) => section.slice(0, section.indexOf("\n")));
  expect(titles).toEqual(rules.map(({ alert }) => alert));
  const parts = (section: string) => [...section.matchAll(/^\*\*(\w+)\.\*\* \S/gm)].map(([, part]) => part);
  for (const section of sections) expect(parts(section)).toEqual(["Means", "Look", "Do"]);
  for (const { alert, labels, annotations } of rules) {
    expect(annotations.runbook_url).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
    expect(annotations.summary).not.toBe("");
    expect(["critical", "warning"]).toContain(labels.severity);
  }
});
