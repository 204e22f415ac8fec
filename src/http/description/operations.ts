import type { SchemaName } from "./schemas.ts";

/** What an answer holds: a named shape as JSON, something that is not JSON, or nothing. */
export type Answer = SchemaName | { type: string; says: string } | "nothing";

/** One route as the document tells of it. */
export interface Operation {
  tag: keyof typeof TAGS;
  summary: string;
  body?: SchemaName | { type: string; says: string };
  /** Parameters behind the question mark, and what they mean. */
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** By status; several where the caller chooses the form. */
  answers: Record<number, Answer | Answer[]>;
  /** Answered without asking who calls. */
  open?: boolean;
  deprecated?: boolean;
}

export const TAGS = {
  chat: "A turn, and the run that comes of it",
  sessions: "Conversations of the caller",
  tools: "What is on offer, and tools called directly",
  artifacts: "Artifacts, their versions and their pages",
  files: "Uploads and stored objects",
  account: "The caller: signing in, settings, keys",
  administration: "For administrators",
  openai: "OpenAI's dialect",
  "front ends": "Protocols that other front ends speak",
  server: "Whether it is alive, and what it counted",
};

const EVENTS = {
  type: "text/event-stream",
  says: "Frames of `ChatEvent`, `id:` its number; ends with `[DONE]`.",
};
const FRAMES = { type: "text/event-stream", says: "Frames as the protocol has them." };
const PAGE = { type: "text/html", says: "A page that is contained by its own headers." };
const ONE = { "Idempotency-Key": "The same key and body joins the same run; with another body it is 409." };
const PAGED = { limit: "At most so many, up to 200.", before: "Only what comes before this one." };
const USAGE = {
  days: "So many days up to today, 1 to 366; 30 where it is left out.",
  timeZone: "Where the days begin, such as `Europe/Berlin`; UTC where it is left out.",
};
const VERSION = { version: "Which version; the newest where it is left out." };

/** Every route but the files of the web app. */
export const OPERATIONS: Record<string, Operation> = {
  "POST /chat": {
    tag: "chat",
    summary: 'One turn: streamed, or one JSON object with `"stream": false` or `Accept: application/json`',
    body: "ChatRequest",
    headers: ONE,
    answers: { 200: [EVENTS, "ChatAnswer"] },
  },
  "GET /runs/:id/events": {
    tag: "chat",
    summary: "The run's events again from a place on, then live to the end",
    query: { after: "The number of the last event seen; the header `Last-Event-ID` says the same." },
    answers: { 200: EVENTS },
  },
  "POST /runs/:id/cancel": {
    tag: "chat",
    summary: "Stops the run, its upstream request and its tools; stopping twice is fine",
    answers: { 200: "Done" },
  },
  "POST /runs/:id/approvals/:toolCallId": {
    tag: "chat",
    summary: "Lets a waiting call run, once or always, or refuses it",
    body: "Decision",
    answers: { 200: "Done" },
  },

  "GET /sessions": {
    tag: "sessions",
    summary: "Newest first",
    query: {
      ...PAGED,
      query: "Words that the title or a message must have.",
      pinned: "`true` for those with a pin alone.",
    },
    answers: { 200: "Sessions" },
  },
  "POST /sessions": {
    tag: "sessions",
    summary: "An empty one",
    body: "NewSession",
    answers: { 201: "Session" },
  },
  "POST /sessions/import": {
    tag: "sessions",
    summary: "Makes sessions of conversations that were held elsewhere",
    body: "ForeignConversations",
    answers: { 201: "Sessions" },
  },
  "GET /sessions/:id": { tag: "sessions", summary: "One of them", answers: { 200: "Session" } },
  "PATCH /sessions/:id": {
    tag: "sessions",
    summary: "Renames it, or shows another of its branches",
    body: "SessionChange",
    answers: { 200: "Session" },
  },
  "DELETE /sessions/:id": {
    tag: "sessions",
    summary: "Deletes it with all that belongs to it",
    query: {
      rollback: "`true` takes back what its tools changed first; where that fails, nothing is deleted.",
    },
    answers: { 200: "Deletion", 204: "nothing", 409: "Deletion" },
  },
  "POST /sessions/:id/rollback": {
    tag: "sessions",
    summary: "Takes back what its tools changed, newest first",
    answers: { 200: "Rollback" },
  },
  "GET /sessions/:id/messages": {
    tag: "sessions",
    summary: "The branch that is shown, oldest first",
    query: PAGED,
    answers: { 200: "Messages" },
  },
  "GET /sessions/:id/export": {
    tag: "sessions",
    summary: "The whole conversation as a file",
    query: { format: "`json` or `md`." },
    answers: {
      200: [
        { type: "application/json", says: "The file, to be saved." },
        { type: "text/markdown", says: "The same for reading." },
      ],
    },
  },

  "GET /tools": { tag: "tools", summary: "The catalogue", answers: { 200: "Tools" } },
  "GET /models": { tag: "tools", summary: "The models that can answer", answers: { 200: "Models" } },
  "POST /tools/:name": {
    tag: "tools",
    summary: "Runs one tool: the caller's own act, behind all five layers",
    body: "ToolParameters",
    answers: { 200: "DirectCall" },
  },
  "POST /guard/scan": {
    tag: "tools",
    summary: "What the first layer thinks of a text",
    body: "ScanRequest",
    answers: { 200: "Scan" },
  },
  "POST /generate-artifact": {
    tag: "tools",
    summary: "The old address of `generate_artifact`",
    body: "ToolParameters",
    answers: { 200: "OldArtifactAnswer" },
    deprecated: true,
  },
  "POST /generate-image": {
    tag: "tools",
    summary: "The old address of `generate_image`",
    body: "ToolParameters",
    answers: { 200: "OldImageAnswer" },
    deprecated: true,
  },

  "GET /artifacts/frame": {
    tag: "artifacts",
    summary: "An empty frame that waits for a component",
    answers: { 200: PAGE },
    open: true,
  },
  "GET /artifacts/drawing": {
    tag: "artifacts",
    summary: "An empty frame that draws the diagrams of answers",
    answers: { 200: PAGE },
    open: true,
  },
  "GET /artifacts/:id": {
    tag: "artifacts",
    summary: "One artifact",
    query: VERSION,
    answers: { 200: "Artifact" },
  },
  "GET /artifacts/:id/versions": {
    tag: "artifacts",
    summary: "All versions, oldest first",
    answers: { 200: "ArtifactVersions" },
  },
  "POST /artifacts/:id/versions": {
    tag: "artifacts",
    summary: "A new version of the caller's own writing, through the same checks",
    body: "NewArtifactVersion",
    answers: { 201: "Artifact" },
  },
  "POST /artifacts/:id/versions/:version/restore": {
    tag: "artifacts",
    summary: "Makes an old version the newest again",
    answers: { 201: "Artifact" },
  },
  "GET /artifacts/:id/diff": {
    tag: "artifacts",
    summary: "What changed between two versions, as a unified diff",
    query: {
      from: "A version; the one before `to` where it is left out.",
      to: "A version; else the newest.",
    },
    answers: { 200: "ArtifactDiff" },
  },
  "GET /artifacts/:id/compiled": {
    tag: "artifacts",
    summary: "What the empty frame is sent to show it",
    query: VERSION,
    answers: { 200: "CompiledArtifact" },
  },
  "GET /artifacts/:id/preview": {
    tag: "artifacts",
    summary: "The page that shows it, for a frame",
    query: { ...VERSION, key: "The key in `previewUrl`, in the place of credentials." },
    answers: { 200: PAGE },
  },
  "GET /artifacts/:id/view": {
    tag: "artifacts",
    summary: "A page around the preview, for looking at it alone",
    query: { ...VERSION, key: "The key in `previewUrl`." },
    answers: { 200: PAGE },
    open: true,
  },
  "GET /vendor/:file": {
    tag: "artifacts",
    summary: "A module that artifacts import",
    answers: { 200: { type: "text/javascript", says: "The module; it never changes under its name." } },
    open: true,
  },

  "POST /files": {
    tag: "files",
    summary: "Uploads a file",
    body: {
      type: "multipart/form-data",
      says: "One part named `file`; or the bytes alone under their own type.",
    },
    answers: { 201: "File" },
  },
  "GET /files": { tag: "files", summary: "The caller's files, newest first", answers: { 200: "Files" } },
  "GET /files/:id": {
    tag: "files",
    summary: "The bytes, for whoever has a signed address",
    query: { exp: "When the address ends, epoch seconds.", sig: "The signature." },
    answers: {
      200: { type: "application/octet-stream", says: "The file; a range where one was asked for." },
    },
    open: true,
  },
  "DELETE /files/:id": { tag: "files", summary: "Deletes it", answers: { 204: "nothing" } },

  "POST /auth/sign-up": {
    tag: "account",
    summary: "A new account; what was the guest's goes with it",
    body: "SignUp",
    answers: { 201: "SignedIn" },
    open: true,
  },
  "POST /auth/sign-in": {
    tag: "account",
    summary: "A token, and a cookie for browsers",
    body: "SignIn",
    answers: { 200: "SignedIn" },
    open: true,
  },
  "POST /auth/sign-out": {
    tag: "account",
    summary: "Ends what the token or cookie stands for",
    answers: { 204: "nothing" },
  },
  "GET /me": {
    tag: "account",
    summary: "Who the caller is, and what is left of the limits",
    answers: { 200: "Me" },
  },
  "DELETE /me": {
    tag: "account",
    summary: "Deletes the account with everything in it",
    body: "Leave",
    answers: { 204: "nothing" },
  },
  "POST /me/password": {
    tag: "account",
    summary: "A new password; signs out everywhere else",
    body: "ChangedPassword",
    answers: { 200: "SignedIn" },
  },
  "GET /me/settings": {
    tag: "account",
    summary: "Settings, and which vendors' keys are stored",
    answers: { 200: "Settings" },
  },
  "PUT /me/settings": {
    tag: "account",
    summary: "Changes what is named; null removes. Keys never come out again",
    body: "SettingsChange",
    answers: { 200: "Settings" },
  },
  "GET /me/vendors": {
    tag: "account",
    summary: "Who takes a key of the caller's own",
    answers: { 200: "Vendors" },
  },
  "GET /me/usage": {
    tag: "account",
    summary: "What the caller used: per day, model and tool",
    query: USAGE,
    answers: { 200: "Usage" },
  },
  "GET /me/keys": { tag: "account", summary: "The caller's API keys", answers: { 200: "Keys" } },
  "POST /me/keys": {
    tag: "account",
    summary: "A new API key, shown this once",
    body: "NewKey",
    answers: { 201: "Key" },
  },
  "PATCH /me/keys/:id": {
    tag: "account",
    summary: "Another name or budget; null takes the budget away",
    body: "KeyChange",
    answers: { 200: "ListedKey" },
  },
  "DELETE /me/keys/:id": { tag: "account", summary: "Revokes it at once", answers: { 204: "nothing" } },

  "GET /admin/users": {
    tag: "administration",
    summary: "All accounts, with limits of their own and what they spent",
    query: {
      query: "Only those whose e-mail address or name holds this.",
      limit: "At most so many, up to 200.",
      offset: "How many to leave out.",
    },
    answers: { 200: "Accounts" },
  },
  "POST /admin/users": {
    tag: "administration",
    summary: "A new account for somebody",
    body: "NewAccount",
    answers: { 201: "Account" },
  },
  "POST /admin/users/:id/suspend": {
    tag: "administration",
    summary: "Shuts somebody out at once, or lets them in again",
    body: "Suspend",
    answers: { 200: "Suspended" },
  },
  "POST /admin/users/:id/role": {
    tag: "administration",
    summary: "Makes somebody an administrator, or not",
    body: "Role",
    answers: { 200: "HasRole" },
  },
  "POST /admin/users/:id/password": {
    tag: "administration",
    summary: "A new password for somebody who forgot theirs",
    body: "NewPassword",
    answers: { 204: "nothing" },
  },
  "DELETE /admin/users/:id": {
    tag: "administration",
    summary: "Deletes somebody with everything of theirs",
    answers: { 204: "nothing" },
  },
  "PUT /admin/users/:id/limits": {
    tag: "administration",
    summary: "Limits for one person in the place of the table's; null gives back the table's",
    body: "LimitsChange",
    answers: { 200: "HasLimits" },
  },
  "GET /admin/users/:id/usage": {
    tag: "administration",
    summary: "What one person used",
    query: USAGE,
    answers: { 200: "Usage" },
  },
  "GET /admin/users/:id/keys": {
    tag: "administration",
    summary: "One person's API keys, with budgets and what was spent",
    answers: { 200: "Keys" },
  },
  "GET /admin/usage": {
    tag: "administration",
    summary: "What everybody used: per day, model and tool",
    query: USAGE,
    answers: { 200: "Usage" },
  },
  "GET /admin/now": {
    tag: "administration",
    summary: "Runs, approvals that are waited for, breakers that remember a failure",
    answers: { 200: "Now" },
  },
  "GET /admin/errors": {
    tag: "administration",
    summary: "What went wrong lately, by code and place",
    answers: { 200: "Errors" },
  },
  "POST /admin/breakers/:name/close": {
    tag: "administration",
    summary: "Forgets a breaker's failures, so that the next call goes ahead",
    answers: { 200: "Breakers" },
  },

  "POST /v1/chat/completions": {
    tag: "openai",
    summary: "Chat completions, with tools that run here",
    body: "OpenAiRequest",
    headers: ONE,
    answers: { 200: ["OpenAiObject", FRAMES] },
  },
  "POST /v1/chat/completions/stop": {
    tag: "openai",
    summary: "Stops a completion by its id, or by the client's own name for it",
    body: "OpenAiRequest",
    answers: { 200: "OpenAiObject" },
  },
  "POST /v1/responses": {
    tag: "openai",
    summary: "Responses, with tools that run here",
    body: "OpenAiRequest",
    headers: ONE,
    answers: { 200: ["OpenAiObject", FRAMES] },
  },
  "GET /v1/responses/:id": {
    tag: "openai",
    summary: "A response again, also as a stream",
    query: { stream: "`true` for its events.", starting_after: "Only events behind this number." },
    answers: { 200: ["OpenAiObject", FRAMES] },
  },
  "DELETE /v1/responses/:id": { tag: "openai", summary: "Forgets it", answers: { 200: "OpenAiObject" } },
  "POST /v1/responses/:id/cancel": { tag: "openai", summary: "Stops it", answers: { 200: "OpenAiObject" } },
  "GET /v1/models": { tag: "openai", summary: "Models", answers: { 200: "OpenAiList" } },
  "GET /v1/models/:id{.+}": { tag: "openai", summary: "One model", answers: { 200: "OpenAiObject" } },
  "GET /v1/tools": {
    tag: "openai",
    summary: "Tools, by whose names they may be asked for",
    answers: { 200: "OpenAiList" },
  },

  "POST /chat/ui": {
    tag: "front ends",
    summary: "A turn for the AI SDK's `useChat`, as a UI message stream",
    body: "FrontEndRequest",
    headers: ONE,
    answers: { 200: FRAMES },
  },
  "GET /chat/ui/:id/stream": {
    tag: "front ends",
    summary: "The answer under way, from its beginning",
    answers: { 200: FRAMES, 204: "nothing" },
  },
  "POST /chat/ui/:id/stop": {
    tag: "front ends",
    summary: "Stops the answer under way",
    answers: { 200: "Stopped" },
  },
  "POST /chat/ag-ui": {
    tag: "front ends",
    summary: "A run for clients of AG-UI",
    body: "FrontEndRequest",
    headers: ONE,
    answers: { 200: FRAMES },
  },
  "POST /mcp": {
    tag: "front ends",
    summary: "Our tools over the Model Context Protocol",
    body: "JsonRpc",
    answers: { 200: ["JsonRpc", FRAMES], 202: "nothing" },
  },
  "GET /mcp": {
    tag: "front ends",
    summary: "The server's own messages of an MCP session",
    answers: { 200: FRAMES },
  },
  "DELETE /mcp": { tag: "front ends", summary: "Ends an MCP session", answers: { 200: "nothing" } },
  "GET /mcp/oauth/callback": {
    tag: "front ends",
    summary: "Where a browser comes back to from an MCP server that asks for authorisation",
    query: { code: "The server's code.", state: "Which authorisation it is." },
    answers: { 200: { type: "text/plain", says: "A sentence." } },
    open: true,
  },

  "GET /healthz": { tag: "server", summary: "Alive", answers: { 200: "Health" }, open: true },
  "GET /readyz": {
    tag: "server",
    summary: "Able to take work",
    answers: { 200: "Readiness", 503: "Readiness" },
    open: true,
  },
  "GET /metrics": {
    tag: "server",
    summary: "What it counted, for Prometheus",
    answers: { 200: { type: "text/plain", says: "Prometheus' text format." } },
    open: true,
  },
  "GET /openapi.json": {
    tag: "server",
    summary: "This document",
    answers: { 200: { type: "application/json", says: "OpenAPI 3.1." } },
    open: true,
  },
};
