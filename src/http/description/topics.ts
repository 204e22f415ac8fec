import type { SchemaName } from "./schemas.ts";

/** A body: a named schema as JSON, or another content type. */
export type Body = SchemaName | { type: string; says: string };
export type Answer = Body | "nothing";

/** A route as this table describes it. The numbers are statuses; a list is for callers that choose the form. */
export interface Description {
  summary: string;
  body?: Body;
  /** Query parameters and what they mean. */
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** True where no credentials are needed. */
  open?: true;
  deprecated?: true;
  [status: number]: Answer | Answer[];
}

const EVENTS = {
  type: "text/event-stream",
  says: "Frames of `ChatEvent`. `id:` is the event's number. The stream ends with `[DONE]`.",
};
const ACCOUNT_EVENTS = {
  type: "text/event-stream",
  says: "Frames of `AccountEvent`. `id:` is the event's number. `ready` follows the events that you missed; after `reload`, load your sessions again. The stream has no end.",
};
const FRAMES = { type: "text/event-stream", says: "Frames in the protocol's own format." };
const HTML = { type: "text/html", says: "A page whose headers isolate it." };
const SCRIPT = { type: "text/javascript", says: "The module. It never changes under its name." };
const BYTES = { type: "application/octet-stream", says: "The file, or the requested range." };
const JSON_FILE = { type: "application/json", says: "A file to save." };
const MARKDOWN_FILE = { type: "text/markdown", says: "The same for reading." };
const OPENAPI = { type: "application/json", says: "OpenAPI 3.1." };
const RESULT = { type: "text/plain", says: "The text of the result." };
const SENTENCE = { type: "text/plain", says: "A sentence." };
const PROMETHEUS = { type: "text/plain", says: "The Prometheus text format." };
const UPLOAD = {
  type: "multipart/form-data",
  says: "One part named `file`. You can also send the bytes alone with their own content type.",
};

const IDEMPOTENT = {
  "Idempotency-Key":
    "A request with the same key and body joins the same run. The same key with another body is 409.",
};
const PAGE = { limit: "The maximum number of items, up to 200.", before: "Only items before this one." };
const USAGE = {
  days: "The number of days up to today, 1 to 366. The default is 30.",
  timeZone: "The time zone of the days, such as `Europe/Berlin`. The default is UTC.",
};
const VERSION = { version: "The version. The default is the newest." };
const KEY = { ...VERSION, key: "The key in `previewUrl`." };

/** Every route except the files of the web app, by topic. */
export const TOPICS: Record<string, { title: string; routes: Record<string, Description> }> = {
  chat: {
    title: "Chat and runs",
    routes: {
      "POST /chat": {
        summary: 'Runs one turn. Streams unless you send `"stream": false` or `Accept: application/json`',
        body: "ChatRequest",
        headers: IDEMPOTENT,
        200: [EVENTS, "ChatAnswer"],
      },
      "GET /runs/:id/events": {
        summary: "Sends the run's events again, then follows it live to the end",
        query: {
          after:
            "The number of the last event you have; the `Last-Event-ID` header does the same. If there is no such event, the run starts over with `session`.",
        },
        200: EVENTS,
      },
      "POST /runs/:id/cancel": {
        summary: "Stops the run, its model request and its tools. You can repeat it safely",
        200: "Done",
      },
      "POST /runs/:id/approvals/:toolCallId": {
        summary: "Allows a waiting call once or always, or denies it",
        body: "Decision",
        200: "Done",
      },
      "POST /runs/:id/answers/:toolCallId": {
        summary: "Answers a question of the model or of a tool",
        body: "Answer",
        200: "Done",
      },
      "GET /me/questions": {
        summary: "Lists the questions and approvals that wait for you, over all sessions",
        200: "Questions",
      },
      "POST /runs/:id/messages": {
        summary: "Sends a message into a run that works. It counts towards your limit of messages",
        body: "MessageToRun",
        headers: { "Idempotency-Key": "A request with the same key sends the message once." },
        202: "SentMessage",
      },
      "GET /runs/:id/messages": {
        summary: "Lists the messages to the run that have not taken effect, in their order",
        200: "WaitingMessages",
      },
      "PATCH /runs/:id/messages/:messageId": {
        summary: "Changes a message, or its place, until it takes effect. Then the answer is 409",
        body: "MessageChange",
        200: "WaitingMessage",
      },
      "DELETE /runs/:id/messages/:messageId": {
        summary: "Withdraws a message that has not taken effect",
        204: "nothing",
      },
      "GET /runs/:id/results/:toolCallId": {
        summary: "Returns the whole result of a call, also where `output` leaves something out (`omitted`)",
        200: RESULT,
      },
    },
  },
  sessions: {
    title: "Sessions",
    routes: {
      "GET /sessions": {
        summary: "Lists your sessions, newest first",
        query: {
          ...PAGE,
          query: "Words that the title or a message contains.",
          pinned: "`true` returns only pinned sessions.",
        },
        200: "Sessions",
      },
      "POST /sessions": { summary: "Creates an empty session", body: "NewSession", 201: "Session" },
      "POST /sessions/import": {
        summary: "Imports conversations from other programs",
        body: "ForeignConversations",
        201: "Sessions",
      },
      "GET /sessions/:id": { summary: "Returns a session", 200: "Session" },
      "PATCH /sessions/:id": {
        summary: "Renames or pins a session, or shows another branch",
        body: "SessionChange",
        200: "Session",
      },
      "DELETE /sessions/:id": {
        summary: "Deletes a session and everything in it",
        query: {
          rollback: "`true` undoes the changes of its tools first. If that fails, nothing is deleted.",
        },
        200: "Deletion",
        204: "nothing",
        409: "Deletion",
      },
      "POST /sessions/:id/rollback": {
        summary: "Undoes the changes of its tools or of one run, newest first",
        body: "RollbackRequest",
        200: "Rollback",
      },
      "POST /sessions/:id/compact": {
        summary: "Summarizes everything but the newest turn for the model",
        body: "CompactRequest",
        200: "Compaction",
      },
      "GET /sessions/:id/messages": {
        summary: "Lists the messages of the current branch, oldest first",
        query: PAGE,
        200: "Messages",
      },
      "GET /sessions/:id/commands": {
        summary: "Lists its background commands: those that run, and the newest that have ended",
        200: "Commands",
      },
      "POST /sessions/:id/commands/:commandId/stop": {
        summary: "Stops a background command with everything that it started",
        200: "Command",
      },
      "GET /sessions/:id/export": {
        summary: "Exports the conversation as a file",
        query: { format: "`json` or `md`." },
        200: [JSON_FILE, MARKDOWN_FILE],
      },
    },
  },
  tools: {
    title: "Tools and models",
    routes: {
      "GET /tools": { summary: "Lists the tools", 200: "Tools" },
      "GET /models": { summary: "Lists the models", 200: "Models" },
      "GET /workspace": { summary: "Lists the instructions and skills of the folders", 200: "Workspace" },
      "PUT /workspace/trust": {
        summary:
          "Lets the model use the instructions and skills of the folders, as they are now. For the owner and administrators",
        body: "TrustRequest",
        200: "Workspace",
      },
      "DELETE /workspace/trust": { summary: "Takes that back", 200: "Workspace" },
      "POST /tools/:name": {
        summary: "Runs one tool directly. All five layers apply; approval is implied",
        body: "ToolParameters",
        200: "DirectCall",
      },
      "POST /guard/scan": {
        summary: "Scans a text with the injection layer",
        body: "ScanRequest",
        200: "Scan",
      },
      "POST /generate-artifact": {
        summary: "The old address of `generate_artifact`",
        body: "ToolParameters",
        200: "OldArtifactAnswer",
        deprecated: true,
      },
      "POST /generate-image": {
        summary: "The old address of `generate_image`",
        body: "ToolParameters",
        200: "OldImageAnswer",
        deprecated: true,
      },
    },
  },
  artifacts: {
    title: "Artifacts, their versions and their pages",
    routes: {
      "GET /artifacts/frame": { summary: "An empty frame that shows a component", 200: HTML, open: true },
      "GET /artifacts/drawing": { summary: "An empty frame that draws diagrams", 200: HTML, open: true },
      "GET /artifacts/:id": { summary: "Returns an artifact", query: VERSION, 200: "Artifact" },
      "GET /artifacts/:id/versions": { summary: "Lists the versions, oldest first", 200: "ArtifactVersions" },
      "POST /artifacts/:id/versions": {
        summary: "Saves your own edit as a new version, after the same checks",
        body: "NewArtifactVersion",
        201: "Artifact",
      },
      "POST /artifacts/:id/versions/:version/restore": {
        summary: "Makes an old version the newest again",
        201: "Artifact",
      },
      "GET /artifacts/:id/diff": {
        summary: "Returns the unified diff of two versions",
        query: {
          from: "A version. The default is the one before `to`.",
          to: "A version. The default is the newest.",
        },
        200: "ArtifactDiff",
      },
      "GET /artifacts/:id/compiled": {
        summary: "Returns the code that the empty frame runs",
        query: VERSION,
        200: "CompiledArtifact",
      },
      "GET /artifacts/:id/preview": {
        summary: "The page that shows the artifact inside a frame",
        query: { ...VERSION, key: "The key in `previewUrl`, instead of credentials." },
        200: HTML,
      },
      "GET /artifacts/:id/view": {
        summary: "The page that shows the artifact on its own",
        query: KEY,
        200: HTML,
        open: true,
      },
      "GET /vendor/:file": { summary: "A module that artifacts import", 200: SCRIPT, open: true },
    },
  },
  files: {
    title: "Files",
    routes: {
      "POST /files": { summary: "Uploads a file", body: UPLOAD, 201: "File" },
      "GET /files": { summary: "Lists your files, newest first", 200: "Files" },
      "GET /files/:id": {
        summary: "Downloads a file by its signed URL",
        query: { exp: "When the URL expires, in epoch seconds.", sig: "The signature." },
        200: BYTES,
        open: true,
      },
      "DELETE /files/:id": { summary: "Deletes a file", 204: "nothing" },
    },
  },
  account: {
    title: "Your account",
    routes: {
      "POST /auth/sign-up": {
        summary: "Creates an account. It takes over the guest's data",
        body: "SignUp",
        201: "SignedIn",
        open: true,
      },
      "POST /auth/sign-in": {
        summary: "Returns a token and sets a cookie for browsers",
        body: "SignIn",
        200: "SignedIn",
        open: true,
      },
      "POST /auth/sign-out": { summary: "Ends the session of this token or cookie", 204: "nothing" },
      "GET /me": { summary: "Who you are, and what is left of your limits", 200: "Me" },
      "DELETE /me": { summary: "Deletes your account and all its data", body: "Leave", 204: "nothing" },
      "POST /me/password": {
        summary: "Changes your password and signs you out everywhere else",
        body: "ChangedPassword",
        200: "SignedIn",
      },
      "GET /me/events": {
        summary:
          "Follows what happens in all of your sessions: made, renamed, titled, pinned and deleted; runs that start and end; what waits for you",
        query: {
          after:
            "The number of the last event you have; the `Last-Event-ID` header does the same. By default it starts with what happens next.",
        },
        200: ACCOUNT_EVENTS,
      },
      "GET /me/settings": { summary: "Your settings, and which vendor keys are stored", 200: "Settings" },
      "PUT /me/settings": {
        summary: "Changes the given settings; null removes one. Keys are never returned",
        body: "SettingsChange",
        200: "Settings",
      },
      "GET /me/vendors": { summary: "Lists the vendors that accept your own key", 200: "Vendors" },
      "GET /me/usage": { summary: "Your usage by day, model and tool", query: USAGE, 200: "Usage" },
      "GET /me/keys": { summary: "Lists your API keys", 200: "Keys" },
      "POST /me/keys": { summary: "Creates an API key, shown only once", body: "NewKey", 201: "Key" },
      "PATCH /me/keys/:id": {
        summary: "Changes the name or budget of a key; null removes the budget",
        body: "KeyChange",
        200: "ListedKey",
      },
      "DELETE /me/keys/:id": { summary: "Revokes a key at once", 204: "nothing" },
    },
  },
  administration: {
    title: "Administration",
    routes: {
      "GET /admin/users": {
        summary: "Lists all accounts with their limits and spending",
        query: {
          query: "Only accounts whose email address or name contains this.",
          limit: PAGE.limit,
          offset: "How many to skip.",
        },
        200: "Accounts",
      },
      "POST /admin/users": { summary: "Creates an account for somebody", body: "NewAccount", 201: "Account" },
      "POST /admin/users/:id/suspend": {
        summary: "Suspends an account at once, or lifts the suspension",
        body: "Suspend",
        200: "Suspended",
      },
      "POST /admin/users/:id/role": {
        summary: "Makes an account an administrator or a regular user",
        body: "Role",
        200: "HasRole",
      },
      "POST /admin/users/:id/password": {
        summary: "Sets a new password for an account",
        body: "NewPassword",
        204: "nothing",
      },
      "DELETE /admin/users/:id": { summary: "Deletes an account and all its data", 204: "nothing" },
      "PUT /admin/users/:id/limits": {
        summary: "Sets limits for one account; null restores the default",
        body: "LimitsChange",
        200: "HasLimits",
      },
      "GET /admin/users/:id/usage": { summary: "The usage of one account", query: USAGE, 200: "Usage" },
      "GET /admin/users/:id/keys": {
        summary: "Lists the API keys of one account, with budgets and spending",
        200: "Keys",
      },
      "GET /admin/usage": { summary: "All usage by day, model and tool", query: USAGE, 200: "Usage" },
      "GET /admin/now": {
        summary: "Active runs, waiting approvals and breakers with failures",
        200: "Now",
      },
      "GET /admin/errors": { summary: "Recent errors by code and source", 200: "Errors" },
      "POST /admin/breakers/:name/close": {
        summary: "Closes a breaker, so that the next call goes through",
        200: "Breakers",
      },
    },
  },
  openai: {
    title: "OpenAI's API",
    routes: {
      "POST /v1/chat/completions": {
        summary: "Chat completions with tools that run on the server",
        body: "OpenAiRequest",
        headers: IDEMPOTENT,
        200: ["OpenAiObject", FRAMES],
      },
      "POST /v1/chat/completions/stop": {
        summary: "Stops a completion by its id, or by the client's own id for it",
        body: "OpenAiRequest",
        200: "OpenAiObject",
      },
      "POST /v1/responses": {
        summary: "Responses with tools that run on the server",
        body: "OpenAiRequest",
        headers: IDEMPOTENT,
        200: ["OpenAiObject", FRAMES],
      },
      "GET /v1/responses/:id": {
        summary: "Returns a response, or streams it again",
        query: {
          stream: "`true` streams its events.",
          starting_after: "Only events after this number.",
        },
        200: ["OpenAiObject", FRAMES],
      },
      "DELETE /v1/responses/:id": { summary: "Deletes a response", 200: "OpenAiObject" },
      "POST /v1/responses/:id/cancel": { summary: "Stops a response", 200: "OpenAiObject" },
      "GET /v1/models": { summary: "Lists the models", 200: "OpenAiList" },
      "GET /v1/models/:id{.+}": { summary: "Returns a model", 200: "OpenAiObject" },
      "GET /v1/tools": { summary: "Lists the server's tools; requests name them", 200: "OpenAiList" },
    },
  },
  "front ends": {
    title: "Protocols of other front ends",
    routes: {
      "POST /chat/ui": {
        summary: "Runs a turn for the AI SDK's `useChat`, as a UI message stream",
        body: "FrontEndRequest",
        headers: IDEMPOTENT,
        200: FRAMES,
      },
      "GET /chat/ui/:id/stream": {
        summary: "Streams the current answer from its start",
        200: FRAMES,
        204: "nothing",
      },
      "POST /chat/ui/:id/stop": { summary: "Stops the current answer", 200: "Stopped" },
      "POST /chat/ag-ui": {
        summary: "Starts a run for AG-UI clients",
        body: "FrontEndRequest",
        headers: IDEMPOTENT,
        200: FRAMES,
      },
      "POST /mcp": {
        summary: "Offers the tools over the Model Context Protocol",
        body: "JsonRpc",
        200: ["JsonRpc", FRAMES],
        202: "nothing",
      },
      "GET /mcp": { summary: "Streams the server's messages of an MCP session", 200: FRAMES },
      "DELETE /mcp": { summary: "Ends an MCP session", 200: "nothing" },
      "GET /mcp/oauth/callback": {
        summary: "Where the browser returns after authorizing access to an MCP server",
        query: { code: "The server's code.", state: "Identifies the authorization." },
        200: SENTENCE,
        open: true,
      },
    },
  },
  server: {
    title: "Health and metrics",
    routes: {
      "GET /healthz": { summary: "Is the server alive?", 200: "Health", open: true },
      "GET /readyz": {
        summary: "Can the server take work?",
        query: {
          deep: "`1` also reaches out to the models, search, bucket, database and MCP servers that are configured.",
        },
        200: "Readiness",
        503: "Readiness",
        open: true,
      },
      "GET /metrics": { summary: "Metrics for Prometheus", 200: PROMETHEUS, open: true },
      "GET /openapi.json": { summary: "This API as an OpenAPI document", 200: OPENAPI, open: true },
    },
  },
};
