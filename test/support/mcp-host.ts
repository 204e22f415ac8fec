import { execFile } from "node:child_process";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerProcess } from "./server.ts";

const SUITE = resolve(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/conformance/dist/index.js",
);
const DRIVER = resolve(import.meta.dirname, "mcp-host-driver.mjs");
/** How long a server may take to be ready, or to ask for an authorization. */
const PATIENCE_MS = 20_000;
const MOST_AUTHORIZATIONS = 5;
/** The client id that the suite expects at servers that read client metadata documents. */
const CLIENT_METADATA = "https://conformance-test.local/client-metadata.json";

interface Scenario {
  scenario: string;
  url: string;
  context: Record<string, unknown> & { toolCalls?: { name: string; arguments: Record<string, unknown> }[] };
}

export interface Outcome {
  scenario: string;
  passed: number;
  /** The checks that failed or warned. */
  failed: string[];
}

/** Plays the operator of a running Tackle: adds servers, opens the addresses of its log, and calls every tool. */
export async function startHarness(tackle: ServerProcess) {
  const file = join(tackle.dataDir, "mcp.json");
  const servers: Record<string, unknown> = {};
  let count = 0;
  const write = () => {
    writeFileSync(`${file}.new`, JSON.stringify({ mcpServers: servers }));
    renameSync(`${file}.new`, file);
  };

  async function toolsOf(name: string): Promise<{ name: string; parameters: unknown }[]> {
    const answer = await fetch(`${tackle.url}/tools`);
    const { tools } = (await answer.json()) as { tools: { name: string; parameters: unknown }[] };
    return tools.filter((tool) => tool.name.startsWith(`${name}.`));
  }

  /** The lines of the log about a server. */
  const linesOf = (name: string) =>
    tackle
      .output()
      .split("\n")
      .filter((line) => line.includes(`The MCP server \\"${name}\\"`));

  async function run({ scenario, url, context }: Scenario): Promise<string[]> {
    const name = `s${++count}_${scenario.replaceAll(/\W+/g, "_")}`.slice(0, 40);
    const opened = new Set<string>();
    const oauth = {
      clientMetadataUrl: CLIENT_METADATA,
      ...context,
      ...(context.valid_jwt ? { assertion: context.valid_jwt } : {}),
    };
    servers[name] = { url, trust: true, oauth };
    write();

    /** Does what a person does with the address in the log. Returns whether there was a new one. */
    async function authorize(): Promise<boolean> {
      const addresses = linesOf(name).flatMap(
        (line) => /authorize it at (http\S+?)\.?"/.exec(line)?.[1] ?? [],
      );
      const address = addresses.at(-1);
      if (address === undefined || opened.has(address) || opened.size >= MOST_AUTHORIZATIONS) return false;
      opened.add(address);
      const answer = await fetch(address, { redirect: "manual" });
      await fetch(answer.headers.get("location") ?? "");
      return true;
    }

    async function callTool(tool: string, args: Record<string, unknown>): Promise<void> {
      for (let tries = 0; tries < MOST_AUTHORIZATIONS; tries++) {
        const answer = await fetch(`${tackle.url}/tools/${tool}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(args),
        });
        await answer.text();
        if (answer.ok) return;
        await sleep(100);
        if (!(await authorize())) return;
      }
    }

    const until = performance.now() + PATIENCE_MS;
    let quietSince = performance.now();
    while ((await toolsOf(name)).length === 0 && performance.now() < until) {
      if (await authorize()) quietSince = performance.now();
      const isRefused = linesOf(name).some((line) => /is not running/.test(line));
      if ((isRefused || opened.size > 0) && performance.now() - quietSince > 3_000) break;
      if (isToolless(scenario) && performance.now() - quietSince > 3_000) break;
      await sleep(100);
    }
    const listed = await toolsOf(name);
    const calls =
      context.toolCalls?.map((call) => ({ tool: `${name}.${call.name}`, args: call.arguments })) ??
      listed.map((tool) => ({ tool: tool.name, args: argumentsFor(tool.name, tool.parameters, listed) }));
    for (const { tool, args } of calls) await callTool(tool, args);

    const lines = linesOf(name);
    delete servers[name];
    write();
    // The suite closes its server next, which waits for our connections to end.
    await sleep(1_500);
    return lines;
  }

  const harness = createServer(async (request, response) => {
    const lines = await run((await json(request)) as Scenario).catch((error) => [String(error?.stack)]);
    response.end(lines.join("\n"));
  });
  await new Promise<void>((done) => harness.listen(0, "127.0.0.1", done));
  const { port } = harness.address() as AddressInfo;

  return {
    /** Runs a part of the suite and returns what became of each scenario. */
    async runSuite(folder: string, ...options: string[]): Promise<Outcome[]> {
      const args = [
        SUITE,
        "client",
        "--command",
        `${process.execPath} ${DRIVER}`,
        "-o",
        folder,
        "--timeout",
        "90000",
      ];
      const env = { ...process.env, MCP_HOST_HARNESS: `http://127.0.0.1:${port}` };
      await new Promise<void>((done) => {
        execFile(process.execPath, [...args, ...options], { env, maxBuffer: 50_000_000 }, () => done());
      });
      return readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith("checks.json"))
        .map((path) => readOutcome(folder, path));
    },
    close: () => new Promise((done) => harness.close(done)),
  };
}

/** The handshake alone. */
function isToolless(scenario: string): boolean {
  return scenario === "initialize" || scenario === "request-metadata";
}

function argumentsFor(name: string, schema: unknown, listed: { name: string; parameters: unknown }[]) {
  if (name.endsWith("json_schema_echo"))
    return { schema: listed.find((tool) => tool.name.endsWith("json_schema_2020_12_tool"))?.parameters };
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  return Object.fromEntries(
    Object.entries(properties).map(([key, { type }]) => [
      key,
      type === "number" || type === "integer" ? 1 : "x",
    ]),
  );
}

function readOutcome(folder: string, path: string): Outcome {
  const checks = JSON.parse(readFileSync(join(folder, path), "utf8")) as {
    id: string;
    status: string;
    description: string;
    errorMessage?: string;
  }[];
  const failed = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  return {
    scenario: path.replace(/^client[/-]|[/\\]checks\.json$/g, ""),
    passed: checks.filter(({ status }) => status === "SUCCESS").length,
    failed: failed.map(({ id, errorMessage, description }) => `${id}: ${errorMessage ?? description}`),
  };
}
