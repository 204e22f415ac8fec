import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "../../client/chat.ts";
import { MOST_BYTES, sizeOfHomes } from "../../contain/command/homes.ts";
import { canShareNetwork } from "../../contain/command/network.ts";
import { byteSize } from "../../protocol/byte-size.ts";
import { type ModelListing, shutdownNotice } from "../../protocol/chat.ts";
import { toFailure } from "../../protocol/failure.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { sentenceOf } from "../../terminal/failure-sentence.ts";
import { type DoctorCheck, doctorLines } from "../../terminal/listings.ts";
import { report } from "../../terminal/output.ts";
import { isSetUp, SEARCH_PROVIDERS } from "../../tools/search/providers.ts";
import { doubtfulSettings } from "../doubtful-settings.ts";
import { NO_DATABASE, type Reach, reachAll } from "../reach.ts";
import type { Tackle } from "../tackle.ts";
import { LOCAL_OWNER, openTackle, token } from "./open-tackle.ts";

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
  const [folder, tables, stored, reached, listed] = await Promise.all([
    dataDirectory(tackle),
    database(tackle),
    files(tackle),
    reachAll(tackle),
    tackle.models.list(),
  ]);
  return {
    checks: [
      { name: "Node", ok: true, detail: process.version },
      ...settings(tackle),
      folder,
      ...tables,
      ...stored,
      retention(tackle),
      model(tackle),
      ...endingModels(listed, tackle),
      ...reached.filter(({ name }) => !name.startsWith("MCP ")).map((one) => withWeight(one, tackle)),
      ...missingVendors(tackle),
      search(tackle),
      tools(tackle),
      ...mcpServers(tackle),
      ...openApi(tackle),
      roots(tackle),
      ...(await workspace(tackle)),
      commands(tackle),
      ...(await commandHosts(tackle)),
    ],
  };
}

/** A vendor that does not answer breaks nothing unless the default model is its own. */
function withWeight(reach: Reach, { models }: Tackle): DoctorCheck {
  const [usual] = models.defaultId().split("/");
  const isSpare = models.known().some(({ id, label }) => label === reach.name && id !== usual);
  return reach.ok || !isSpare ? reach : { ...reach, ok: "warn" };
}

/** Opens the app and examines it. If it does not open, the report says why. */
async function examineHere(line: CommandLine): Promise<DoctorReport> {
  let tackle: Tackle | undefined;
  try {
    tackle = await openTackle(line);
    return await examine(tackle);
  } catch (thrown) {
    const failure = toFailure(thrown);
    // Nothing else that a start needs is away for a while only.
    if (failure.code === "RESOURCE_EXHAUSTED") return { checks: [NO_DATABASE] };
    const detail = sentenceOf(failure);
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

function settings({ config }: Tackle): DoctorCheck[] {
  const fix = "Correct it, or remove it. docs/settings.md lists all settings.";
  return doubtfulSettings(config).map((detail) => ({ name: "Settings", ok: "warn", detail, fix }));
}

async function dataDirectory({ config }: Tackle): Promise<DoctorCheck> {
  const name = "Data directory";
  await access(config.dataDir, constants.W_OK);
  const { bavail, bsize } = await statfs(config.dataDir);
  const free = bavail * bsize;
  const detail = `${config.dataDir}, ${byteSize(free)} free`;
  return free > LITTLE_SPACE_BYTES
    ? { name, ok: true, detail }
    : { name, ok: "warn", detail, fix: "Free some disk space." };
}

/** The embedded database; the shared one is reached out to. */
async function database({ config, store }: Tackle): Promise<DoctorCheck[]> {
  if (config.databaseUrl !== undefined) return [];
  const { sessions, messages, activeRuns, bytes } = await store.stats();
  const detail = `SQLite, ${sessions} ${sessions === 1 ? "session" : "sessions"}, ${messages} ${messages === 1 ? "message" : "messages"}, ${activeRuns} running, ${byteSize(bytes)}`;
  return [{ name: "Database", ok: true, detail }];
}

/** Files on this disk; a bucket is reached out to. */
async function files({ config, files, cleanError }: Tackle): Promise<DoctorCheck[]> {
  if (config.files.s3) return [];
  try {
    await files.check();
    return [{ name: "Files", ok: true, detail: "in the data directory" }];
  } catch (thrown) {
    const detail = cleanError(thrown).publicMessage;
    return [{ name: "Files", ok: false, detail, fix: "Check the data directory." }];
  }
}

function model({ models }: Tackle): DoctorCheck {
  const id = models.defaultId();
  if (id !== "demo/demo") return { name: "Model", ok: true, detail: id };
  const fix =
    "Add a key in the web app (Settings, Models and keys). Or set one, such as OPENAI_API_KEY, or start Ollama, and start again.";
  return { name: "Model", ok: "warn", detail: "demo/demo, the offline demo model", fix };
}

/** What will be shut down: the default model, and models that the settings name. */
function endingModels(listed: readonly ModelListing[], { models, config }: Tackle): DoctorCheck[] {
  const named = Object.entries(config.settings).filter(([name]) => /^TACKLE_(\w+_)?MODEL$/.test(name));
  const used = new Map(named.map(([name, id]) => [id, `Check ${name}.`]));
  const usual = models.defaultId();
  const gone = named.filter(([name, id]) => name === "TACKLE_MODEL" && id !== usual);
  return [
    ...gone.map(
      ([name, id]): DoctorCheck => ({
        name: "Model",
        ok: "warn",
        detail: `${id} was shut down, so ${usual} answers instead`,
        fix: `Change ${name}.`,
      }),
    ),
    ...listed.flatMap((model): DoctorCheck[] => {
      const notice = shutdownNotice(model);
      if (notice === undefined || (!used.has(model.id) && model.id !== usual)) return [];
      return [{ name: "Model", ok: "warn", detail: notice, fix: used.get(model.id) ?? "Set TACKLE_MODEL." }];
    }),
  ];
}

/** The vendors that are not set up, and how to do so. */
function missingVendors({ models }: Tackle): DoctorCheck[] {
  const ready = new Set(models.connected().map(({ provider }) => provider.id));
  const missing = models.known().filter(({ id }) => id !== "demo" && !ready.has(id));
  if (missing.length === 0) return [];
  const settings = missing.map(({ keySetting, keyOptional, baseUrlSetting }) =>
    keySetting && !keyOptional ? keySetting : baseUrlSetting,
  );
  const detail = missing.map(({ label }) => label).join(", ");
  return [
    {
      name: "More vendors",
      ok: true,
      detail: `not set up: ${detail}`,
      fix: `To use one, set ${settings.join(", ")}.`,
    },
  ];
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
    if (state !== "ready") return { name, ok: false, detail: `not reachable: ${detail || state}`, fix };
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

/** How long things are kept. */
function retention({ config: { keptDays } }: Tackle): DoctorCheck {
  const { audit, ...others } = keptDays;
  const parts = Object.entries({ ...others, "audit log": audit });
  const detail = parts.map(([name, days]) => `${name} ${days === 0 ? "forever" : `${days} days`}`).join(", ");
  return { name: "Kept", ok: true, detail };
}

/** What the folders tell the model, and whether they may. */
async function workspace({ chatFor }: Tackle): Promise<DoctorCheck[]> {
  const { instructions, skills, trusted, warnings } = await chatFor(LOCAL_OWNER).workspace();
  const found = [
    ...instructions.map(({ path }) => path),
    ...(skills.length > 0 ? [`skills: ${skills.map(({ name }) => name).join(", ")}`] : []),
  ].join(", ");
  const name = "Instructions";
  return [
    ...(found === ""
      ? []
      : [
          {
            name,
            ok: true,
            detail: `${found} (${trusted ? "trusted" : "not trusted, so not all of it is used"})`,
          },
        ]),
    ...(trusted
      ? []
      : [
          {
            name,
            ok: "warn" as const,
            detail: "this folder is not trusted",
            fix: "Start tackle in it and answer the question, or use --trust.",
          },
        ]),
    ...warnings.map((detail): DoctorCheck => ({ name, ok: "warn", detail })),
  ];
}

function commands({ sandbox }: Tackle): DoctorCheck {
  return {
    name: "Commands",
    ok: ["none", "bare", "landlock"].includes(sandbox.tier) || sandbox.keepsRoot ? "warn" : true,
    detail: sandbox.detail,
    fix: sandbox.improve,
  };
}

/** The hosts that commands may reach, and where their homes are. */
async function commandHosts({ sandbox, config }: Tackle): Promise<DoctorCheck[]> {
  if (sandbox.tier === "none") return [];
  const folder = join(config.dataDir, "homes");
  const used = byteSize(await sizeOfHomes(folder).catch(() => 0));
  const home: DoctorCheck = {
    name: "Command homes",
    ok: true,
    detail: `${folder}, one for each person and project: ${used} of at most ${byteSize(MOST_BYTES)}`,
  };
  const hosts = config.sandboxHosts.join(", ");
  if (hosts === "") {
    const fix = "To let commands install packages, name hosts in TACKLE_SANDBOX_HOSTS.";
    return [home, { name: "Command hosts", ok: true, detail: "none: commands have no network", fix }];
  }
  if (sandbox.tier === "bubblewrap" && canShareNetwork())
    return [home, { name: "Command hosts", ok: true, detail: hosts }];
  const fix = "Make bubblewrap work, and install nsenter (package util-linux).";
  return [
    home,
    { name: "Command hosts", ok: "warn", detail: `${hosts}: not reachable in this sandbox`, fix },
  ];
}
