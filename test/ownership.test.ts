import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Route, ServerState } from "../src/http/context.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import {
  ask,
  bearer,
  type Credentials,
  call,
  PASSWORD,
  signUp,
  type TestAccount,
} from "./support/accounts.ts";
import { isLong } from "./support/long.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { beginningOf, chat, eventsOf, firstEvent, postChat, readFrames } from "./support/sse.ts";

/** Part of everything the owner has. If another user sees it, something leaked. */
const MARK = "heron-4711";
const JWT_SECRET = "the issuer's secret, which is long enough";
/** A browser's public key. */
const P256DH = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const NO_LIMIT = { guest: 100_000, account: 100_000 };

/** Routes without authentication, with nobody's data. */
const OPEN =
  /^(GET \/(healthz|readyz|metrics|openapi\.json|s\/:token.*|\.well-known\/.*|artifacts\/(frame|drawing)|vendor\/:file|mcp\/oauth\/client\.json)|(?:GET|POST) \/auth\/.*)$/;
/** Pages with their own key in the address, which no attempt has. */
const KEYED = /^GET \/artifacts\/(:id\/(preview|view)|apps\/.*)$/;

/** A body for each route that takes one, valid enough to pass its schema. */
const BODIES: Record<string, unknown> = {
  "POST /chat": { message: "mine now", stream: false },
  "POST /chat/ui": {
    id: "chat-1",
    messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "mine now" }] }],
  },
  "POST /chat/ui/:id/stop": {},
  "POST /chat/ag-ui": {
    threadId: "thread-1",
    runId: "run-1",
    messages: [{ id: "1", role: "user", content: "mine now" }],
  },
  "POST /runs/:id/cancel": {},
  "POST /me/vendors/:id/check": {},
  "POST /prompts": { name: "mine", text: "mine now" },
  "PATCH /prompts/:id": { text: "mine now" },
  "POST /admin/mcp": { name: "mine", url: "http://127.0.0.1:9/mcp" },
  "PATCH /admin/mcp/:name": { paused: true },
  "DELETE /admin/mcp/:name": undefined,
  "POST /admin/mcp/:name/test": {},
  "POST /admin/openapi": { name: "mine", url: "http://127.0.0.1:9/openapi.json" },
  "PATCH /admin/openapi/:name": { paused: true },
  "DELETE /admin/openapi/:name": undefined,
  "POST /admin/openapi/:name/test": {},
  "POST /admin/model-servers": { name: "mine", url: "http://127.0.0.1:9/v1" },
  "DELETE /admin/model-servers/:name": undefined,
  "POST /admin/tools": { name: "mine", code: "export default {}" },
  "PATCH /admin/tools/:name": { paused: true },
  "DELETE /admin/tools/:name": undefined,
  "POST /admin/tools/:name/test": {},
  "PUT /admin/policy": { revision: "", rules: [] },
  "POST /admin/policy/test": { tool: "get_time" },
  "DELETE /me/approvals/:id": undefined,
  "POST /runs/:id/retry": {},
  "POST /runs/:id/approvals/:toolCallId": { decision: "once" },
  "POST /runs/:id/messages": { message: "mine now", when: "now" },
  "PATCH /runs/:id/messages/:messageId": { message: "mine now" },
  "DELETE /runs/:id/messages/:messageId": undefined,
  "POST /runs/:id/answers/:toolCallId": { answer: "mine now" },
  "POST /runs/:id/apps/:toolCallId/calls": { callId: "1", name: "anything" },
  "POST /runs/:id/apps/:toolCallId/resources": { uri: "ui://anything" },
  "POST /sessions/:id/compact": {},
  "POST /sessions/:id/commands/:commandId/stop": {},
  "PUT /workspace/trust": { hash: "0".repeat(64), trusted: true },
  "DELETE /workspace/trust": undefined,
  "POST /sessions": {},
  "DELETE /sessions": undefined,
  "POST /sessions/import": [],
  "POST /sessions/:id/share": { steps: true },
  "POST /sessions/:id/fork": { messageId: "msg_1" },
  "PATCH /shares/:id": { update: true },
  "POST /s/:token/continue": {},
  "POST /messages/:id/feedback": { value: 1, note: "mine now" },
  "DELETE /messages/:id/feedback": undefined,
  "PATCH /sessions/:id": { title: "mine now" },
  "POST /projects": { name: "mine" },
  "PATCH /projects/:id": { name: "mine now" },
  "POST /projects/:id/files": { note: "mine now" },
  "DELETE /projects/:id/files/:fileId": undefined,
  "POST /projects/:id/members": { email: "eve@example.com", access: "write" },
  "PATCH /projects/:id/members/:userId": { access: "write" },
  "DELETE /projects/:id/members/:userId": undefined,
  "PATCH /me/memory": { text: "mine now" },
  "DELETE /me/memory": undefined,
  "PATCH /me/memory/:id": { text: "mine now" },
  "DELETE /me/memory/:id": undefined,
  "POST /sessions/:id/rollback": {},
  "POST /tools/:name": {},
  "POST /guard/scan": { text: "hello" },
  "POST /artifacts/:id/versions": { code: "# mine now" },
  "POST /artifacts/:id/versions/:version/restore": {},
  "POST /mcp": { jsonrpc: "2.0", id: 1, method: "tools/list" },
  "POST /mcp/sse": { jsonrpc: "2.0", id: 1, method: "tools/list" },
  "DELETE /mcp": undefined,
  "DELETE /mcp/servers/:name/authorization": undefined,
  "POST /generate-artifact": { type: "markdown", code: "# hello" },
  "POST /generate-image": { prompt: "a heron" },
  "POST /files": { note: "mine now" },
  "POST /v1/chat/completions": { model: "openai/gpt-4o", messages: [{ role: "user", content: "hello" }] },
  "POST /v1/completions": { model: "demo/demo", prompt: "hello" },
  "POST /v1/fim/completions": { model: "demo/demo", prompt: "hello" },
  "POST /v1/images/generations": { prompt: "a heron" },
  "POST /v1/images/edits": { prompt: "a heron", images: [{ file_id: "file_1" }] },
  "POST /v1/files": {},
  "POST /api/chat": { model: "demo/demo", stream: false, messages: [{ role: "user", content: "hello" }] },
  "POST /api/generate": { model: "demo/demo", stream: false, prompt: "hello" },
  "POST /api/embed": { model: "demo/demo", input: "hello" },
  "POST /api/embeddings": { model: "demo/demo", prompt: "hello" },
  "POST /api/show": { model: "demo/demo" },
  "POST /api/pull": { model: "demo/demo", stream: false },
  "POST /v1/embeddings": { model: "demo/demo", input: "hello" },
  "POST /v1/chat/completions/stop": { id: "run_1" },
  "POST /v1/messages": {
    model: "openai/gpt-4o",
    max_tokens: 100,
    messages: [{ role: "user", content: "hello" }],
  },
  "POST /v1/messages/count_tokens": {
    model: "openai/gpt-4o",
    messages: [{ role: "user", content: "hello" }],
  },
  "POST /v1/responses": { model: "openai/gpt-4o", input: "hello" },
  "POST /v1/responses/:id/cancel": {},
  "POST /v1/responses/input_tokens": { model: "openai/gpt-4o", input: "hello" },
  "POST /v1/responses/compact": { model: "openai/gpt-4o", input: "hello" },
  "POST /v1/conversations": { items: [{ role: "user", content: "hello" }] },
  "POST /v1/conversations/:id": { metadata: { mine: "now" } },
  "POST /v1/conversations/:id/items": { items: [{ role: "user", content: "mine now" }] },
  "DELETE /v1/conversations/:id/items/:itemId": undefined,
  "DELETE /me": { password: "a guess" },
  "PATCH /me": { name: "mine now" },
  "DELETE /me/devices/:id": undefined,
  "DELETE /admin/users/:id/devices/:device": undefined,
  "POST /me/push": {
    endpoint: "https://push.example/1",
    keys: { p256dh: P256DH, auth: "BTBZMqHH6r4Tts7J_aSIgg" },
  },
  "DELETE /me/push": {},
  "PUT /me/drafts/:id": { text: "mine now" },
  "PUT /me/settings": { settings: { theme: "mine" } },
  "POST /me/keys": { name: "mine" },
  "PATCH /me/keys/:id": { name: "mine", budget: { usd: 1 } },
  "POST /me/passkeys/options": undefined,
  "POST /me/passkeys": {
    name: "mine",
    credential: {
      id: "mine",
      rawId: "mine",
      type: "public-key",
      response: { clientDataJSON: "e30", attestationObject: "oA" },
    },
  },
  "PATCH /me/passkeys/:id": { name: "mine" },
  "POST /me/password": { password: "a guess", newPassword: PASSWORD },
  "POST /admin/users": { email: "eve@example.com", password: PASSWORD },
  "POST /admin/users/:id/suspend": { suspended: true },
  "POST /admin/users/:id/password": { password: "a new password" },
  "POST /admin/users/:id/role": { role: "admin" },
  "PUT /admin/users/:id/limits": { limits: { chat: 1 } },
  "PUT /admin/users/:id/models": { models: ["demo/*"] },
  "PUT /admin/limits/:role": { limits: { chat: 1 } },
  "PUT /admin/models/:role": { models: ["demo/*"] },
  "POST /admin/breakers/:name/close": {},
  "POST /admin/runs/:id/cancel": {},
};

const folder = temporaryFolder();
const roots = join(folder.path, "files");
let upstream: Upstream;
let server: ServerProcess;
let admin: TestAccount;
let owner: TestAccount;
let owned: Owned;
/** Credentials that are valid but not the owner's. */
const others: Record<string, Credentials> = {};
/** Credentials that must be refused everywhere. */
const refused: Record<string, Credentials> = {};

interface Owned {
  sessionId: string;
  runId: string;
  toolCallId: string;
  finishedRunId: string;
  messageId: string;
  keyId: string;
  deviceId: string;
  fileId: string;
  responseId: string;
  conversationId: string;
  itemId: string;
  shareId: string;
  projectId: string;
  projectFileId: string;
  memoryId: string;
  artifactId: string;
  promptId: string;
  waitingMessageId: string;
}

beforeAll(async () => {
  mkdirSync(roots);
  upstream = await startUpstream();
  upstream.respond(() => chatTurn({ text: "Fine." }));
  server = await startServer(join(folder.path, "data"), {
    ...modelAt(upstream.url),
    TACKLE_AUTH: "guest",
    TACKLE_JWT_SECRET: JWT_SECRET,
    TACKLE_ROOTS: roots,
    TACKLE_IMAGE_MODEL: "demo/demo",
    TACKLE_LIMITS: JSON.stringify({ chat: NO_LIMIT, api: { perMinute: 100_000 } }),
  });
  admin = await signUp(server, "admin");
  owner = await signUp(server, "owner");
  owned = await makeOwned();
  await makeOthers();
  await makeRefused();
});

afterAll(async () => {
  await server.stop();
  await upstream.close();
  folder.remove();
});

/** Creates a finished run, a run that waits for an approval, an API key, a setting, a vendor key and a file, all with the mark. */
async function makeOwned(): Promise<Owned> {
  const headers = bearer(owner.token);
  upstream.play(chatTurn({ text: `The answer is ${MARK}.` }));
  const finished = await chat(server.url, { message: `Tell me about ${MARK}` }, { headers });
  const { sessionId, runId: finishedRunId, messageId } = firstEvent(finished, "session");
  const write = { operation: "write", path: "note.txt", content: MARK };
  upstream.play(chatTurn({ calls: [{ name: "filesystem", arguments: write }] }));
  const waiting = await postChat(server.url, { message: "write it down", sessionId }, { headers });
  const events = eventsOf(await readFrames(waiting, ({ data }) => !data.includes("tool_approval_required")));
  const { devices } = await ask<{ devices: { id: string }[] }>(server, "GET", "/me/devices", headers);
  const deviceId = devices[0]?.id ?? "";
  const { id: keyId } = await ask<{ id: string }>(server, "POST", "/me/keys", headers, { name: MARK });
  await ask(server, "PUT", "/me/settings", headers, {
    settings: { note: MARK },
    keys: { zai: `zk-${MARK}` },
  });
  const { runId } = firstEvent(events, "session");
  const { toolCallId } = firstEvent(events, "tool_approval_required");
  const { fileId } = await ask<{ fileId: string }>(server, "POST", "/files", headers, { note: MARK });
  upstream.play(chatTurn({ text: MARK }));
  const asked = { model: "openai/gpt-4o", input: MARK };
  const { id: responseId } = await ask<{ id: string }>(server, "POST", "/v1/responses", headers, asked);
  const items = [{ type: "message", id: "msg_theirs", role: "user", content: MARK }];
  const kept = { metadata: { note: MARK }, items };
  const made = await ask<{ id: string }>(server, "POST", "/v1/conversations", headers, kept);
  const conversation = { conversationId: made.id, itemId: "msg_theirs" };
  const share = await ask<{ id: string }>(server, "POST", `/sessions/${sessionId}/share`, headers, {});
  await ask(server, "POST", `/messages/${messageId}/feedback`, headers, { value: -1, note: MARK });
  const about = { name: MARK, instructions: MARK };
  const { id: projectId } = await ask<{ id: string }>(server, "POST", "/projects", headers, about);
  const files = `/projects/${projectId}/files`;
  const file = await ask<{ fileId: string }>(server, "POST", files, headers, { note: MARK });
  const { lines } = await ask<{ lines: { id: string }[] }>(server, "PATCH", "/me/memory", headers, {
    text: MARK,
  });
  const project = { projectId, projectFileId: file.fileId, memoryId: lines[0]?.id ?? "" };
  const code = { type: "markdown", title: MARK, code: `# ${MARK}` };
  const { artifactId } = await ask<{ artifactId: string }>(
    server,
    "POST",
    "/generate-artifact",
    headers,
    code,
  );
  const saved = { name: MARK, text: MARK };
  const { id: promptId } = await ask<{ id: string }>(server, "POST", "/prompts", headers, saved);
  const later = { message: MARK, when: "after" };
  const sent = await ask<{ messageId: string }>(server, "POST", `/runs/${runId}/messages`, headers, later);
  return {
    ...{ artifactId, promptId, waitingMessageId: sent.messageId },
    ...project,
    ...{ sessionId, runId, toolCallId, finishedRunId, messageId, keyId, deviceId, fileId, responseId },
    ...conversation,
    shareId: share.id,
  };
}

async function makeOthers(): Promise<void> {
  const other = await signUp(server, "other");
  const { key } = await ask<{ key: string }>(server, "POST", "/me/keys", bearer(other.token), {});
  const guest = (await call(server, "GET", "/tools")).headers.get("x-tackle-guest") ?? "";
  Object.assign(others, {
    "another user": bearer(other.token),
    "another user's browser": { cookie: other.cookie },
    "another user's API key": bearer(key),
    "a user of the external issuer": bearer(await jwt({ sub: owner.id })),
    "a guest": bearer(guest),
    "a guest's browser": { cookie: `tackle_guest=${guest}` },
    "an anonymous request": {},
    "an anonymous request that claims to be the owner": {
      "x-user-id": owner.id,
      "x-tackle-user": owner.id,
      "x-forwarded-user": owner.email,
      "api-key": owner.id,
      cookie: `userId=${owner.id}; isGuest=false; role=admin`,
    },
  });
}

async function makeRefused(): Promise<void> {
  const revoked = await ask<{ id: string; key: string }>(server, "POST", "/me/keys", bearer(owner.token), {});
  await ask(server, "DELETE", `/me/keys/${revoked.id}`, bearer(owner.token));
  const suspended = await signUp(server, "suspended");
  const { key } = await ask<{ key: string }>(server, "POST", "/me/keys", bearer(suspended.token), {});
  await ask(server, "POST", `/admin/users/${suspended.id}/suspend`, bearer(admin.token), { suspended: true });
  await ask(server, "POST", "/admin/users/jwt:banned/suspend", bearer(admin.token), { suspended: true });
  const deleted = await signUp(server, "deleted");
  await ask(server, "DELETE", `/admin/users/${deleted.id}`, bearer(admin.token));
  const left = await signUp(server, "left");
  await ask(server, "POST", "/auth/sign-out", bearer(left.token));
  const guest = (await call(server, "GET", "/tools")).headers.get("x-tackle-guest") ?? "";
  const [token, signature] = owner.token.split(".");
  const claims = { sub: owner.id, role: "admin" };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  Object.assign(refused, {
    "a revoked key": bearer(revoked.key),
    "a suspended user": bearer(suspended.token),
    "a suspended user's browser": { cookie: suspended.cookie },
    "a suspended user's API key": bearer(key),
    "a suspended user of the external issuer": bearer(await jwt({ sub: "banned" })),
    "a deleted user": bearer(deleted.token),
    "a user who signed out": bearer(left.token),
    "a session without its signature": bearer(token ?? ""),
    "a session with another's signature": bearer(`${token}.${admin.token.split(".")[1]}`),
    "another session with the owner's signature": bearer(`${admin.token.split(".")[0]}.${signature}`),
    "a forged guest": bearer(guest.replace(/^guest_..../, "guest_AAAA")),
    "an expired JWT": bearer(await jwt({ ...claims, exp: 1_700_000_000 })),
    "a JWT that is not valid yet": bearer(
      await jwt({ ...claims, nbf: Math.floor(Date.now() / 1000) + 86_400 }),
    ),
    "an unsigned JWT": bearer(`${part({ alg: "none", typ: "JWT" })}.${part(claims)}.`),
    "a JWT of another issuer": bearer(await jwt(claims, "some other secret of that length")),
    "a JWT without a subject": bearer(await jwt({ role: "admin" })),
    "an id instead of a token": bearer(owner.id),
    "another scheme": {
      authorization: `Basic ${Buffer.from(`${owner.email}:${PASSWORD}`).toString("base64")}`,
    },
    "an invalid header with the owner's cookie": { ...bearer("tk_nothing"), cookie: owner.cookie },
    "an empty header with the owner's cookie": { authorization: "Bearer", cookie: owner.cookie },
  });
}

function jwt(claims: Record<string, unknown>, secret = JWT_SECRET): Promise<string> {
  const whole = { aud: "tackle", exp: Math.floor(Date.now() / 1000) + 600, ...claims };
  return new SignJWT(whole).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));
}

/** A server that has everything for which there are routes. */
const EVERYTHING = { deps: { artifacts: {}, mcp: {} } };

/** Returns every route of the server, from the files that define them. */
async function allRoutes(): Promise<Route[]> {
  const files = new URL("../src/http/routes/", import.meta.url);
  const names = readdirSync(files).filter((name) => /^[\w-]+\.ts$/.test(name));
  const modules: Record<string, unknown>[] = await Promise.all(
    names.map((name) => import(new URL(name, files).href)),
  );
  return modules
    .flatMap((module) => Object.entries(module))
    .flatMap(([name, made]) =>
      name.endsWith("Routes") ? (made as (server: ServerState) => Route[])(EVERYTHING as ServerState) : [],
    );
}

interface Attempt {
  route: string;
  method: string;
  path: string;
  body: unknown;
  /** True if the path or the body names something of the owner's. */
  bound: boolean;
  /** The status for a missing object, if the protocol does not use 404. */
  absent?: number;
  /** True if the body claims an identity, which the schema refuses. */
  claims?: boolean;
}

/** Returns a request for every route that tries to reach what the owner has. */
async function attempts(): Promise<Attempt[]> {
  const found: Attempt[] = [];
  const ids: [RegExp, string][] = [
    [/^\/(sessions|chat\/ui|me\/drafts)/, owned.sessionId],
    [/^\/(runs|artifacts\/apps)/, owned.runId],
    [/^\/me\/keys/, owned.keyId],
    [/^\/me\/devices/, owned.deviceId],
    [/^\/me\/memory/, owned.memoryId],
    [/^\/projects/, owned.projectId],
    [/^\/(v1\/)?files/, owned.fileId],
    [/^\/artifacts/, owned.artifactId],
    [/^\/prompts/, owned.promptId],
    [/^\/v1\/responses/, owned.responseId],
    [/^\/v1\/conversations/, owned.conversationId],
    [/^\/shares/, owned.shareId],
    [/^\/messages/, owned.messageId],
  ];
  for (const { method, path } of await allRoutes()) {
    const route = `${method} ${path}`;
    // The feed of the MCP endpoint has no end, and no ids.
    if (OPEN.test(route) || route === "GET /mcp") continue;
    const id = ids.find(([place]) => place.test(path))?.[1] ?? owner.id;
    const address = path
      .replace(":itemId", owned.itemId)
      .replace(":id", id)
      .replace(":device", owned.deviceId)
      .replace(":fileId", owned.projectFileId)
      .replace(":userId", owner.id)
      .replace(":toolCallId", owned.toolCallId)
      .replace(":messageId", owned.waitingMessageId)
      .replace(":version", "1")
      .replace(":name", "get_time");
    // A vendor belongs to nobody.
    const bound = path.includes(":id") && !path.startsWith("/me/vendors/");
    found.push({ route, method, path: address, body: BODIES[route], bound });
  }
  const continued = { message: "go on", sessionId: owned.sessionId, stream: false };
  const asked = { route: "POST /chat", method: "POST", path: "/chat", bound: true };
  found.push({ ...asked, body: continued });
  found.push({ ...asked, path: "/functions/v1/chat", body: continued });
  found.push({ ...asked, body: { ...continued, userId: owner.id }, claims: true });
  found.push({ ...asked, body: { ...continued, isGuest: false }, claims: true });
  found.push({ ...asked, body: { ...continued, parentId: owned.messageId } });
  found.push({ ...asked, body: { sessionId: owned.sessionId, regenerate: owned.messageId, stream: false } });
  found.push({ ...asked, body: { message: "go on", projectId: owned.projectId, stream: false } });
  const intoProject = { projectId: owned.projectId };
  found.push({ route: "POST /sessions", method: "POST", path: "/sessions", body: intoProject, bound: true });
  const path = `/sessions/${owned.sessionId}`;
  found.push({
    route: "PATCH /sessions/:id",
    method: "PATCH",
    path,
    body: { show: owned.messageId },
    bound: true,
  });
  for (const body of [
    { input: "go on", previous_response_id: owned.responseId },
    { input: "go on", conversation: owned.sessionId },
    { input: "go on", conversation: owned.conversationId },
  ]) {
    const route = "POST /v1/responses";
    found.push({ route, method: "POST", path: "/v1/responses", body, bound: true, absent: 400 });
  }
  const callId = `call_${owned.runId.replace("run_", "")}_0`;
  const told = { type: "data-session", data: { runId: owned.runId, sessionId: owned.sessionId } };
  const approved = { state: "approval-responded", approval: { id: callId, approved: true } };
  const words = { id: "1", role: "user", parts: [{ type: "text", text: "go on" }] };
  const call = { type: "dynamic-tool", toolName: "filesystem", toolCallId: callId, input: {}, ...approved };
  for (const body of [
    { id: owned.sessionId, message: words },
    { id: owned.sessionId, messages: [words] },
    { id: "chat-1", messages: [words, { id: "2", role: "assistant", parts: [told, call] }] },
  ])
    found.push({ route: "POST /chat/ui", method: "POST", path: "/chat/ui", body, bound: true, absent: 400 });
  const run = { runId: "run-1", messages: [{ id: "1", role: "user", content: "go on" }] };
  const agUi = { route: "POST /chat/ag-ui", method: "POST", path: "/chat/ag-ui" };
  found.push({ ...agUi, body: { ...run, threadId: owned.sessionId }, bound: true });
  const resume = [{ interruptId: callId, status: "resolved", payload: { approved: true } }];
  found.push({ ...agUi, body: { ...run, threadId: "thread-1", resume }, bound: false });
  const messages = [{ role: "user", content: "go on" }];
  const spoken = {
    route: "POST /v1/chat/completions",
    method: "POST",
    path: "/v1/chat/completions",
    bound: true,
  };
  found.push({ ...spoken, body: { messages, conversation_id: owned.sessionId } });
  const thread = { model: "openai/gpt-4o", max_tokens: 100, messages };
  const previous_message_id = owned.finishedRunId.replace("run_", "msg_");
  const said = { route: "POST /v1/messages", method: "POST", path: "/v1/messages", bound: true };
  found.push({ ...said, body: { ...thread, thread: { type: "continue", previous_message_id } } });
  const stopped = { route: "POST /v1/chat/completions/stop", method: "POST", bound: true };
  found.push({ ...stopped, path: "/v1/chat/completions/stop", body: { id: owned.runId } });
  for (const path of [
    `/runs/${owned.finishedRunId}/events?after=0`,
    `/sessions/${owned.sessionId}/export?format=md`,
  ])
    found.push({ route: `GET ${path}`, method: "GET", path, body: undefined, bound: true });
  for (const path of [
    `/sessions?userId=${owner.id}`,
    `/sessions?query=${MARK}`,
    `/sessions?projectId=${owned.projectId}`,
    `/me/settings?userId=${owner.id}`,
  ])
    found.push({ route: `GET ${path}`, method: "GET", path, body: undefined, bound: false });
  return found;
}

/** Returns everything the owner has, as the owner sees it. */
async function view(): Promise<unknown> {
  const headers = bearer(owner.token);
  const get = (path: string) => ask(server, "GET", path, headers);
  const { sessionId } = owned;
  const { id, email, kind } = await get("/me");
  return {
    me: { id, email, kind },
    session: await get(`/sessions/${sessionId}`),
    messages: await get(`/sessions/${sessionId}/messages`),
    settings: await get("/me/settings"),
    keys: await get("/me/keys"),
    files: ((await get("/files")).files as { fileId: string }[]).map(({ fileId }) => fileId),
    sessions: await get("/sessions"),
    shares: await get("/shares"),
    project: await get(`/projects/${owned.projectId}`),
    projectFiles: await get(`/projects/${owned.projectId}/files`),
    members: await get(`/projects/${owned.projectId}/members`),
    memory: await get("/me/memory"),
    prompts: await get("/prompts"),
    artifact: await get(`/artifacts/${owned.artifactId}/versions`),
    waitingMessages: await get(`/runs/${owned.runId}/messages`),
    conversation: await get(`/v1/conversations/${owned.conversationId}`),
    items: await get(`/v1/conversations/${owned.conversationId}/items`),
    written: existsSync(join(roots, owner.id, "note.txt")),
  };
}

/**
 * Every attempt with everybody's credentials in `npm run test:long`. In `npm test` each attempt is made with the first ones and
 * one of the others, so that all are tried on many routes: what checks credentials is before all routes.
 */
async function pairs(all: Record<string, Credentials>): Promise<[Attempt, string, Credentials][]> {
  const [first, ...rest] = Object.entries(all);
  return (await attempts()).flatMap((attempt, at) =>
    [first, ...(isLong ? rest : [rest[at % rest.length]])].flatMap((one): [Attempt, string, Credentials][] =>
      one ? [[attempt, ...one]] : [],
    ),
  );
}

/** Returns what went wrong with an attempt in one line, or undefined if it was refused as expected. */
async function leak(attempt: Attempt, shown: Credentials, mayEnter: boolean): Promise<string | undefined> {
  const { method, path, body, bound, absent = 404, claims, route } = attempt;
  const response = await call(server, method, path, shown, body);
  const isEndless = method === "GET" && ["/me/events", "/mcp/sse"].includes(path);
  const text = isEndless ? await beginningOf(response) : await response.text();
  const { status } = response;
  const outcome = `${route}: ${status} ${text.slice(0, 200)}`;
  if (text.includes(MARK)) return `leaks the owner's data: ${outcome}`;
  if (claims) return status === 400 ? undefined : `accepts a claimed identity: ${outcome}`;
  if (!mayEnter && status !== 401 && status !== 403 && !KEYED.test(route))
    return `accepts invalid credentials: ${outcome}`;
  if (bound && ![401, 403, 404, absent].includes(status)) return `acts on the owner's data: ${outcome}`;
  return undefined;
}

describe("everything the owner has", () => {
  it("exists and can be read by the owner", async () => {
    const before = JSON.stringify(await view());
    expect(before).toContain(MARK);
    expect(JSON.parse(before)).toMatchObject({ session: { activeRunId: owned.runId }, written: false });
  });

  it("is attacked on every route, with a body that passes the schema", async () => {
    const routes = (await allRoutes()).map(({ method, path }) => `${method} ${path}`);
    expect(routes.length).toBeGreaterThan(25);
    const unknown = routes.filter((route) => !/^GET /.test(route) && !OPEN.test(route) && !(route in BODIES));
    expect(unknown.filter((route) => !/^DELETE \/.*:id$/.test(route))).toEqual([]);
  });

  it("cannot be read or changed by other users on any route", async () => {
    const before = await view();
    const leaks: string[] = [];
    for (const [attempt, who, shown] of await pairs(others)) {
      const found = await leak(attempt, shown, true);
      if (found) leaks.push(`${who}: ${found}`);
    }
    expect(leaks).toEqual([]);
    expect(await view()).toEqual(before);
  });

  it("cannot be read or changed with invalid credentials on any route", async () => {
    const before = await view();
    const leaks: string[] = [];
    for (const [attempt, who, shown] of await pairs(refused)) {
      const found = await leak(attempt, shown, false);
      if (found) leaks.push(`${who}: ${found}`);
    }
    expect(leaks).toEqual([]);
    expect(await view()).toEqual(before);
  });

  it("cannot be read or changed by the administrator, who manages only accounts", async () => {
    const leaks: string[] = [];
    const shown = bearer(admin.token);
    for (const attempt of await attempts()) {
      if (attempt.path.startsWith("/admin")) continue;
      const found = await leak(attempt, shown, true);
      if (found) leaks.push(found);
    }
    expect(leaks).toEqual([]);
  });

  it("can be read, and not changed, by a member of the project who may only read", async () => {
    const headers = bearer(owner.token);
    const reader = await signUp(server, "reader");
    const path = `/projects/${owned.projectId}`;
    await ask(server, "POST", `${path}/members`, headers, { email: reader.email, access: "read" });
    const before = await view();
    expect(JSON.stringify(await ask(server, "GET", path, bearer(reader.token)))).toContain(MARK);
    const wrong: string[] = [];
    for (const attempt of await attempts()) {
      const { route, method, bound } = attempt;
      const isOfProject = route.includes("/projects/:id");
      // Whoever may read a project may also talk in it.
      const isTalk = JSON.stringify(attempt.body)?.includes(owned.projectId);
      if ((isOfProject && method === "GET") || isTalk || !bound) continue;
      const found = await leak(attempt, bearer(reader.token), true);
      if (found) wrong.push(found);
    }
    expect(wrong).toEqual([]);
    expect(await view()).toEqual(before);
    await ask(server, "DELETE", `${path}/members/${reader.id}`, headers);
    expect((await call(server, "GET", path, bearer(reader.token))).status).toBe(403);
  });

  it("still waits for the owner's decision", async () => {
    const headers = bearer(owner.token);
    const { runId, toolCallId } = owned;
    await ask(server, "POST", `/runs/${runId}/approvals/${toolCallId}`, headers, { decision: "once" });
    const events = eventsOf(await readFrames(await call(server, "GET", `/runs/${runId}/events`, headers)));
    expect(events.at(-1)).toMatchObject({ type: "done", finishReason: "stop" });
    expect(existsSync(join(roots, owner.id, "note.txt"))).toBe(true);
  });
});
