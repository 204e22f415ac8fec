import { PAGE, type Topic } from "./descriptions.ts";

const ACCOUNT_EVENTS = {
  type: "text/event-stream",
  says: "Frames of `AccountEvent`. `id:` is the event's number. `ready` follows the events that you missed; after `reload`, load your sessions again. The stream has no end.",
};
const USAGE = {
  days: "The number of days up to today, 1 to 366. The default is 30.",
  timeZone: "The time zone of the days, such as `Europe/Berlin`. The default is UTC.",
  by: "`day`, or `hour` for the hours up to this one: 24 for each day. The default is `day`.",
};

/** The routes of accounts and of their administrators. */
export const ACCOUNT_TOPICS: Record<string, Topic> = {
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
      "GET /auth/options": {
        summary: "What visitors can do: sign up, look around as a guest, reset a password",
        200: "SignInOptions",
        open: true,
      },
      "POST /auth/provider": {
        summary:
          "Begins a sign-in by the operator's OpenID provider: returns where to send the browser, and sets a cookie that it brings back",
        body: "ProviderRequest",
        200: "ProviderAddress",
        open: true,
      },
      "GET /auth/provider/callback": {
        summary:
          "Where the provider sends the browser back to. Signs in and leads to the app, or to the page to sign in, which says why not",
        query: {
          code: "What the server exchanges for who the person is.",
          state: "What the server sent with the question.",
          iss: "The issuer, if the provider names itself.",
          error: "Why the provider signed nobody in.",
        },
        302: "nothing",
        open: true,
      },
      "POST /auth/passkey/options": {
        summary: "What a browser needs in order to sign in with a passkey (`parseRequestOptionsFromJSON`)",
        200: "WebAuthnOptions",
        open: true,
      },
      "POST /auth/passkey": {
        summary: "Signs in with a passkey: the body is what `PublicKeyCredential.toJSON()` gives",
        body: "PasskeyAssertion",
        200: "SignedIn",
        open: true,
      },
      "POST /auth/forgot-password": {
        summary:
          "Mails a link for a new password, if there is such an account and the server sends mail. The answer is the same in any case",
        body: "Forgotten",
        204: "nothing",
        open: true,
      },
      "POST /auth/reset-password": {
        summary: "Sets a new password with the token of such a link and ends all other sessions",
        body: "Reset",
        200: "SignedIn",
        open: true,
      },
      "POST /auth/sign-out": { summary: "Ends the session of this token or cookie", 204: "nothing" },
      "GET /me": { summary: "Who you are, and what is left of your limits", 200: "Me" },
      "PATCH /me": { summary: "Changes your name", body: "MeChange", 200: "Me" },
      "GET /me/devices": { summary: "Lists where you are signed in", 200: "Devices" },
      "DELETE /me/devices/:id": { summary: "Signs you out there", 204: "nothing" },
      "GET /me/passkeys": { summary: "Lists your passkeys", 200: "Passkeys" },
      "POST /me/passkeys/options": {
        summary:
          "What a browser needs in order to create a passkey (`parseCreationOptionsFromJSON`). Needs the password, or a sign-in of the last ten minutes",
        body: "Confirmation",
        200: "WebAuthnOptions",
      },
      "POST /me/passkeys": {
        summary: "Adds a passkey: its name, and what `PublicKeyCredential.toJSON()` gives",
        body: "NewPasskey",
        201: "Passkey",
      },
      "PATCH /me/passkeys/:id": { summary: "Renames a passkey", body: "PasskeyChange", 200: "Passkey" },
      "DELETE /me/passkeys/:id": { summary: "Removes a passkey at once", 204: "nothing" },
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
      "GET /me/export": {
        summary: "All of your conversations in one file, as a list of exports",
        200: { type: "application/json", says: "A list, which `POST /sessions/import` takes." },
      },
      "GET /me/push": {
        summary: "The key that browsers need to subscribe to notifications, and which of yours have",
        200: "PushSubscriptions",
      },
      "POST /me/push": {
        summary:
          "Subscribes a browser: the body is what `PushSubscription.toJSON()` gives, and what to tell it",
        body: "PushRequest",
        201: "PushSubscription",
      },
      "DELETE /me/push": {
        summary: "Removes the subscription with this address; without one, all of yours",
        body: "PushRemoval",
        204: "nothing",
      },
      "GET /me/settings": { summary: "Your settings, and which vendor keys are stored", 200: "Settings" },
      "PUT /me/settings": {
        summary: "Changes the given settings; null removes one. Keys are never returned",
        body: "SettingsChange",
        200: "Settings",
      },
      "GET /me/drafts": { summary: "What you have written and not sent, newest first", 200: "Drafts" },
      "PUT /me/drafts/:id": {
        summary:
          "Keeps the draft of a session, or of a new chat (`new`). Without text and files it is removed. The newest 20 are kept",
        body: "Draft",
        204: "nothing",
      },
      "GET /me/approvals": {
        summary: "Lists what you allowed for good (“always”), with the conversation it holds in",
        200: "AlwaysList",
      },
      "DELETE /me/approvals/:id": {
        summary: "Takes back what you allowed for good. You are asked about it again",
        204: "nothing",
      },
      "GET /me/vendors": {
        summary:
          "Lists the vendors, with whose key is used, how many models are on offer and what a key would add",
        200: "Vendors",
      },
      "POST /me/vendors/:id/check": {
        summary:
          "Tries a key by a request that costs nothing, before it is stored; without a key, tries what is used now",
        body: "KeyToCheck",
        200: "KeyCheck",
      },
      "GET /prompts": { summary: "Lists your saved prompts by name", 200: "Prompts" },
      "POST /prompts": { summary: "Saves a prompt", body: "NewPrompt", 201: "Prompt" },
      "PATCH /prompts/:id": { summary: "Changes a saved prompt", body: "PromptChange", 200: "Prompt" },
      "DELETE /prompts/:id": { summary: "Deletes a saved prompt", 204: "nothing" },
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
      "GET /admin/mcp": {
        summary: "Lists the MCP servers whose tools are offered, with their last problems",
        200: "ToolSources",
      },
      "POST /admin/mcp": {
        summary: "Adds an MCP server. Its tools are offered at once",
        body: "NewMcpServer",
        201: "ToolSource",
      },
      "PATCH /admin/mcp/:name": {
        summary: "Changes an MCP server, or pauses it. What is not given stays; secrets are never returned",
        body: "McpServerChange",
        200: "ToolSource",
      },
      "DELETE /admin/mcp/:name": { summary: "Removes an MCP server that was added", 204: "nothing" },
      "POST /admin/mcp/:name/test": { summary: "Connects again and says what came of it", 200: "ToolSource" },
      "GET /admin/openapi": {
        summary: "Lists the OpenAPI documents whose tools are offered, with their last problems",
        200: "ToolSources",
      },
      "POST /admin/openapi": {
        summary: "Adds an OpenAPI document. Its tools are offered at once",
        body: "NewApi",
        201: "ToolSource",
      },
      "PATCH /admin/openapi/:name": {
        summary:
          "Changes an OpenAPI document, or pauses it. What is not given stays; secrets are never returned",
        body: "ApiChange",
        200: "ToolSource",
      },
      "DELETE /admin/openapi/:name": {
        summary: "Removes an OpenAPI document that was added",
        204: "nothing",
      },
      "POST /admin/openapi/:name/test": {
        summary: "Connects again and says what came of it",
        200: "ToolSource",
      },
      "GET /admin/model-servers": {
        summary: "Lists the servers with Chat Completions that administrators added",
        200: "ModelServers",
      },
      "POST /admin/model-servers": {
        summary: "Adds a server with Chat Completions, which is tried first. Its models are offered at once",
        body: "NewModelServer",
        201: "ModelServer",
      },
      "DELETE /admin/model-servers/:name": { summary: "Removes such a server", 204: "nothing" },
      "GET /admin/tools": {
        summary: "Lists the tools that people wrote for this server, with their last problems",
        200: "ToolSources",
      },
      "POST /admin/tools": {
        summary: "Adds a tool by its code, which is loaded first. It is offered at once",
        body: "NewUserTool",
        201: "ToolSource",
      },
      "PATCH /admin/tools/:name": {
        summary: "Changes a tool that was added, or pauses any of them",
        body: "UserToolChange",
        200: "ToolSource",
      },
      "DELETE /admin/tools/:name": {
        summary: "Removes a tool that was added. Files are removed from their folder instead",
        204: "nothing",
      },
      "POST /admin/tools/:name/test": {
        summary: "Loads what could not be used again and says what came of it",
        200: "ToolSource",
      },
      "GET /admin/policy": {
        summary: "Returns the rules about what may run without asking, with warnings",
        200: "PolicyPage",
      },
      "PUT /admin/policy": {
        summary: "Replaces the rules. They apply at once; rules with new warnings need `despiteWarnings`",
        body: "PolicyChange",
        200: "PolicyPage",
      },
      "POST /admin/policy/test": {
        summary: "Says what the rules decide about a call, and which rule does. Nothing is run",
        body: "PolicyQuestion",
        200: "PolicyAnswer",
      },
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
      "GET /admin/users/:id/devices": { summary: "Lists where an account is signed in", 200: "Devices" },
      "DELETE /admin/users/:id/devices/:device": { summary: "Signs an account out there", 204: "nothing" },
      "GET /admin/users/:id/data": {
        summary: "Counts what is deleted with an account",
        200: "OwnedData",
      },
      "DELETE /admin/users/:id": { summary: "Deletes an account and all its data", 204: "nothing" },
      "PUT /admin/users/:id/limits": {
        summary: "Sets limits for one account; null restores the default",
        body: "LimitsChange",
        200: "HasLimits",
      },
      "PUT /admin/users/:id/models": {
        summary: "Sets which models one account is offered; an empty object restores its role's",
        body: "ModelOffer",
        200: "HasModels",
      },
      "GET /admin/models": {
        summary: "All models, and which of them each role is offered",
        200: "ModelOffers",
      },
      "PUT /admin/models/:role": {
        summary: "Sets which models `guest`, `account` or `admin` is offered; an empty object offers all",
        body: "ModelOffer",
        200: "HasModels",
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
      "GET /admin/runs": { summary: "Active runs of everybody, without their contents", 200: "ActiveRuns" },
      "POST /admin/runs/:id/cancel": { summary: "Stops a run of anybody", 204: "nothing" },
      "GET /admin/limits": { summary: "The limits of everybody who has no own ones", 200: "ServerLimits" },
      "PUT /admin/limits/:role": {
        summary: "Sets limits of all `guest`s or `account`s; null restores the default",
        body: "LimitsChange",
        200: "HasRoleLimits",
      },
      "GET /admin/feedback": {
        summary: "What people think of answers: counts by model and by day, and the newest notes",
        query: USAGE,
        200: "FeedbackReport",
      },
      "GET /admin/errors": {
        summary: "Errors of a period by code and source",
        query: { ...USAGE, days: "The number of days up to today, 1 to 366. The default is 14." },
        200: "Errors",
      },
      "GET /admin/audit": {
        summary: "The audit log, newest first. As lines of JSON with `format=ndjson`",
        query: {
          after: "Only entries after this number, oldest first.",
          before: "Only entries before this number.",
          actor: "Only what this user, `operator` or `system` did.",
          action: "Only this action, such as `auth.failed`, or all of a kind, such as `auth`.",
          sessionId: "Only what happened in this session.",
          since: "Only entries since this time.",
          limit: "The maximum number of entries, up to 1000.",
          format: "`ndjson`: one entry per line, without the rest.",
        },
        200: ["AuditLog", { type: "application/x-ndjson", says: "One entry per line." }],
      },
      "POST /admin/breakers/:name/close": {
        summary: "Closes a breaker, so that the next call goes through",
        200: "Breakers",
      },
    },
  },
};
