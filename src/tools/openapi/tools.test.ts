import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Registry } from "../../protocol/registry.ts";
import type { ToolContext, ToolOutput } from "../../protocol/tool.ts";
import { startUpstream } from "../../sim/testing/upstream.ts";
import type { Upstream } from "../../sim/upstream.ts";
import { createRegistry } from "../registry.ts";
import { petsDocument } from "./testing/pets.ts";
import { type ApiTools, startApiTools } from "./tools.ts";

let folder = "";
let api: Upstream;
let registry: Registry;
let problems: string[] = [];
let tools: ApiTools | undefined;
let answer: { status?: number; contentType?: string; headers?: Record<string, string>; frames: string[] };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tackle-openapi-"));
  problems = [];
  answer = { contentType: "application/json", frames: ['{"ok":true}'] };
  api = await startUpstream({ respond: () => answer });
  registry = await createRegistry({
    userDir: undefined,
    settings: { roots: [], env: {} },
    onProblem: () => {},
  });
});
afterEach(async () => {
  tools?.close();
  registry.close();
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

const write = (entries: unknown) => writeFileSync(join(folder, "tools.json"), JSON.stringify(entries));

async function start(
  entry: object,
  document: unknown = petsDocument(api.url),
  env: Record<string, string> = {},
) {
  writeFileSync(
    join(folder, "pets.json"),
    typeof document === "string" ? document : JSON.stringify(document),
  );
  write([{ name: "pets", openapi: "pets.json", ...entry }]);
  tools = await startApiTools({
    file: join(folder, "tools.json"),
    env,
    registry,
    onProblem: (line) => problems.push(line),
  });
}

const names = () => registry.list().flatMap(({ name }) => (name.startsWith("pets.") ? [name] : []));

async function call(name: string, args: Record<string, unknown> = {}): Promise<ToolOutput> {
  const tool = registry.get(name);
  if (!tool) throw new Error(`there is no ${name}`);
  const parsed = tool.parse(args);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return tool.run(parsed.value, { signal: new AbortController().signal, idempotencyKey: "k" } as ToolContext);
}
const lastRequest = () => api.requests.at(-1);

describe.each(["3.0.3", "3.1.0"] as const)("an OpenAPI %s document", (version) => {
  it("becomes a tool per operation, with its parameters and effect", async () => {
    await start({}, petsDocument(api.url, version));
    expect(names()).toEqual(
      ["pets.addPet", "pets.get_odd_._a_x", "pets.getPet", "pets.listPets", "pets.removePet"].sort(),
    );
    const list = registry.get("pets.listPets");
    expect(list).toMatchObject({
      effect: "network",
      trust: "untrusted",
      description: "All pets.\n\nNewest first.",
    });
    expect(Object.keys(list?.parameters.properties as object)).toEqual([
      "limit",
      "tags",
      "ids",
      "filter",
      "X-Trace",
    ]);
    expect(registry.get("pets.addPet")).toMatchObject({ effect: "write", retry: "unsafe" });
    expect(problems.join("\n")).toContain("POST /upload is not offered: its body is neither JSON nor a form");
    expect(problems.join("\n")).toContain('GET /missing/{what} is not offered: its path needs "what"');
  });

  it("has its bodies checked: references are followed, cycles cut, read-only fields left out", async () => {
    await start({}, petsDocument(api.url, version));
    const add = registry.get("pets.addPet");
    expect(add?.parse({ body: { name: "Rex", age: 3, parent: { anything: true } } })).toMatchObject({
      ok: true,
    });
    expect(add?.parse({ body: { name: "Rex", age: null } })).toMatchObject({ ok: true });
    expect(add?.parse({ body: { name: "Rex", age: 0 } })).toMatchObject({ ok: false });
    expect(add?.parse({ body: { age: 3 } })).toMatchObject({ ok: false });
    expect(add?.parse({ body: { name: "Rex", id: "1" } })).toMatchObject({ ok: false });
    expect(add?.parse({})).toMatchObject({ ok: false });
  });
});

describe("a call", () => {
  it("puts each value where the document says", async () => {
    await start({});
    const args = { limit: 5, tags: ["a b", "c&d"], ids: [1, 2], filter: { a: "x=y" }, "X-Trace": "t1" };
    expect(await call("pets.listPets", args)).toMatchObject({ output: '{"ok":true}', data: { ok: true } });
    expect(lastRequest()).toMatchObject({
      method: "GET",
      path: "/v1/pets?limit=5&tags=a%20b&tags=c%26d&ids=1,2&filter%5Ba%5D=x%3Dy",
      headers: { "x-trace": "t1" },
    });
    await call("pets.addPet", { body: { name: "Rex" } });
    expect(lastRequest()).toMatchObject({ method: "POST", path: "/v1/pets", body: { name: "Rex" } });
    await call("pets.removePet", { id: "a/b" });
    expect(lastRequest()).toMatchObject({ method: "DELETE", path: "/v1/pets/a%2Fb" });
    await call("pets.getPet", { id_path: "1", id_query: "2" });
    expect(lastRequest()).toMatchObject({ path: "/v1/pets/1?id=2" });
  });

  it.each([
    "..",
    ".",
    "",
    "../../admin",
    "..%2f..%2fadmin",
    "%2e%2e",
    "\\..\\..",
    "x?y=1#z",
    "//evil.example/",
  ])("stays below the base URL with a path value of %j", async (id) => {
    await start({});
    await call("pets.removePet", { id }).catch((error: unknown) => {
      expect(error).toMatchObject({ code: "TOOL_INVALID_ARGUMENTS" });
    });
    for (const { path } of api.requests) expect(path).toMatch(/^\/v1\/pets\/[^/?#]+$/);
    await expect(call("pets.get_odd_._a_x", { a: "." })).rejects.toMatchObject({
      code: "TOOL_INVALID_ARGUMENTS",
    });
  });

  it("refuses a header that contains a line break", async () => {
    await start({});
    const injected = call("pets.listPets", { "X-Trace": "a\r\nx-admin: 1" });
    await expect(injected).rejects.toMatchObject({ code: "TOOL_INVALID_ARGUMENTS" });
    expect(api.requests).toEqual([]);
  });

  it.each([
    [400, "TOOL_INVALID_ARGUMENTS"],
    [401, "FORBIDDEN"],
    [404, "NOT_FOUND"],
    [409, "CONFLICT"],
    [418, "TOOL_FAILED"],
    [429, "UPSTREAM_ERROR"],
    [500, "UPSTREAM_ERROR"],
  ])("that returns %i fails with %s and the API's message, marked as untrusted", async (status, code) => {
    await start({});
    answer = { status, contentType: "application/json", frames: ['{"detail":"because\u0007"}'] };
    const failed = call("pets.listPets");
    await expect(failed).rejects.toMatchObject({ code, untrusted: true });
    await expect(failed).rejects.toThrow(`(status ${status}). It says: {"detail":"because"}`);
  });

  it("gets a bounded answer: large ones are cut, binary ones are noted, empty ones are reported", async () => {
    await start({});
    answer = { contentType: "application/json", frames: ["x".repeat(3_000_000)] };
    await expect(call("pets.listPets")).rejects.toMatchObject({ code: "TOO_LARGE" });
    answer = { contentType: "image/png", frames: ["\u0001\u0002"] };
    expect((await call("pets.listPets")).output).toBe("[image/png, 2 bytes, not shown]");
    answer = { status: 204, contentType: "text/plain", frames: [] };
    expect((await call("pets.removePet", { id: "1" })).output).toBe("Done (status 204, no content).");
  });

  it("is shown to an approver as the HTTP request", async () => {
    await start({ auth: { env: "PETS_KEY" } }, undefined, { PETS_KEY: "sk-pets-123" });
    const preview = await registry.get("pets.addPet")?.preview({ body: { name: "Rex" } }, {} as ToolContext);
    expect(preview).toBe(`POST ${api.url}/v1/pets\n{"name":"Rex"}`);
  });
});

describe("an API key", () => {
  const env = { PETS_KEY: "user:sk-pets-123" };

  it.each([
    [{}, { "x-pets-key": "user:sk-pets-123" }],
    [{ type: "bearer" }, { authorization: "Bearer user:sk-pets-123" }],
    [{ type: "basic" }, { authorization: `Basic ${Buffer.from("user:sk-pets-123").toString("base64")}` }],
    [{ type: "header", name: "X-Other" }, { "x-other": "user:sk-pets-123" }],
  ])("is sent as %j says", async (auth, headers) => {
    await start({ auth: { env: "PETS_KEY", ...auth } }, undefined, env);
    await call("pets.listPets");
    expect(lastRequest()?.headers).toMatchObject(headers);
  });

  it("is sent in the query if configured, and is shown nowhere", async () => {
    await start({ auth: { type: "query", env: "PETS_KEY", name: "k" } }, undefined, env);
    answer = { status: 403, contentType: "text/plain", frames: ["no: user:sk-pets-123"] };
    await expect(call("pets.listPets")).rejects.toThrow("It says: no: [key]");
    expect(lastRequest()?.path).toBe("/v1/pets?k=user%3Ask-pets-123");
    answer = { contentType: "text/plain", frames: ["you sent user:sk-pets-123"] };
    expect((await call("pets.listPets")).output).toBe("you sent [key]");
    await api.close();
    const error = await call("pets.listPets").catch((thrown: Error) => thrown);
    expect(String((error as Error).message)).not.toContain("sk-pets");
    expect(problems.join()).not.toContain("sk-pets");
  });

  it("is not sent just because a document from elsewhere asks for it", async () => {
    const host = await startUpstream({
      respond: () => ({
        contentType: "application/json",
        frames: [JSON.stringify(petsDocument("https://evil.example"))],
      }),
    });
    await start({ openapi: `${host.url}/openapi.json`, auth: { env: "PETS_KEY" } }, undefined, env);
    expect(names()).toEqual([]);
    expect(problems.join()).toContain("to evil.example: confirm that with baseUrl");
    await host.close();
  });

  it("that is not set is named, and no tool is offered", async () => {
    await start({ auth: { env: "PETS_KEY" } });
    expect(names()).toEqual([]);
    expect(problems).toContain('The OpenAPI tools "pets": the variable PETS_KEY is not set.');
  });
});

describe("a document from a URL", () => {
  it("is fetched, and calls go to its own host, but not to another host inside our network", async () => {
    let document = petsDocument("");
    const host = await startUpstream({
      respond: ({ path }) => ({
        contentType: "application/json",
        frames: [path === "/openapi.json" ? JSON.stringify(document) : '{"from":"host"}'],
      }),
    });
    await start({ openapi: `${host.url}/openapi.json` });
    expect((await call("pets.listPets")).output).toBe('{"from":"host"}');
    document = petsDocument(api.url);
    await tools?.reload();
    await expect(call("pets.listPets")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(api.requests).toEqual([]);
    await host.close();
  });

  it("is not fetched again when another one is added, changed or comes back", async () => {
    const serving = await startUpstream({
      respond: () => ({
        contentType: "application/json",
        frames: [
          JSON.stringify({ openapi: "3.0.0", paths: { "/a": { get: { operationId: "a".repeat(70) } } } }),
        ],
      }),
    });
    const url = `${serving.url}/document`;
    write([]);
    tools = await startApiTools({
      file: join(folder, "tools.json"),
      env: {},
      registry,
      onProblem: (line) => problems.push(line),
    });
    await tools.setAdded({ one: { url } });
    await tools.setAdded({ one: { url }, two: { url: `${serving.url}/other` } });
    expect(serving.requests.map(({ path }) => path)).toEqual(["/document", "/other"]);
    await serving.close();
    await tools.setAdded({ one: { url } });
    expect(tools.details()).toMatchObject([{ name: "one", state: "ready" }]);
    // A long id still makes a name that models can call, at the address that the document comes from.
    const [long] = registry.list().filter(({ name }) => name.startsWith("one."));
    expect(long?.name).toMatch(/^one\.a{53}_[0-9a-f]{6}$/);
    expect(await long?.preview?.({}, {} as ToolContext)).toBe(`GET ${serving.url}/a`);
    await tools.reload();
    expect(tools.details()).toMatchObject([{ name: "one", state: "unavailable" }]);
  });

  it("cannot redirect a call to another host inside our network", async () => {
    const inside = await startUpstream({ respond: () => ({ frames: ["secret"] }) });
    await start({});
    answer = { status: 302, headers: { location: inside.url }, frames: [] };
    await expect(call("pets.listPets")).rejects.toThrow();
    expect(inside.requests).toEqual([]);
    await inside.close();
  });
});

describe("the OpenAPI settings file", () => {
  it("is watched for changes", async () => {
    await start({ include: ["listPets"] });
    expect(names()).toEqual(["pets.listPets"]);
    write([
      { name: "pets", openapi: "pets.json", include: ["getPet", "nothing"], effects: { getPet: "write" } },
    ]);
    await vi.waitFor(() => expect(names()).toEqual(["pets.getPet"]));
    expect(registry.get("pets.getPet")?.effect).toBe("write");
    expect(problems).toContain('The OpenAPI tools "pets": there is no operation "nothing".');
    write([]);
    await vi.waitFor(() => expect(names()).toEqual([]));
  });

  it.each([
    ["<html>: [", "the document is neither JSON nor YAML"],
    [{ swagger: "1.2" }, "the document is not OpenAPI 2.0, 3.0 or 3.1"],
    [{ openapi: "3.1.0", paths: {} }, "the document names no server: give a baseUrl"],
  ])("reports what is wrong with a document such as %j", async (document, problem) => {
    await start({}, document);
    expect(problems).toContain(`The OpenAPI tools "pets": ${problem}.`);
  });

  it("reports what is wrong with an entry, and keeps the others", async () => {
    writeFileSync(join(folder, "pets.json"), JSON.stringify(petsDocument(api.url)));
    write({
      tools: [
        { name: "1" },
        { name: "pets", openapi: "pets.json" },
        { name: "pets", openapi: "x" },
        { name: "gone", openapi: "gone.json" },
      ],
    });
    tools = await startApiTools({
      file: join(folder, "tools.json"),
      env: {},
      registry,
      onProblem: (line) => problems.push(line),
    });
    expect(names().length).toBeGreaterThan(0);
    expect(problems.join("\n")).toContain("OpenAPI entry 1 is passed over: name");
    expect(problems.join("\n")).toContain("another is called pets already");
    expect(problems.join("\n")).toContain('"gone": the document cannot be read');
  });
});
