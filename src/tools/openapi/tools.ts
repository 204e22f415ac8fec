import { createHash } from "node:crypto";
import { containedFetch } from "../../contain/fetch.ts";
import type { SourceDetail } from "../../protocol/added-tools.ts";
import { isObject, type JsonSchema } from "../../protocol/json.ts";
import type { PlainTool } from "../../protocol/plain-tool.ts";
import type { Effect, Tool } from "../../protocol/tool.ts";
import { toolFromOutside } from "../outside-tool.ts";
import { watchSettingsFile } from "../settings-file.ts";
import { readAnswer } from "./answer.ts";
import { type Credentials, credentialsOf, NO_CREDENTIALS } from "./auth.ts";
import { type BaseUrl, baseUrlOf } from "./base-url.ts";
import { loadDocument } from "./document.ts";
import { type Operation, readOperations } from "./operations.ts";
import { buildRequest } from "./request.ts";
import { type ApiEntry, readApiSettings } from "./settings.ts";

const RETRY_MS = 60_000;
const MAX_ANSWER_BYTES = 2_000_000;
const CALL_MS = 55_000;
const MAX_NAME = 64;
/** Stands for the key of a document that was added. */
const ADDED_KEY = "ADDED_KEY";

export interface ApiToolsOptions {
  /** The `tools.json`; it need not exist yet. */
  file: string;
  env: Readonly<Record<string, string | undefined>>;
  registry: { add(tool: Tool, source: string): void; remove(source: string): void };
  onProblem(line: string): void;
}

export interface ApiTools {
  /** What is wrong with the file or its documents. */
  problems(): readonly string[];
  reload(): Promise<void>;
  /** Sets the documents that are not in the file, by name. Their keys are in `auth.key`. */
  setAdded(entries: Readonly<Record<string, Record<string, unknown>>>): Promise<void>;
  /** All documents, with what is wrong with them. */
  details(): SourceDetail[];
  close(): void;
}

/** Adds the operations of all documents to the registry, now and whenever the file changes. */
export async function startApiTools(options: ApiToolsOptions): Promise<ApiTools> {
  const { file, env, registry, onProblem } = options;
  let sources: string[] = [];
  let details: SourceDetail[] = [];
  let added: Readonly<Record<string, Record<string, unknown>>> = {};
  let problems: string[] = [];
  let retry: NodeJS.Timeout | undefined;
  /** What the documents of the last time became, and whether it is used again. */
  let kept = new Map<string, { tools: Tool[]; said: string[] }>();
  let usesKept = false;

  /** Leaves alone what works and has not changed: another document need not be fetched again. */
  async function applyChanges(): Promise<void> {
    usesKept = true;
    await settings.reload();
  }

  async function apply(text: string): Promise<void> {
    clearTimeout(retry);
    const before: typeof kept = usesKept ? kept : new Map();
    usesKept = false;
    kept = new Map();
    const known = new Set(problems);
    const read = readApiSettings(text, file);
    problems = [];
    const complain = (line: string) => {
      problems.push(line);
      if (!known.has(line)) onProblem(line);
    };
    for (const problem of read.problems) complain(problem);
    const wanted = [
      ...read.entries.map((entry) => ({ entry, env, from: "file" as const })),
      ...Object.entries(added).flatMap(([name, given]) => {
        const more = readAdded(name, given);
        for (const problem of more.problems) complain(problem);
        const isFree = more.entry && !read.entries.some((one) => one.name === name);
        return more.entry && isFree ? [{ entry: more.entry, env: more.env, from: "added" as const }] : [];
      }),
    ];
    const found: SourceDetail[] = [];
    const made = await Promise.all(
      wanted.map(async ({ entry, env: variables, from }) => {
        const said: string[] = [];
        const report = (line: string) => {
          said.push(line);
          complain(`The OpenAPI tools "${entry.name}": ${line}.`);
        };
        const key = JSON.stringify([entry, entry.auth && variables[entry.auth.env]]);
        const same = before.get(key);
        for (const line of same?.said ?? []) report(line);
        const tools = same?.tools ?? (await toolsOf(entry, variables, report));
        if (tools) kept.set(key, { tools, said: [...said] });
        found.push({
          name: entry.name,
          from,
          state: tools ? "ready" : "unavailable",
          ...(said.length > 0 && { problem: said.slice(0, 3).join("; ") }),
          url: /^https?:/i.test(entry.openapi) ? (entry.openapi.split("?")[0] ?? "") : "",
          secrets: entry.auth ? ["key"] : [],
        });
        return { entry, report, tools };
      }),
    );
    details = found;
    for (const source of sources) registry.remove(source);
    sources = [];
    for (const { entry, report, tools } of made) {
      const source = `openapi:${entry.name}`;
      sources.push(source);
      for (const tool of tools ?? []) addTool(registry, tool, source, report);
    }
    if (!made.some(({ tools }) => tools === undefined)) return;
    retry = setTimeout(() => void applyChanges(), RETRY_MS);
    retry.unref();
  }

  const settings = await watchSettingsFile({
    file,
    missing: "[]",
    apply,
    onError: (message) => onProblem(`The OpenAPI tools could not be read: ${message}.`),
  });
  return {
    problems: () => problems,
    reload: settings.reload,
    async setAdded(entries) {
      added = entries;
      await applyChanges();
    },
    details: () => details,
    close() {
      clearTimeout(retry);
      void settings.close();
    },
  };
}

/** Reads a document that was added. Its key takes the place of a variable. */
function readAdded(name: string, { url, auth, paused: _paused, ...rest }: Record<string, unknown>) {
  const { key, ...form } = isObject(auth) ? auth : {};
  const withKey = typeof key === "string" ? { auth: { ...form, env: ADDED_KEY } } : {};
  const read = readApiSettings(JSON.stringify([{ ...rest, ...withKey, name, openapi: url }]), ".");
  const env: ApiToolsOptions["env"] = typeof key === "string" ? { [ADDED_KEY]: key } : {};
  return { entry: read.entries[0], problems: read.problems, env };
}

/** Returns the tools of one entry, or undefined where its document or settings cannot be used yet. */
async function toolsOf(
  entry: ApiEntry,
  env: ApiToolsOptions["env"],
  report: (line: string) => void,
): Promise<Tool[] | undefined> {
  try {
    const document = await loadDocument(entry.openapi);
    const base = baseUrlOf(entry, document);
    const all = readOperations(document, report);
    if (all.length === 0) report("it describes no operation that can be offered");
    const unknown = entry.include?.find((name) => !all.some((one) => isCalled(one, name)));
    if (unknown !== undefined) report(`there is no operation "${unknown}"`);
    const operations = all.filter((one) => entry.include?.some((name) => isCalled(one, name)) ?? true);
    const credentials = credentialsOf(entry, document, operations, env);
    return operations.flatMap((operation) => {
      try {
        return [operationTool(entry, operation, base, credentials)];
      } catch (error) {
        report(`${operation.id} is not offered: ${error instanceof Error ? error.message : "unknown"}`);
        return [];
      }
    });
  } catch (error) {
    report(error instanceof Error ? error.message.replace(/\.$/, "") : "unknown");
    return undefined;
  }
}

function operationTool(entry: ApiEntry, operation: Operation, base: BaseUrl, credentials: Credentials): Tool {
  const name = toolName(entry.name, operation.id);
  const reads = operation.method === "GET" || operation.method === "HEAD";
  const plain: Omit<PlainTool, "parameters"> = {
    name,
    description: operation.description,
    effect: effectOf(entry, operation, reads),
    retry: reads ? "idempotent" : "unsafe",
    trust: "untrusted",
    async run(args, context) {
      const request = buildRequest(base.href, operation, args as Record<string, unknown>, credentials);
      const page = await containedFetch(request.url, {
        method: operation.method,
        headers: request.headers,
        allow: base.allow,
        maxBytes: MAX_ANSWER_BYTES,
        totalMs: CALL_MS,
        headersMs: CALL_MS,
        signal: context.signal,
        requestBody: request.body,
      });
      return readAnswer(name, page, credentials);
    },
  };
  const tool = toolFromOutside(plain, parametersOf(operation));
  return {
    ...tool,
    source: `the API ${entry.name}`,
    readOnly: reads,
    adds: operation.method === "POST",
    upstream: () => `The API '${entry.name}'`,
    preview: async (args) => {
      const { url, body } = buildRequest(
        base.href,
        operation,
        args as Record<string, unknown>,
        NO_CREDENTIALS,
      );
      return `${operation.method} ${url}${body === undefined ? "" : `\n${body}`}`;
    },
  };
}

/** Joins both, and shortens ids that are too long for the name of a tool. */
function toolName(prefix: string, id: string): string {
  const name = `${prefix}.${id}`;
  if (name.length <= MAX_NAME) return name;
  const mark = createHash("sha256").update(id).digest("hex").slice(0, 6);
  return `${name.slice(0, MAX_NAME - mark.length - 1)}_${mark}`;
}

function effectOf({ effects }: ApiEntry, operation: Operation, reads: boolean): Effect {
  const said = Object.entries(effects).find(([name]) => isCalled(operation, name));
  return said?.[1] ?? (reads ? "network" : "write");
}

function isCalled({ id, givenId }: Operation, name: string): boolean {
  return name === id || name === givenId;
}

function parametersOf({ parameters, body }: Operation): JsonSchema {
  const properties = parameters.map(({ key, schema }): [string, JsonSchema] => [key, schema]);
  if (body) properties.push([body.key, body.schema]);
  const required = parameters.filter((one) => one.required).map(({ key }) => key);
  if (body?.required) required.push(body.key);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
}

function addTool(
  registry: ApiToolsOptions["registry"],
  tool: Tool,
  source: string,
  report: (line: string) => void,
): void {
  try {
    registry.add(tool, source);
  } catch (error) {
    report(error instanceof Error ? error.message.replace(/\.$/, "") : "unknown");
  }
}
