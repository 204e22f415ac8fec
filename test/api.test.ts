import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeApiPage } from "../scripts/api-page.ts";
import { OPERATIONS } from "../src/http/description/operations.ts";
import { bearer, setUpTokenOf } from "./support/accounts.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { beginningOf, eventsOf, firstEvent, postChat, readFrames } from "./support/sse.ts";

interface Spoken {
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}
interface Description {
  openapi: string;
  paths: Record<string, Record<string, Spoken>>;
  components: { schemas: Record<string, object> };
}

/** Needs a browser that returns from a third-party server; `mcp.test.ts` covers it. */
const NOT_WALKED = [
  "GET /mcp/servers/:name/authorize",
  "DELETE /mcp/servers/:name/authorization",
  "GET /mcp/oauth/callback",
];

const folder = temporaryFolder();
const walked = new Set<string>();
let server: ServerProcess;
let description: Description;
let ajv: Ajv2020;

beforeAll(async () => {
  server = await startServer(folder.path, { TACKLE_AUTH: "guest" });
  description = (await (await fetch(`${server.url}/openapi.json`)).json()) as Description;
  ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "api", components: description.components });
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

interface Asked {
  body?: unknown;
  headers?: Record<string, string>;
  token?: string;
}

/** Sends a request and checks the response against the API description. `route` is a key of the table. */
async function ask(route: string, address: string, { body, headers = {}, token }: Asked = {}) {
  const [method = "", path = ""] = route.split(" ");
  const answer = await fetch(new URL(address, server.url), {
    method,
    headers: {
      ...(body === undefined || typeof body === "string" ? {} : { "content-type": "application/json" }),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
    body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
  });
  const text =
    ["/me/events", "/mcp/sse"].includes(path) && method === "GET"
      ? await beginningOf(answer)
      : await answer.text();
  const told = description.paths[path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}")]?.[method.toLowerCase()];
  const said = told?.responses[answer.status] ?? (answer.ok ? undefined : told?.responses.default);
  expect(said, `${route} answered ${answer.status}: ${text.slice(0, 200)}`).toBeDefined();
  walked.add(route);
  const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
  if (text === "") return { status: answer.status, text, json: undefined };
  const form = said?.content?.[type];
  expect(form, `${route} answered ${type}`).toBeDefined();
  if (type !== "application/json") return { status: answer.status, text, json: undefined };
  const json = JSON.parse(text);
  const check = ajv.compile(inApi(form?.schema ?? {}));
  if (form && "$ref" in form.schema)
    expect(check(json), `${route}: ${ajv.errorsText(check.errors)}`).toBe(true);
  return { status: answer.status, text, json };
}

function inApi(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components'));
}

describe("the document at /openapi.json", () => {
  it("is valid OpenAPI 3.1 according to an independent validator", async () => {
    const checked = await new Validator().validate({ ...description });
    expect(checked.errors ?? []).toEqual([]);
    expect(checked.valid).toBe(true);
    expect(description.openapi).toBe("3.1.0");
  });

  it("lists exactly the routes that exist", () => {
    const told = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const known = Object.keys(OPERATIONS).map((route) => route.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}"));
    expect(told.sort()).toEqual(known.sort());
  });

  it("matches docs/api.md, which `npm run api-page` generates", () => {
    const page = readFileSync(new URL("../docs/api.md", import.meta.url), "utf8");
    expect(page).toBe(writeApiPage());
  });

  it("describes the server's responses for a turn and its run", async () => {
    const streamed = await ask("POST /chat", "/chat", { body: { message: "What time is it in Tokyo?" } });
    expect(streamed.text).toContain('"type":"session"');
    const whole = await ask("POST /chat", "/chat", { body: { message: "Hello", stream: false } });
    expect(whole.json.content).not.toBe("");
    const wrong = await ask("POST /chat", "/chat", { body: { nonsense: true } });
    expect(wrong.json.code).toBe("INVALID_INPUT");
    const named = { session_id: "test-session", message: "Hello", stream: false };
    await ask("POST /functions/v1/chat", "/functions/v1/chat", { body: named });
  });

  it("describes the server's responses on all other routes", async () => {
    const person = { email: "ada@example.com", password: "correct horse battery" };
    const first = { ...person, setupToken: setUpTokenOf(server) };
    const { json: signedUp } = await ask("POST /auth/sign-up", "/auth/sign-up", { body: first });
    const { json: signedIn } = await ask("POST /auth/sign-in", "/auth/sign-in", { body: person });
    let { token } = signedIn;
    await ask("GET /auth/options", "/auth/options", {});
    await ask("POST /auth/provider", "/auth/provider", { body: {} });
    await ask("POST /auth/passkey/options", "/auth/passkey/options", {});
    await ask("POST /auth/passkey", "/auth/passkey", { body: {} });
    await ask("GET /auth/provider/callback", "/auth/provider/callback", {});
    await ask("POST /auth/forgot-password", "/auth/forgot-password", { body: { email: person.email } });
    const reset = { token: "a guess", password: person.password };
    await ask("POST /auth/reset-password", "/auth/reset-password", { body: reset });
    await walkSessions(token);
    await walkProjects(token);
    await walkWaitingRun(token);
    await walkTools(token);
    await walkArtifacts(token);
    await walkFiles(token);
    await walkDialects(token);
    await walkOtherOpenAiRoutes(token);
    await walkOllama(token);
    await walkStatus();
    await walkAdministration(token, signedUp.user.id);
    ({ token } = (
      await ask("POST /me/password", "/me/password", {
        token,
        body: { password: person.password, newPassword: "another horse battery" },
      })
    ).json);
    await walkAccount(token);
    expect(Object.keys(OPERATIONS).filter((route) => !walked.has(route))).toEqual(NOT_WALKED);
  });
});

async function walkSessions(token: string): Promise<void> {
  const { json: turn } = await ask("POST /chat", "/chat", {
    token,
    body: { message: "What time is it in Oslo?", stream: false },
  });
  await ask("GET /runs/:id/events", `/runs/${turn.runId}/events?after=1`, { token });
  await ask("POST /runs/:id/cancel", `/runs/${turn.runId}/cancel`, { token });
  await ask("POST /runs/:id/retry", `/runs/${turn.runId}/retry`, { token });
  await ask("POST /runs/:id/approvals/:toolCallId", `/runs/${turn.runId}/approvals/call_none`, {
    token,
    body: { decision: "deny" },
  });
  const { json: made } = await ask("POST /sessions", "/sessions", { token, body: { title: "Plans" } });
  await ask("GET /sessions", "/sessions?query=plans", { token });
  await ask("GET /search", "/search?q=oslo", { token });
  await ask("GET /sessions/:id", `/sessions/${turn.sessionId}`, { token });
  const { text: exported } = await ask(
    "GET /sessions/:id/export",
    `/sessions/${turn.sessionId}/export?format=json`,
    { token },
  );
  await ask("POST /sessions/import", "/sessions/import", { token, body: JSON.parse(exported) });
  await ask("PATCH /sessions/:id", `/sessions/${made.id}`, { token, body: { title: "Better plans" } });
  await ask("PATCH /sessions/:id", `/sessions/${made.id}`, {
    token,
    body: { parameters: { temperature: 0.2 } },
  });
  await ask("GET /sessions/:id/messages", `/sessions/${turn.sessionId}/messages?limit=5`, { token });
  await ask("GET /sessions/:id/export", `/sessions/${turn.sessionId}/export?format=md`, { token });
  await walkShares(token, turn);
  await ask("GET /me/export", "/me/export", { token });
  await ask("POST /sessions/:id/rollback", `/sessions/${made.id}/rollback`, { token });
  await ask("DELETE /sessions/:id", `/sessions/${made.id}?rollback=true`, { token });
  await ask("DELETE /sessions/:id", `/sessions/${turn.sessionId}`, { token });
  await ask("DELETE /sessions", "/sessions", { token });
}

/** A conversation is shared, read and continued, and its answer rated. */
async function walkShares(token: string, turn: { sessionId: string; messageId: string }): Promise<void> {
  const session = `/sessions/${turn.sessionId}/share`;
  const { json: share } = await ask("POST /sessions/:id/share", session, { token, body: { steps: true } });
  await ask("GET /sessions/:id/share", session, { token });
  await ask("GET /shares", "/shares", { token });
  await ask("GET /shares/:id", `/shares/${share.id}`, { token });
  await ask("PATCH /shares/:id", `/shares/${share.id}`, { token, body: { update: true } });
  await ask("GET /s/:token", `/s/${share.token}`);
  await ask("GET /s/:token", `/s/${share.token}`, { headers: { accept: "application/json" } });
  await ask("GET /s/:token/files/:fileId", `/s/${share.token}/files/file_none`);
  await ask("GET /s/:token/artifacts/:toolCallId", `/s/${share.token}/artifacts/call_none`);
  await ask("POST /s/:token/continue", `/s/${share.token}/continue`, { token });
  await ask("DELETE /shares/:id", `/shares/${share.id}`, { token });
  await ask("GET /sessions/:id/tree", `/sessions/${turn.sessionId}/tree`, { token });
  const fork = { token, body: { messageId: turn.messageId, temporary: true } };
  const { json: made } = await ask("POST /sessions/:id/fork", `/sessions/${turn.sessionId}/fork`, fork);
  await ask("PATCH /sessions/:id", `/sessions/${made.id}`, { token, body: { temporary: false } });
  const feedback = `/messages/${turn.messageId}/feedback`;
  await ask("POST /messages/:id/feedback", feedback, { token, body: { value: -1, note: "Too long" } });
  await ask("GET /admin/feedback", "/admin/feedback", { token });
  await ask("DELETE /messages/:id/feedback", feedback, { token });
}

async function walkProjects(token: string): Promise<void> {
  const { json: made } = await ask("POST /projects", "/projects", { token, body: { name: "Lisbon" } });
  const project = `/projects/${made.id}`;
  await ask("GET /projects", "/projects", { token });
  await ask("GET /projects/:id", "/projects/default", { token });
  await ask("PATCH /projects/:id", project, { token, body: { parameters: { temperature: 0.2 } } });
  const bytes = { "content-type": "application/octet-stream" };
  const body = "\u0000\u0001\u0002";
  const { json: file } = await ask("POST /projects/:id/files", `${project}/files`, {
    token,
    body,
    headers: bytes,
  });
  await ask("GET /projects/:id/files", `${project}/files`, { token });
  await ask("GET /projects/:id/files/:fileId", `${project}/files/${file.fileId}`, { token });
  await ask("DELETE /projects/:id/files/:fileId", `${project}/files/${file.fileId}`, { token });
  await ask("POST /projects/:id/members", `${project}/members`, { token, body: { email: "no@example.com" } });
  await ask("GET /projects/:id/members", `${project}/members`, { token });
  await ask("PATCH /projects/:id/members/:userId", `${project}/members/none`, {
    token,
    body: { access: "read" },
  });
  await ask("DELETE /projects/:id/members/:userId", `${project}/members/none`, { token });
  await ask("DELETE /projects/:id", project, { token });
  const { json: memory } = await ask("PATCH /me/memory", "/me/memory", {
    token,
    body: { enabled: true, text: "Likes tea." },
  });
  await ask("GET /me/memory", "/me/memory", { token });
  const line = `/me/memory/${memory.lines[0].id}`;
  await ask("PATCH /me/memory/:id", line, { token, body: { text: "Likes green tea." } });
  await ask("DELETE /me/memory/:id", line, { token });
  await ask("DELETE /me/memory", "/me/memory", { token });
}

/** A run that waits for an answer takes messages. */
async function walkWaitingRun(token: string): Promise<void> {
  const headers = bearer(token);
  const asking = await postChat(
    server.url,
    { message: "Ask me which color I like: red or green" },
    { headers },
  );
  const events = eventsOf(await readFrames(asking, ({ data }) => !data.includes("question_required")));
  const { runId, sessionId } = firstEvent(events, "session");
  const { toolCallId } = firstEvent(events, "question_required");
  const run = `/runs/${runId}`;
  await ask("GET /me/questions", "/me/questions", { token });
  const { json: sent } = await ask("POST /runs/:id/messages", `${run}/messages`, {
    token,
    body: { message: "And then stop.", when: "after" },
  });
  await ask("GET /runs/:id/messages", `${run}/messages`, { token });
  const message = `${run}/messages/${sent.messageId}`;
  await ask("PATCH /runs/:id/messages/:messageId", message, { token, body: { message: "Then stop." } });
  await ask("DELETE /runs/:id/messages/:messageId", message, { token });
  await ask("POST /runs/:id/answers/:toolCallId", `${run}/answers/${toolCallId}`, {
    token,
    body: { answer: "green" },
  });
  await ask("GET /runs/:id/events", `${run}/events`, { token });
  await ask("GET /runs/:id/results/:toolCallId", `${run}/results/${toolCallId}`, { token });
  // Its tool has no interface.
  const app = `${run}/apps/${toolCallId}`;
  await ask("GET /runs/:id/apps/:toolCallId", app, { token });
  await ask("POST /runs/:id/apps/:toolCallId/calls", `${app}/calls`, {
    token,
    body: { callId: "1", name: "x" },
  });
  await ask("POST /runs/:id/apps/:toolCallId/resources", `${app}/resources`, {
    token,
    body: { uri: "ui://x" },
  });
  await ask("GET /artifacts/apps/:id/:toolCallId", `/artifacts/apps/${runId}/${toolCallId}?key=x`, { token });
  await ask("POST /sessions/:id/compact", `/sessions/${sessionId}/compact`, { token, body: {} });
  await ask("GET /sessions/:id/summaries", `/sessions/${sessionId}/summaries`, { token });
  await ask("GET /sessions/:id/commands", `/sessions/${sessionId}/commands`, { token });
  await ask("POST /sessions/:id/commands/:commandId/stop", `/sessions/${sessionId}/commands/cmd_none/stop`, {
    token,
  });
  await ask("GET /workspace", "/workspace", { token });
  await ask("PUT /workspace/trust", "/workspace/trust", { token, body: {} });
  await ask("DELETE /workspace/trust", "/workspace/trust", { token });
  const feed = await ask("GET /me/events", "/me/events", { token });
  expect(feed.text).toContain("ready");
}

async function walkTools(token: string): Promise<void> {
  const { json } = await ask("GET /tools", "/tools", { token });
  expect(json.tools.length).toBeGreaterThan(3);
  await ask("GET /models", "/models", { token });
  await ask("GET /mcp/servers", "/mcp/servers", { token });
  await ask("GET /mcp/oauth/client.json", "/mcp/oauth/client.json");
  await ask("POST /tools/:name", "/tools/get_time", { token, body: { timeZone: "Asia/Tokyo" } });
  await ask("POST /guard/scan", "/guard/scan", { token, body: { texts: ["hello", "good morning"] } });
  for (const prefix of ["", "/functions/v1"]) {
    await ask(`POST ${prefix}/generate-artifact`, `${prefix}/generate-artifact`, {
      token,
      body: { type: "markdown", code: "# Hello", title: "Hello" },
    });
    await ask(`POST ${prefix}/generate-image`, `${prefix}/generate-image`, {
      token,
      body: { prompt: "a red circle" },
    });
  }
}

async function walkArtifacts(token: string): Promise<void> {
  const code = "export default function App() { return <p>Hello</p>; }";
  const { json: made } = await ask("POST /tools/:name", "/tools/generate_artifact", {
    token,
    body: { type: "react", code, title: "Hello" },
  });
  const { artifactId, previewUrl } = made.data;
  const at = `/artifacts/${artifactId}`;
  await ask("GET /artifacts/:id", at, { token });
  await ask("POST /artifacts/:id/versions", `${at}/versions`, {
    token,
    body: { code: code.replace("Hello", "Hello again") },
  });
  await ask("POST /artifacts/:id/versions/:version/restore", `${at}/versions/1/restore`, { token });
  const { json: versions } = await ask("GET /artifacts/:id/versions", `${at}/versions`, { token });
  expect(versions.versions).toHaveLength(3);
  await ask("GET /artifacts/:id/diff", `${at}/diff?from=1&to=2`, { token });
  await ask("GET /artifacts/:id/compiled", `${at}/compiled`, { token });
  const { text: page } = await ask("GET /artifacts/:id/preview", `${at}/preview`, { token });
  await ask("GET /artifacts/:id/view", previewUrl.replace("/preview", "/view"));
  await ask("GET /artifacts/frame", "/artifacts/frame");
  await ask("GET /artifacts/drawing", "/artifacts/drawing");
  const module = /\/vendor\/[\w.-]+\.js/.exec(page)?.[0] ?? "";
  await ask("GET /vendor/:file", module);
}

async function walkFiles(token: string): Promise<void> {
  const headers = { "content-type": "text/plain", "x-file-name": "note.txt" };
  const { json: file } = await ask("POST /files", "/files", { token, body: "a note", headers });
  await ask("GET /files", "/files", { token });
  const { text } = await fetched(file.url);
  expect(text).toBe("a note");
  await ask("GET /files/:id", `/files/${file.fileId}?exp=1&sig=wrong`);
  await ask("DELETE /files/:id", `/files/${file.fileId}`, { token });
}

async function fetched(address: string): Promise<{ text: string }> {
  const answer = await fetch(new URL(address, server.url));
  return { text: await answer.text() };
}

async function walkOtherOpenAiRoutes(token: string): Promise<void> {
  const model = "demo/demo";
  await ask("POST /v1/embeddings", "/v1/embeddings", { token, body: { model, input: ["Hello", "there"] } });
  await ask("POST /v1/embeddings", "/v1/embeddings", { token, body: { model } });
  const at = "/v1/images/generations";
  await ask(`POST ${at}`, at, { token, body: { prompt: "a heron" } });
  await ask(`POST ${at}`, at, { token, body: {} });
  const picture = { prompt: "make it blue", images: [{ file_id: "file_none" }] };
  await ask("POST /v1/images/edits", "/v1/images/edits", { token, body: picture });
  const file = await uploadForm("/v1/files", token);
  await ask("GET /v1/files", "/v1/files", { token });
  await ask("GET /v1/files/:id", `/v1/files/${file.id}`, { token });
  await ask("GET /v1/files/:id/content", `/v1/files/${file.id}/content`, { token });
  await ask("DELETE /v1/files/:id", `/v1/files/${file.id}`, { token });
  await ask("POST /v1/files", "/v1/files", { token, body: {} });
  const body = { model, prompt: "Hello" };
  await ask("POST /v1/completions", "/v1/completions", { token, body });
  await ask("POST /v1/completions", "/v1/completions", { token, body: { ...body, stream: true } });
  await ask("POST /v1/completions", "/v1/completions", { token, body: { model } });
  const fill = "/v1/fim/completions";
  await ask(`POST ${fill}`, fill, { token, body });
  await ask(`POST ${fill}`, fill, { token, body: { ...body, stream: true } });
  await ask(`POST ${fill}`, fill, { token, body: { model } });
}

async function walkOllama(token: string): Promise<void> {
  const model = "demo";
  const messages = [{ role: "user", content: "Hello" }];
  await ask("POST /api/chat", "/api/chat", { token, body: { model, messages } });
  await ask("POST /api/chat", "/api/chat", { token, body: { model, messages, stream: false } });
  await ask("POST /api/chat", "/api/chat", { token, body: { messages } });
  await ask("POST /api/generate", "/api/generate", { token, body: { model, prompt: "Hello" } });
  await ask("POST /api/embed", "/api/embed", { token, body: { model, input: "Hello" } });
  await ask("POST /api/embeddings", "/api/embeddings", { token, body: { model, prompt: "Hello" } });
  await ask("POST /api/show", "/api/show", { token, body: { model } });
  await ask("POST /api/pull", "/api/pull", { token, body: { model } });
  await ask("POST /api/pull", "/api/pull", { token, body: { model, stream: false } });
  for (const path of ["/api/tags", "/api/ps", "/api/version"]) await ask(`GET ${path}`, path, { token });
}

async function uploadForm(path: string, token: string): Promise<{ id: string }> {
  const form = new FormData();
  form.set("file", new Blob(["a note"]), "note.txt");
  form.set("purpose", "user_data");
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(server.url + path, { method: "POST", headers, body: form });
  return answer.json();
}

async function walkDialects(token: string): Promise<void> {
  const messages = [{ role: "user", content: "Hello" }];
  const { json: completion } = await ask("POST /v1/chat/completions", "/v1/chat/completions", {
    token,
    body: { model: "demo/demo", messages },
  });
  await ask("POST /v1/chat/completions", "/v1/chat/completions", { token, body: { messages, stream: true } });
  await ask("POST /v1/chat/completions", "/v1/chat/completions", { token, body: { messages: "no" } });
  await ask("POST /v1/chat/completions/stop", "/v1/chat/completions/stop", {
    token,
    body: { id: completion.id },
  });
  const { json: response } = await ask("POST /v1/responses", "/v1/responses", {
    token,
    body: { input: "Hello" },
  });
  await ask("GET /v1/responses/:id", `/v1/responses/${response.id}`, { token });
  await ask("GET /v1/responses/:id/input_items", `/v1/responses/${response.id}/input_items`, { token });
  const input = { model: "demo/demo", input: "Hello" };
  await ask("POST /v1/responses/input_tokens", "/v1/responses/input_tokens", { token, body: input });
  await ask("POST /v1/responses/compact", "/v1/responses/compact", { token, body: input });
  await walkConversations(token);
  await ask("POST /v1/responses/:id/cancel", `/v1/responses/${response.id}/cancel`, { token });
  await ask("DELETE /v1/responses/:id", `/v1/responses/${response.id}`, { token });
  const asked = { model: "demo/demo", max_tokens: 100, messages };
  await ask("POST /v1/messages", "/v1/messages", { token, body: asked });
  await ask("POST /v1/messages", "/v1/messages", { token, body: { ...asked, stream: true } });
  await ask("POST /v1/messages", "/v1/messages", { token, body: { messages } });
  await ask("POST /v1/messages/count_tokens", "/v1/messages/count_tokens", { token, body: asked });
  await ask("GET /v1/models", "/v1/models", { token });
  await ask("GET /v1/models/:id{.+}", "/v1/models/demo/demo", { token });
  await ask("GET /v1/tools", "/v1/tools", { token });

  const message = { id: "1", role: "user", parts: [{ type: "text", text: "Hello" }] };
  await ask("POST /chat/ui", "/chat/ui", { token, body: { id: "chat-1", messages: [message] } });
  await ask("GET /chat/ui/:id/stream", "/chat/ui/chat-1/stream", { token });
  await ask("POST /chat/ui/:id/stop", "/chat/ui/chat-1/stop", { token });
  const run = { threadId: "t", runId: "r", messages: [{ id: "1", role: "user", content: "Hello" }] };
  await ask("POST /chat/ag-ui", "/chat/ag-ui", {
    token,
    body: { ...run, tools: [], context: [], state: {}, forwardedProps: {} },
  });
  const accept = { accept: "application/json, text/event-stream" };
  await ask("POST /mcp", "/mcp", {
    token,
    headers: accept,
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    },
  });
  await ask("GET /mcp", "/mcp", { token });
  await ask("DELETE /mcp", "/mcp", { token });
  await ask("GET /mcp/sse", "/mcp/sse", { token });
  await ask("POST /mcp/sse", "/mcp/sse?sessionId=none", { token, body: { jsonrpc: "2.0", method: "ping" } });
  const known = "/.well-known/oauth-protected-resource";
  await ask(`GET ${known}`, known);
  await ask(`GET ${known}/mcp`, `${known}/mcp`);
}

async function walkConversations(token: string): Promise<void> {
  const at = "/v1/conversations";
  const { json: made } = await ask(`POST ${at}`, at, { token, body: { metadata: { topic: "rain" } } });
  const own = `${at}/${made.id}`;
  await ask(`GET ${at}/:id`, own, { token });
  await ask(`GET ${at}/:id`, `${at}/conv_none`, { token });
  await ask(`POST ${at}/:id`, own, { token, body: { metadata: { topic: "snow" } } });
  const items = [{ role: "user", content: "Hello" }];
  const { json: added } = await ask(`POST ${at}/:id/items`, `${own}/items`, { token, body: { items } });
  await ask(`GET ${at}/:id/items`, `${own}/items?order=asc`, { token });
  await ask(`GET ${at}/:id/items/:itemId`, `${own}/items/${added.first_id}`, { token });
  await ask(`DELETE ${at}/:id/items/:itemId`, `${own}/items/${added.first_id}`, { token });
  await ask(`DELETE ${at}/:id`, own, { token });
}

async function walkStatus(): Promise<void> {
  await ask("GET /healthz", "/healthz");
  await ask("GET /readyz", "/readyz");
  await ask("GET /metrics", "/metrics");
  await ask("GET /openapi.json", "/openapi.json");
}

async function walkAdministration(token: string, own: string): Promise<void> {
  const { json: made } = await ask("POST /admin/users", "/admin/users", {
    token,
    body: { email: "grace@example.com", password: "correct horse battery" },
  });
  const at = `/admin/users/${made.id}`;
  await ask("GET /admin/users", "/admin/users", { token });
  await ask("POST /admin/users/:id/suspend", `${at}/suspend`, { token, body: { suspended: true } });
  await ask("POST /admin/users/:id/role", `${at}/role`, { token, body: { role: "admin" } });
  await ask("POST /admin/users/:id/password", `${at}/password`, {
    token,
    body: { password: "a new password" },
  });
  await ask("PUT /admin/users/:id/limits", `${at}/limits`, { token, body: { limits: { chat: 5 } } });
  await ask("PUT /admin/users/:id/models", `${at}/models`, { token, body: { models: ["demo/*"] } });
  await ask("PUT /admin/limits/:role", "/admin/limits/guest", { token, body: { limits: { search: 5 } } });
  await ask("PUT /admin/models/:role", "/admin/models/guest", { token, body: { default: "demo/demo" } });
  await ask("GET /admin/models", "/admin/models", { token });
  await ask("GET /admin/users", "/admin/users?query=grace", { token });
  await ask("GET /admin/users/:id/usage", `${at}/usage?days=7&timeZone=Asia/Kathmandu`, { token });
  await ask("GET /admin/users/:id/keys", `${at}/keys`, { token });
  await ask("GET /admin/users/:id/devices", `${at}/devices`, { token });
  await ask("DELETE /admin/users/:id/devices/:device", `${at}/devices/none`, { token });
  await ask("GET /admin/users/:id/data", `${at}/data`, { token });
  await ask("GET /admin/usage", "/admin/usage", { token });
  await ask("GET /admin/now", "/admin/now", { token });
  await ask("GET /admin/errors", "/admin/errors", { token });
  await ask("GET /admin/runs", "/admin/runs", { token });
  await ask("POST /admin/runs/:id/cancel", "/admin/runs/none/cancel", { token });
  const { json: policy } = await ask("GET /admin/policy", "/admin/policy", { token });
  const rules = [{ effect: "network", action: "allow" }];
  const change = { revision: policy.revision, rules };
  await ask("PUT /admin/policy", "/admin/policy", { token, body: change });
  await ask("POST /admin/policy/test", "/admin/policy/test", { token, body: { tool: "get_time" } });
  await ask("GET /admin/limits", "/admin/limits", { token });
  await ask("GET /admin/audit", "/admin/audit?action=auth&limit=5", { token });
  await ask("GET /admin/model-servers", "/admin/model-servers", { token });
  const nobody = { name: "nobody", url: "http://127.0.0.1:9/v1" };
  await ask("POST /admin/model-servers", "/admin/model-servers", { token, body: nobody });
  await ask("DELETE /admin/model-servers/:name", "/admin/model-servers/nobody", { token });
  const code = 'export default { name: "nobody", description: "Nothing.", effect: "none", run: () => 0 };';
  for (const kind of ["mcp", "openapi", "tools"]) {
    const source = `/admin/${kind}/nobody`;
    const body = { name: "nobody", ...(kind === "tools" ? { code } : { url: "http://127.0.0.1:9/nobody" }) };
    await ask(`POST /admin/${kind}`, `/admin/${kind}`, { token, body });
    await ask(`POST /admin/${kind}`, `/admin/${kind}`, { token, body });
    await ask(`GET /admin/${kind}`, `/admin/${kind}`, { token });
    await ask(`POST /admin/${kind}/:name/test`, `${source}/test`, { token });
    await ask(`PATCH /admin/${kind}/:name`, source, { token, body: { paused: true } });
    await ask(`DELETE /admin/${kind}/:name`, source, { token });
  }
  await ask("POST /admin/breakers/:name/close", "/admin/breakers/tool%3Aweb_fetch/close", { token });
  await ask("DELETE /admin/users/:id", at, { token });
  const refused = await ask("DELETE /admin/users/:id", `/admin/users/${own}`, { token: "tk_wrong" });
  expect(refused.status).toBe(401);
}

async function walkPush(token: string): Promise<void> {
  const p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
  const endpoint = "https://push.example/one";
  const body = { endpoint, keys: { p256dh, auth: "BTBZMqHH6r4Tts7J_aSIgg" } };
  await ask("POST /me/push", "/me/push", { token, body });
  const { json } = await ask("GET /me/push", "/me/push", { token });
  expect(json.subscriptions).toHaveLength(1);
  await ask("POST /me/push", "/me/push", { token, body: { ...body, endpoint: "https://127.0.0.1/" } });
  await ask("DELETE /me/push", "/me/push", { token, body: { endpoint } });
}

async function walkAccount(token: string): Promise<void> {
  const { json: me } = await ask("GET /me", "/me", { token });
  expect(me.role).toBe("admin");
  await ask("PATCH /me", "/me", { token, body: { name: "Ada" } });
  const { json: listed } = await ask("GET /me/devices", "/me/devices", { token });
  const other = listed.devices.find((device: { current: boolean }) => !device.current);
  await ask("DELETE /me/devices/:id", `/me/devices/${other?.id ?? "none"}`, { token });
  await walkPush(token);
  await ask("PUT /me/settings", "/me/settings", { token, body: { settings: { theme: "dark" } } });
  await ask("GET /me/settings", "/me/settings", { token });
  await ask("PUT /me/drafts/:id", "/me/drafts/new", { token, body: { text: "Not yet" } });
  const { json: unsent } = await ask("GET /me/drafts", "/me/drafts", { token });
  expect(unsent.drafts[0]).toMatchObject({ id: "new", text: "Not yet" });
  const { json: key } = await ask("POST /me/keys", "/me/keys", { token, body: { name: "laptop" } });
  await ask("GET /me/keys", "/me/keys", { token });
  const budget = { usd: 5, days: 30 };
  await ask("PATCH /me/keys/:id", `/me/keys/${key.id}`, { token, body: { budget } });
  await ask("GET /me", "/me", { token: key.key });
  await ask("DELETE /me/keys/:id", `/me/keys/${key.id}`, { token });
  await ask("GET /me/passkeys", "/me/passkeys", { token });
  await ask("POST /me/passkeys/options", "/me/passkeys/options", { token });
  await ask("POST /me/passkeys", "/me/passkeys", { token, body: {} });
  await ask("PATCH /me/passkeys/:id", "/me/passkeys/none", { token, body: { name: "laptop" } });
  await ask("DELETE /me/passkeys/:id", "/me/passkeys/none", { token });
  await ask("GET /me/approvals", "/me/approvals", { token });
  await ask("DELETE /me/approvals/:id", "/me/approvals/none", { token });
  await ask("GET /me/vendors", "/me/vendors", { token });
  await ask("POST /me/vendors/:id/check", "/me/vendors/openai/check", {
    token,
    body: { key: "sk-0123456789" },
  });
  await ask("GET /me/usage", "/me/usage?days=3", { token });
  const { json: prompt } = await ask("POST /prompts", "/prompts", {
    token,
    body: { name: "letter", text: "To {{name}}" },
  });
  await ask("POST /prompts", "/prompts", { token, body: { name: "letter", text: "again" } });
  await ask("GET /prompts", "/prompts", { token });
  await ask("PATCH /prompts/:id", `/prompts/${prompt.id}`, { token, body: { text: "Dear {{name}}" } });
  await ask("DELETE /prompts/:id", `/prompts/${prompt.id}`, { token });
  await ask("DELETE /me", "/me", { token, body: { password: "wrong" } });
  await ask("POST /auth/sign-out", "/auth/sign-out", { token });
}
