import { ACCOUNT_TOPICS } from "./account-topics.ts";
import { ARTIFACT_TOPICS } from "./artifact-topics.ts";
import { IDEMPOTENT, PAGE, type Topic } from "./descriptions.ts";
import { DIALECT_TOPICS } from "./dialect-topics.ts";
import { OTHER_DIALECT_TOPICS } from "./other-dialect-topics.ts";
import { PROJECT_TOPICS } from "./project-topics.ts";
import { SHARE_TOPICS } from "./share-topics.ts";

const EVENTS = {
  type: "text/event-stream",
  says: "Frames of `ChatEvent`. `id:` is the event's number. The stream ends with `[DONE]`.",
};
const JSON_FILE = { type: "application/json", says: "A file to save." };
const MARKDOWN_FILE = { type: "text/markdown", says: "The same for reading." };
const OPENAPI = { type: "application/json", says: "OpenAPI 3.1." };
const RESULT = { type: "text/plain", says: "The text of the result." };
const PROMETHEUS = { type: "text/plain", says: "The Prometheus text format." };

/** Every route except the files of the web app, by topic. */
export const TOPICS: Record<string, Topic> = {
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
      "POST /runs/:id/retry": {
        summary: "Asks the model again at once, where the run waits to do so (`retry_status`)",
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
        summary: "Returns the whole result of a call, even if `output` leaves something out (`omitted`)",
        200: RESULT,
      },
    },
  },
  ...PROJECT_TOPICS,
  sessions: {
    title: "Sessions",
    routes: {
      "GET /sessions": {
        summary: "Lists your sessions, newest first",
        query: {
          ...PAGE,
          query: "Words that the title or a message contains.",
          pinned: "`true` returns only pinned sessions.",
          archived: "`true` returns the sessions in the archive instead.",
          projectId: "Only sessions of this project; `none` for those that are in no project.",
        },
        200: "Sessions",
      },
      "GET /search": {
        summary: "Finds your conversations, messages, artifacts and files, the best first",
        query: {
          q: 'What to search for. All words must occur, also as the beginning of longer ones; `"in quotation marks"` exactly so.',
          limit: "The most results, from 1 to 50; 20 if left out.",
        },
        200: "SearchResults",
      },
      "POST /sessions": { summary: "Creates an empty session", body: "NewSession", 201: "Session" },
      "POST /sessions/import": {
        summary: "Imports conversations from other programs",
        body: "ForeignConversations",
        201: "Sessions",
      },
      "GET /sessions/:id": { summary: "Returns a session", 200: "Session" },
      "PATCH /sessions/:id": {
        summary:
          "Renames, pins, archives or moves a session, says how to answer in it, or shows another branch",
        body: "SessionChange",
        200: "Session",
      },
      "DELETE /sessions": {
        summary: "Deletes all of your sessions and everything in them, also those in the archive",
        200: "DeletedSessions",
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
      "GET /sessions/:id/summaries": {
        summary: "Lists what the model is sent instead of older messages of the current branch, oldest first",
        200: "Summaries",
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
  ...SHARE_TOPICS,
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
  ...ARTIFACT_TOPICS,
  ...ACCOUNT_TOPICS,
  ...DIALECT_TOPICS,
  ...OTHER_DIALECT_TOPICS,
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
