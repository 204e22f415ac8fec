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
const DRIVER = resolve(import.meta.dirname, "mcp-host-driver.sh");
/** How long a server may take to be ready, or to ask for an authorization. */
const PATIENCE_MS = 60_000;
const POLL_MS = 200;
/** After this time without a new address, a server that is not ready is given up. */
const IDLE_MS = 2_500;
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
  /** What the server's log and its calls said. */
  log: string;
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

  /** One request for all scenarios at a time: they run side by side. */
  function shared<Answer>(path: string): () => Promise<Answer> {
    let asking: Promise<Answer> | undefined;
    return () => {
      asking ??= sleep(POLL_MS)
        .then(() => fetch(`${tackle.url}${path}`))
        .then((answer) => answer.json() as Promise<Answer>)
        .finally(() => {
          asking = undefined;
        });
      return asking;
    };
  }
  const tools = shared<{ tools: { name: string; parameters: unknown }[] }>("/tools");
  const states = shared<{ servers: { name: string; state: string }[] }>("/mcp/servers");
  const toolsOf = async (name: string) =>
    (await tools()).tools.filter((tool) => tool.name.startsWith(`${name}.`));
  const stateOf = async (name: string) => (await states()).servers.find((one) => one.name === name)?.state;

  /** The lines of the log about a server. */
  const linesOf = (name: string) =>
    tackle
      .output()
      .split("\n")
      .filter((line) => line.includes(`The MCP server \\"${name}\\"`));

  async function run({ scenario, url, context }: Scenario): Promise<string[]> {
    const name = `s${++count}_${scenario.replaceAll(/\W+/g, "_")}`.slice(0, 40);
    const opened = new Set<string>();
    const failures: string[] = [];
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

    async function callTool(tool: string, args: Record<string, unknown>): Promise<string | undefined> {
      for (let tries = 0; tries < MOST_AUTHORIZATIONS; tries++) {
        const answer = await fetch(`${tackle.url}/tools/${tool}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(args),
        });
        const text = await answer.text();
        if (answer.ok) return text;
        failures.push(`${tool}: ${answer.status} ${text}`);
        await sleep(100);
        if (!(await authorize())) return undefined;
      }
      return undefined;
    }

    /** Reads the first resource or prompt. */
    async function readFirst(tool: string): Promise<void> {
      const { data } = JSON.parse((await callTool(tool, {})) ?? "{}") as {
        data?: { resources?: { uri: string }[]; prompts?: { name: string }[] };
      };
      const [resource] = data?.resources ?? [];
      const [prompt] = data?.prompts ?? [];
      if (resource) await callTool(tool, { uri: resource.uri });
      if (prompt) await callTool(tool, { name: prompt.name });
    }

    const until = performance.now() + PATIENCE_MS;
    let idleSince = performance.now();
    let state = await stateOf(name);
    while (state !== "ready" && performance.now() < until) {
      const isStarting = state === undefined || state === "starting";
      if (isStarting || (await authorize())) idleSince = performance.now();
      if (performance.now() - idleSince > IDLE_MS) break;
      state = await stateOf(name);
    }
    await tools(); // One that was asked for earlier may not have them yet.
    const listed = await toolsOf(name);
    const calls =
      context.toolCalls?.map((call) => ({ tool: `${name}.${call.name}`, args: call.arguments })) ??
      listed.map((tool) => ({ tool: tool.name, args: argumentsFor(tool.name, tool.parameters, listed) }));
    for (const { tool, args } of calls)
      if (/\.(?:resources|prompts)$/.test(tool)) await readFirst(tool);
      else await callTool(tool, args);

    const lines = [...linesOf(name), ...failures];
    delete servers[name];
    write();
    // The suite closes its server next, which waits for our connections to end.
    while ((await stateOf(name)) !== undefined);
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
      const args = [SUITE, "client", "--command", `sh ${DRIVER}`, "-o", folder, "--timeout", "150000"];
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
    log: readFileSync(join(folder, path, "../stdout.txt"), "utf8"),
  };
}
