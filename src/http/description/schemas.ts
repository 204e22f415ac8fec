import { z } from "zod";
import { accountEvent } from "../../protocol/account-events.ts";
import {
  keyRequest,
  leaveRequest,
  limitsRequest,
  newAccountRequest,
  newKeyRequest,
  newPasswordRequest,
  passwordRequest,
  roleRequest,
  settingsRequest,
  suspendRequest,
} from "../../protocol/accounts.ts";
import { appCallRequest } from "../../protocol/apps.ts";
import { compaction, sessionSummary } from "../../protocol/context.ts";
import { draftRequest } from "../../protocol/drafts.ts";
import { chatEvent, failureCode, finishReason, jsonValue, usage } from "../../protocol/events.ts";
import { modelOffer } from "../../protocol/model-offers.ts";
import { pushListing, pushRemoval, pushRequest } from "../../protocol/notices.ts";
import {
  answerRequest,
  chatRequest,
  compactRequest,
  decisionRequest,
  messageChange,
  messageToRun,
  newSessionRequest,
  rollbackRequest,
  sessionChange,
} from "../../protocol/requests.ts";
import { trustRequest, workspaceListing } from "../../protocol/workspace.ts";
import { resourceRequest } from "../routes/apps.ts";
import { newVersion } from "../routes/artifacts.ts";
import { scanRequest } from "../routes/guard.ts";
import { app, appCallAnswer, resourceContents } from "./app-schemas.ts";
import { DIALECT_SCHEMAS } from "./dialect-schemas.ts";
import {
  activeRuns,
  auditLog,
  breakers,
  budget,
  errors,
  ownedData,
  serverLimits,
  situation,
  usageReport,
} from "./ledger-schemas.ts";
import { mcpServers, promptCommands } from "./mcp-schemas.ts";
import { MODEL_SCHEMAS } from "./model-schemas.ts";
import { PROJECT_SCHEMAS } from "./project-schemas.ts";
import { message, searchResults, session } from "./session-schemas.ts";
import { SHARE_SCHEMAS } from "./share-schemas.ts";
import { SIGN_IN_SCHEMAS } from "./sign-in-schemas.ts";
import { TOOL_SOURCE_SCHEMAS } from "./tool-source-schemas.ts";

const time = z.iso.datetime();
const anything = z.record(z.string(), z.unknown());
const account = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(["admin", "user"]),
  createdAt: time,
});
const artifact = z.object({
  id: z.string(),
  sessionId: z.string().optional(),
  userId: z.string(),
  version: z.number().int(),
  type: z.enum(["react", "html", "svg", "code", "mermaid", "markdown"]),
  title: z.string(),
  language: z.string().optional(),
  code: z.string(),
  issues: z.array(anything),
  createdAt: time,
  previewUrl: z.string(),
});
const scan = z.object({ flagged: z.boolean(), score: z.number(), labels: z.array(z.string()) });
const file = z.object({
  fileId: z.string(),
  url: z.string(),
  mimeType: z.string(),
  size: z.number().int(),
  pageCount: z.number().int().optional().meta({ description: "Of a PDF, if they could be counted." }),
  rowCount: z
    .number()
    .int()
    .optional()
    .meta({ description: "Of a CSV file or a spreadsheet, if they could be counted." }),
  name: z.string().optional(),
});
const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  lastFour: z.string(),
  createdAt: time,
  expiresAt: time.optional(),
  lastUsedAt: time.optional(),
  budget: budget.optional(),
});
const listedKey = apiKey.extend({ spentUsd: z.number() });
const directCall = z.object({
  success: z.boolean(),
  toolName: z.string(),
  data: z.unknown().optional(),
  output: z.string(),
  latencyMs: z.number(),
  retryCount: z.number(),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
});
const change = z.object({ toolCallId: z.string(), toolName: z.string(), summary: z.string() });
const waitingMessage = z.object({
  messageId: z.string(),
  message: z.string(),
  attachments: z.array(anything).optional(),
  when: z.enum(["now", "after"]),
  interrupt: z.literal(true).optional(),
  state: z.enum(["waiting", "returned"]).meta({
    description: "`returned`: the run was stopped or failed before the message took effect.",
  }),
  createdAt: time,
});
const rollback = z.object({
  runId: z.string().optional(),
  undone: z.array(change.extend({ detail: z.string() })),
  notUndone: z.array(change.extend({ reason: z.string() })),
});
const command = z.object({
  commandId: z.string(),
  command: z.string(),
  state: z.enum(["running", "exited", "stopped"]),
  startedAt: time,
  endedAt: time.optional(),
  exitCode: z.number().optional(),
  reason: z.string().optional().meta({ description: "Why it was stopped." }),
});
const limit = z.object({ limit: z.number(), remaining: z.number(), resetAt: time });

/** Every schema of the routes, by its name in the document. */
export const SCHEMAS = {
  ChatRequest: chatRequest,
  ChatEvent: chatEvent,
  AccountEvent: accountEvent,
  ChatAnswer: z.object({
    sessionId: z.string(),
    runId: z.string(),
    messageId: z.string(),
    content: z.string(),
    reasoning: z.string().optional(),
    finishReason,
    usage,
    toolEvents: z.array(z.object({ type: z.enum(["text", "tool_call", "tool_output"]), value: z.unknown() })),
    artifacts: z.array(anything),
    images: z.array(anything),
    sources: z.array(anything),
    error: anything.optional(),
    warnings: z.array(anything).optional(),
  }),
  Decision: decisionRequest,
  Answer: answerRequest,
  Questions: z.object({
    questions: z.array(
      z.looseObject({
        kind: z.enum(["question", "approval"]),
        runId: z.string(),
        sessionId: z.string(),
        title: z.string().meta({ description: "The title of the session." }),
        toolCallId: z.string(),
        toolName: z.string(),
        expiresAt: time,
      }),
    ),
  }),
  MessageToRun: messageToRun,
  SentMessage: z.object({ messageId: z.string() }),
  MessageChange: messageChange,
  WaitingMessage: waitingMessage,
  WaitingMessages: z.object({ messages: z.array(waitingMessage) }),
  Done: z.object({ ok: z.literal(true) }),
  Stopped: z.object({ stopped: z.boolean() }),
  NewSession: newSessionRequest,
  Workspace: workspaceListing,
  TrustRequest: trustRequest,
  SessionChange: sessionChange,
  Session: session,
  Sessions: z.object({
    sessions: z.array(session),
    archived: z.number().optional().meta({ description: "How many sessions are in the archive." }),
    waiting: z
      .array(session)
      .optional()
      .meta({ description: "All sessions in which you have to decide or answer, at most 20." }),
  }),
  SearchResults: searchResults,
  Messages: z.object({ messages: z.array(message) }),
  CompactRequest: compactRequest,
  Compaction: compaction,
  Summaries: z.object({ summaries: z.array(sessionSummary) }),
  Command: command,
  Commands: z.object({ commands: z.array(command) }),
  RollbackRequest: rollbackRequest,
  Rollback: rollback,
  Deletion: rollback.extend({ deleted: z.boolean() }),
  DeletedSessions: z.object({ deleted: z.number().meta({ description: "How many." }) }),
  McpServers: mcpServers,
  OAuthClient: anything.meta({ description: "The metadata document of an OAuth client." }),
  Tools: z.object({
    tools: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        effect: z.enum(["none", "read", "network", "write"]),
        parameters: anything.meta({ description: "A JSON Schema." }),
        source: z.string().meta({ description: "`built-in`, `user`, or the name of its server." }),
        streaming: z.boolean().meta({ description: "It shows its work while it runs." }),
        commands: promptCommands,
        model: z.string().optional().meta({ description: "The model that it asks for you." }),
        limits: z
          .object({
            timeoutMs: z.number(),
            calls: z
              .object({ limit: z.number(), remaining: z.number(), resetAt: time, windowMinutes: z.number() })
              .optional(),
          })
          .optional()
          .meta({ description: "Your limits. Without `calls`, the number of calls is not limited." }),
      }),
    ),
  }),
  ...MODEL_SCHEMAS,
  ...TOOL_SOURCE_SCHEMAS,
  ToolParameters: anything.meta({ description: "The parameters of the tool, as listed by `GET /tools`." }),
  DirectCall: directCall,
  ProtectedResource: z.object({
    resource: z.string(),
    resource_name: z.string(),
    authorization_servers: z.array(z.string()).optional(),
    scopes_supported: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
  }),
  Artifact: artifact,
  ArtifactVersions: z.object({ versions: z.array(artifact) }),
  NewArtifactVersion: newVersion,
  ArtifactDiff: z.object({ from: z.number(), to: z.number(), diff: z.string() }),
  CompiledArtifact: z.object({ script: z.string(), css: z.string() }),
  App: app,
  AppCall: appCallRequest,
  AppCallAnswer: appCallAnswer,
  ResourceRequest: resourceRequest,
  ResourceContents: resourceContents,
  OldArtifactAnswer: directCall.omit({ data: true }).loose(),
  OldImageAnswer: directCall.omit({ data: true }).loose(),
  ScanRequest: scanRequest,
  Scan: z.union([scan, z.array(scan)]),
  File: file,
  Files: z.object({
    files: z.array(file.extend({ createdAt: time, sessionId: z.string().optional() })),
    usedBytes: z.number(),
    quotaBytes: z.number(),
  }),
  ...SIGN_IN_SCHEMAS,
  Devices: z.object({
    devices: z.array(
      z.object({
        id: z.string(),
        userAgent: z.string(),
        current: z.boolean(),
        createdAt: time,
        lastUsedAt: time,
      }),
    ),
  }),
  PushRequest: pushRequest,
  PushRemoval: pushRemoval,
  PushSubscription: pushListing,
  PushSubscriptions: z.object({ publicKey: z.string(), subscriptions: z.array(pushListing) }),
  SignedIn: z.object({ user: account, token: z.string() }),
  ChangedPassword: passwordRequest,
  Leave: leaveRequest,
  Me: z.object({
    id: z.string(),
    kind: z.enum(["guest", "account", "owner"]),
    role: z.string().optional(),
    email: z.string().optional(),
    name: z.string().optional(),
    createdAt: time.optional(),
    hasPassword: z
      .boolean()
      .optional()
      .meta({ description: "Whether the account has a password. Whom the provider signs in needs none." }),
    key: listedKey.optional().meta({ description: "The API key of this request." }),
    budget: z
      .object({ usd: z.number(), spentUsd: z.number() })
      .optional()
      .meta({ description: "In dollars, within the window of the limits. Missing without a budget." }),
    limits: z.record(z.string(), limit).optional().meta({ description: "By `chat` and by tool." }),
    accepts: z
      .object({
        characters: z.number(),
        files: z.number(),
        fileBytes: z.number(),
        fileTypes: z.array(z.string()).meta({ description: "`*` stands for any." }),
      })
      .meta({ description: "What one message may hold. The type of a file is read from its content." }),
  }),
  Draft: draftRequest,
  Drafts: z.object({
    drafts: z.array(
      z.object({
        id: z.string().meta({ description: "The session, or `new`." }),
        text: z.string(),
        attachments: z.array(anything),
        updatedAt: time,
      }),
    ),
  }),
  SettingsChange: settingsRequest,
  Settings: z.object({ settings: anything, keys: z.record(z.string(), z.object({ lastFour: z.string() })) }),
  Usage: usageReport,
  NewKey: newKeyRequest,
  Key: apiKey.extend({ key: z.string().meta({ description: "Shown only once." }) }),
  Keys: z.object({ keys: z.array(listedKey) }),
  KeyChange: keyRequest,
  ListedKey: listedKey,
  NewAccount: newAccountRequest,
  Account: account,
  OwnedData: ownedData,
  Accounts: z.object({
    users: z.array(
      account.extend({
        suspended: z.boolean(),
        limits: anything.meta({ description: "Set by an administrator." }),
        models: modelOffer.meta({ description: "Models that only this account is offered." }),
        spentUsd: z.number().meta({ description: "Within the window of the limits." }),
      }),
    ),
    total: z.number(),
  }),
  LimitsChange: limitsRequest,
  HasLimits: z.object({ id: z.string(), limits: anything }),
  HasRoleLimits: z.object({ role: z.string(), limits: anything }),
  ActiveRuns: activeRuns,
  ServerLimits: serverLimits,
  Now: situation,
  Errors: errors,
  AuditLog: auditLog,
  Breakers: breakers,
  Suspend: suspendRequest,
  Suspended: suspendRequest.extend({ id: z.string() }),
  Role: roleRequest,
  HasRole: roleRequest.extend({ id: z.string() }),
  NewPassword: newPasswordRequest,
  Health: z.object({ ok: z.boolean() }),
  Readiness: z.object({ ok: z.boolean(), checks: anything }),
  JsonValue: jsonValue,
  FailureCode: failureCode,
  Error: z.object({
    error: z.string().meta({ description: "A sentence for the user." }),
    code: failureCode,
    requestId: z.string(),
    retryable: z.boolean(),
    limit: z.number().optional(),
    remaining: z.number().optional(),
    reset_at: time.optional(),
    details: anything.optional(),
  }),
  ...SHARE_SCHEMAS,
  ...DIALECT_SCHEMAS,
  ...PROJECT_SCHEMAS,
  ForeignConversations: z.union([anything, z.array(anything)]).meta({
    description: "A JSON export of Tackle, ChatGPT, LibreChat or Claude: one conversation or a list.",
  }),
  FrontEndRequest: anything.meta({ description: "The request of the protocol's own client." }),
  JsonRpc: anything.meta({ description: "A JSON-RPC message of the Model Context Protocol." }),
} satisfies Record<string, z.ZodType>;

export type SchemaName = keyof typeof SCHEMAS;
