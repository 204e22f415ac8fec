import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { createClient } from "../../client/chat.ts";
import { toFailure } from "../../protocol/failure.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { sentenceOf } from "../../terminal/failure-sentence.ts";
import { type DoctorCheck, doctorLines } from "../../terminal/listings.ts";
import { report } from "../../terminal/output.ts";
import { isSetUp, SEARCH_PROVIDERS } from "../../tools/search/providers.ts";
import type { Tackle } from "../tackle.ts";
import { openTackle, token } from "./open-tackle.ts";

interface DoctorReport {
  checks: DoctorCheck[];
}

const LITTLE_SPACE_BYTES = 500_000_000;

/** Checks what is configured, reachable and missing, and says how to fix it. Returns 1 if something is broken. */
export async function run(line: CommandLine): Promise<number> {
  const { server } = line;
  const found = server === undefined ? await examineHere(line) : await examineServer(server);
  report(line, found, (columns, paint) => doctorLines(found.checks, columns, paint));
  return found.checks.some(({ ok }) => ok === false) ? 1 : 0;
}

async function examine(tackle: Tackle): Promise<DoctorReport> {
  return {
    checks: [
      { name: "Node", ok: true, detail: process.version },
      await dataDirectory(tackle),
      await database(tackle),
      await files(tackle),
      model(tackle),
      ...vendors(tackle),
      search(tackle),
      tools(tackle),
      ...mcpServers(tackle),
      ...openApi(tackle),
      roots(tackle),
      commands(tackle),
    ],
  };
}

/** Opens the app and examines it. If it does not open, the report says why. */
async function examineHere(line: CommandLine): Promise<DoctorReport> {
  let tackle: Tackle | undefined;
  try {
    tackle = await openTackle(line);
    return await examine(tackle);
  } catch (thrown) {
    const detail = sentenceOf(toFailure(thrown));
    return {
      checks: [{ name: "Start", ok: false, detail, fix: "Correct this and run tackle doctor again." }],
    };
  } finally {
    await tackle?.close();
  }
}

/** Examines a server from outside. */
async function examineServer(url: string): Promise<DoctorReport> {
  try {
    const chat = createClient(url, token());
    const [models, tools] = [await chat.models(), await chat.tools()];
    const model = models.find((listed) => listed.default)?.id ?? "none";
    return {
      checks: [
        { name: "Server", ok: true, detail: url },
        { name: "Model", ok: models.length > 0, detail: `${model}, of ${models.length}` },
        { name: "Tools", ok: true, detail: tools.map(({ name }) => name).join(", ") },
      ],
    };
  } catch (thrown) {
    const { publicMessage } = toFailure(thrown);
    return {
      checks: [{ name: "Server", ok: false, detail: publicMessage, fix: "Start it with tackle serve." }],
    };
  }
}

async function dataDirectory({ config }: Tackle): Promise<DoctorCheck> {
  const name = "Data directory";
  await access(config.dataDir, constants.W_OK);
  const { bavail, bsize } = await statfs(config.dataDir);
  const free = bavail * bsize;
  const detail = `${config.dataDir}, ${(free / 1e9).toFixed(1)} GB free`;
  return free > LITTLE_SPACE_BYTES
    ? { name, ok: true, detail }
    : { name, ok: "warn", detail, fix: "Free some disk space." };
}

async function database({ store }: Tackle): Promise<DoctorCheck> {
  const { sessions, messages, activeRuns, bytes } = await store.stats();
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  return {
    name: "Database",
    ok: true,
    detail: `SQLite, ${sessions} sessions, ${messages} messages, ${activeRuns} running, ${size}`,
  };
}

async function files({ config, files, cleanError }: Tackle): Promise<DoctorCheck> {
  const { s3 } = config.files;
  const detail = s3 ? `bucket ${s3.bucket} at ${new URL(s3.endpoint).host}` : "in the data directory";
  try {
    await files.check();
    return { name: "Files", ok: true, detail };
  } catch (thrown) {
    const why = cleanError(thrown).publicMessage;
    const fix = s3 ? "Check the S3 settings, and that the bucket exists." : "Check the data directory.";
    return { name: "Files", ok: false, detail: `${detail}: ${why}`, fix };
  }
}

function model({ models }: Tackle): DoctorCheck {
  const id = models.defaultId();
  if (id !== "demo/demo") return { name: "Model", ok: true, detail: id };
  const fix =
    "Set a key, for example OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama. Then start again.";
  return { name: "Model", ok: "warn", detail: "demo/demo, the offline demo model", fix };
}

function vendors({ models }: Tackle): DoctorCheck[] {
  const ready = new Set(models.connected().map(({ provider }) => provider.id));
  const known = models.known().filter(({ id }) => id !== "demo");
  const missing = known.filter(({ id }) => !ready.has(id));
  const rows: DoctorCheck[] = known
    .filter(({ id }) => ready.has(id))
    .map(({ label }) => ({ name: label, ok: true, detail: "ready" }));
  if (missing.length === 0) return rows;
  const settings = missing.map(({ keySetting, keyOptional, baseUrlSetting }) =>
    keySetting && !keyOptional ? keySetting : baseUrlSetting,
  );
  const detail = missing.map(({ label }) => label).join(", ");
  return [...rows, { name: "Not set up", ok: true, detail, fix: `To use one, set ${settings.join(", ")}.` }];
}

function search({ config }: Tackle): DoctorCheck {
  const settings = { roots: [], env: config.settings };
  const ready = SEARCH_PROVIDERS.filter(({ id }) => isSetUp(id, settings)).map(({ label }) => label);
  const name = "Web search";
  if (ready.length > 1) return { name, ok: true, detail: ready.join(", ") };
  const fix = "To search the whole web, set TAVILY_API_KEY, EXA_API_KEY or SEARXNG_BASE_URL.";
  return { name, ok: "warn", detail: "DuckDuckGo's instant answers only", fix };
}

function tools({ registry, config }: Tackle): DoctorCheck {
  const names = registry.list().map(({ name }) => name);
  return {
    name: "Tools",
    ok: names.length > 0,
    detail: names.join(", "),
    fix: `Put your own tools in ${config.toolsDir}.`,
  };
}

function mcpServers({ mcp, config }: Tackle): DoctorCheck[] {
  const fix = `See ${config.mcpFile}.`;
  const servers = mcp.status().map(({ name: server, state, detail, tools: count, doubted }): DoctorCheck => {
    const name = `MCP ${server}`;
    if (state !== "ready") return { name, ok: false, detail: detail || state, fix };
    if (doubted.length === 0) return { name, ok: true, detail: `${count} tools` };
    const changed = `${count} tools, changed since they were approved: ${doubted.join(", ")}`;
    return {
      name,
      ok: "warn",
      detail: changed,
      fix: "You are asked to approve each one when it is next called.",
    };
  });
  return [
    ...servers,
    ...mcp.problems().map((detail): DoctorCheck => ({ name: "MCP", ok: false, detail, fix })),
  ];
}

function openApi({ apis, config }: Tackle): DoctorCheck[] {
  const fix = `See ${config.openApiFile}.`;
  return apis.problems().map((detail) => ({ name: "OpenAPI", ok: "warn", detail, fix }));
}

function roots({ config }: Tackle): DoctorCheck {
  if (config.roots.length > 0) return { name: "Folders", ok: true, detail: config.roots.join(", ") };
  const fix = "Set TACKLE_ROOTS to the folders that file tools may touch.";
  return { name: "Folders", ok: "warn", detail: "none: file tools are not offered", fix };
}

function commands({ sandbox }: Tackle): DoctorCheck {
  return {
    name: "Commands",
    ok: sandbox.tier === "none" || sandbox.tier === "bare" ? "warn" : true,
    detail: sandbox.detail,
    fix: sandbox.improve,
  };
}
