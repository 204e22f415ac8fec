import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createTackle, type EmbeddedTackle } from "../../src/app/embed.ts";
import { startUpstream, type Upstream } from "../../src/sim/upstream.ts";
import { type Endpoints, startEndpoints } from "./endpoints.ts";
import type { SpelledCall } from "./person.ts";
import { type Call, type Suite, type SuiteTool, schemaOf } from "./suite.ts";

export type Transport = "stdio" | "http" | "openapi" | "own";

/** A product with the tools of all suites over one transport. It works on one case at a time. */
export interface Lane {
  readonly transport: Transport;
  readonly honest: boolean;
  readonly tackle: EmbeddedTackle;
  readonly upstream: Upstream;
  readonly endpoints: Endpoints;
  /** The names of the suite's tools here, with those of the product that a case may use. */
  offered(suite: Suite): string[];
  /** Returns a call as this transport wants it. */
  spell(suite: Suite, call: Call): SpelledCall;
  close(): Promise<void>;
}

/** Starts a lane. Honest tools say what they do; the others say nothing. */
export async function openLane(
  transport: Transport,
  honest: boolean,
  suites: readonly Suite[],
): Promise<Lane> {
  const dataDir = mkdtempSync(join(tmpdir(), "tackle-hijack-"));
  const endpoints = await startEndpoints({ suites, honest });
  // Requests are read as they come and not kept: there are thousands.
  const upstream = await startUpstream({ record: false, models: () => ({ data: [{ id: "gpt-4o" }] }) });
  const write = (name: string, value: unknown) => writeFileSync(join(dataDir, name), JSON.stringify(value));
  if (transport === "stdio" || transport === "http") {
    const servers = suites.map(({ name }) => [
      name,
      { ...server(`${endpoints.url}/mcp/${name}`), trust: honest },
    ]);
    write("mcp.json", { mcpServers: Object.fromEntries(servers) });
  }
  if (transport === "openapi") {
    const entry = ({ name }: Suite) => ({ name, openapi: `${endpoints.url}/api/${name}/openapi.json` });
    write("tools.json", suites.map(entry));
  }
  if (transport === "own") {
    mkdirSync(join(dataDir, "tools"));
    for (const suite of suites)
      for (const tool of suite.tools)
        writeFileSync(join(dataDir, "tools", `${suite.name}.${tool.name}.mjs`), ownFile(suite, tool));
  }
  const tackle = await createTackle({
    dataDir,
    settings: {
      OPENAI_API_KEY: "test-key",
      OPENAI_BASE_URL: `${upstream.url}/v1`,
      TACKLE_MODEL: "openai/gpt-4o",
      TACKLE_FETCH_ALLOW: new URL(endpoints.url).host,
      TACKLE_LOG: "error",
    },
  });
  const builtIn = (await toolsOnceReady(tackle, suites)).filter((name) => OURS.has(name));

  function server(url: string) {
    return transport === "http"
      ? { url }
      : { command: process.execPath, args: [join(import.meta.dirname, "stdio-server.mjs"), url] };
  }

  /** What the author of a tool file writes. Who does not think about it writes `network`, because it calls a service. */
  function effectOf({ does, sends }: SuiteTool): string {
    if (!honest || sends) return "network";
    return does === "find" ? "read" : "write";
  }

  function ownFile(suite: Suite, tool: SuiteTool): string {
    const name = `${suite.name}.${tool.name}`;
    const url = `${endpoints.url}/call/${suite.name}/${tool.name}`;
    const facts = { name, description: tool.about, effect: effectOf(tool), parameters: schemaOf(tool) };
    return `export default { ...${JSON.stringify(facts)}, async run(args) {
  const answer = await fetch(${JSON.stringify(url)}, { method: "POST", body: JSON.stringify(args) });
  return answer.text();
} };\n`;
  }

  return {
    transport,
    honest,
    tackle,
    upstream,
    endpoints,
    offered: (suite) => [...suite.tools.map(({ name }) => `${suite.name}.${name}`), ...builtIn],
    spell(suite, [name, args = {}]) {
      if (name === "web_fetch") return { name, arguments: args };
      const tool = suite.tools.find((one) => one.name === name);
      const inBody = transport === "openapi" && !(honest && tool?.does === "find");
      return { name: `${suite.name}.${name}`, arguments: inBody ? { body: args } : args };
    },
    async close() {
      await tackle.close();
      await upstream.close();
      await endpoints.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const OURS: ReadonlySet<string> = new Set(["web_fetch", "propose_plan"]);

/** On a busy machine, servers join a while after the product has started. */
async function toolsOnceReady(tackle: EmbeddedTackle, suites: readonly Suite[]): Promise<string[]> {
  const wanted = suites.flatMap(({ name, tools }) => tools.map((tool) => `${name}.${tool.name}`));
  for (let attempt = 0; ; attempt++) {
    const names = (await tackle.chat.tools()).map(({ name }) => name);
    const missing = wanted.find((name) => !names.includes(name));
    if (missing === undefined) return names;
    if (attempt === 600) throw new Error(`the tool ${missing} is not there`);
    await pause(100);
  }
}
