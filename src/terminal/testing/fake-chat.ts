import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Chat, Decision, WaitingMessage } from "../../protocol/chat.ts";
import { contentDelta, reasoningDelta } from "../../protocol/deltas.ts";
import type { ChatEvent, EventOf, FinishReason } from "../../protocol/events.ts";
import { Failure } from "../../protocol/failure.ts";

/** What a scripted turn can wait for. */
interface Turn {
  message: string;
  signal: AbortSignal | undefined;
  /** Until the test releases it. */
  released: Promise<void>;
  onConnection(state: "lost" | "back"): void;
  cancelled: Promise<void>;
  /** What was sent into the run. */
  heard(): WaitingMessage[];
  decided(toolCallId: string): Promise<Decision>;
}

type Script = (turn: Turn) => AsyncGenerator<ChatEvent>;

const DIFF = "--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-old line\n+new line";

function sessionEvent(runId: string): ChatEvent {
  const facts = { sessionId: "ses_1", runId, messageId: "msg_1", model: "demo/demo", title: "Talk" };
  return { type: "session", ...facts };
}

const LIMIT = "I stopped at the limit of 50 steps for one request. Say “continue” and I will go on.";

const SCRIPTS: Record<string, Script> = {
  async *hello() {
    for (const piece of ["Hello, ", "**wor", "ld**", ".\n\n", "- one\n- tw", "o\n"])
      yield contentDelta(piece);
  },
  async *nasty() {
    yield contentDelta("safe\x1b[2J\x1b]0;title\x07 text\x1b");
    yield contentDelta("[31m red\u202e\r\nend");
  },
  async *think() {
    const [first, rest] = ["**Weighing", " the options**\nfirst this, then that"];
    yield reasoningDelta(first);
    yield reasoningDelta(rest);
    const step = { phase: "custom" as const, title: "Weighing the options", items: [] };
    yield { type: "reasoning_status", content: step.title, source: "reasoning" };
    yield { type: "reasoning_step", step, stepIndex: 0 };
    yield { type: "reasoning_complete", reasoning: first + rest, steps: [step], durationMs: 1234 };
    yield contentDelta("Done thinking.");
  },
  async *tool() {
    yield contentDelta("Let me look.");
    yield* call("call_1", "filesystem", { operation: "read", path: "notes.txt" });
    yield contentDelta("It says hello.");
  },
  async *approve({ decided }) {
    const args = { command: "git status --short" };
    yield start("call_1", "execute_command", args);
    const always = { tool: "execute_command", prefix: "git status" };
    yield { ...approval("call_1", "execute_command", args, DIFF), always };
    yield* settle("call_1", "execute_command", await decided("call_1"));
  },
  async *ask({ released, decided }) {
    yield contentDelta("before the question");
    await released;
    const args = { command: "rm\u202e\u001b[8m -r x" };
    yield start("call_1", "execute_command", args);
    yield approval("call_1", "execute_command", args, `$ ${args.command}`);
    yield* settle("call_1", "execute_command", await decided("call_1"));
  },
  async *lost() {
    yield contentDelta("half an ans");
    yield sessionEvent("run_1");
    yield contentDelta("a whole answer");
  },
  async *both({ decided }) {
    for (const [id, command] of [
      ["call_1", "make a"],
      ["call_2", "make b"],
    ] as const) {
      yield start(id, "execute_command", { command });
      yield approval(id, "execute_command", { command }, command);
    }
    for (const id of ["call_1", "call_2"]) yield* settle(id, "execute_command", await decided(id));
  },
  async *slow({ cancelled }) {
    yield contentDelta("one two three");
    await cancelled;
  },
  async *stubborn({ signal }) {
    yield contentDelta("never ends");
    await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    throw new Failure("CANCELLED", "It was stopped before it finished.");
  },
  async *away({ released, onConnection }) {
    yield contentDelta("Half an ");
    onConnection("lost");
    await released;
    onConnection("back");
    yield contentDelta("answer.");
  },
  async *wait({ released }) {
    yield contentDelta("waiting ");
    await released;
    yield contentDelta("is over");
  },
  async *listen({ released, heard }) {
    yield contentDelta("working");
    await released;
    for (const { messageId, message } of heard()) {
      yield { type: "user_message", messageId, text: message, when: "now" };
      yield contentDelta(`I heard: ${message}`);
    }
  },
  async *build({ released }) {
    yield start("call_1", "execute_command", { command: "make" });
    yield { type: "tool_executing", toolCallId: "call_1", toolName: "execute_command" };
    for (let line = 1; line <= 8; line++)
      yield { type: "tool_progress", toolCallId: "call_1", message: "", chunk: `line ${line}\n` };
    await released;
    yield* settle("call_1", "execute_command", { decision: "once" });
  },
  async *long() {
    for (let line = 0; line < 20_000; line++) yield contentDelta(`line ${line} of a long answer\n`);
  },
  async *limit() {
    yield contentDelta(`Half of it.\n\n${LIMIT}`);
    yield { type: "warning", code: "ITERATION_LIMIT", message: LIMIT };
  },
  async *error() {
    yield contentDelta("Half an ans");
    yield {
      type: "error",
      error: "The model's provider did not answer.",
      code: "UPSTREAM_ERROR",
      requestId: "req_1",
      retryable: true,
    };
  },
};

/** A chat that plays scripts, chosen by the first word of the message; anything else is echoed. */
export function createFakeChat(logFile: string | undefined): Chat {
  const log = (entry: unknown) => logFile && appendFileSync(logFile, `${JSON.stringify(entry)}\n`);
  const turns = new Map<
    string,
    { message: string; input?: WaitingMessage; cancel: PromiseWithResolvers<void> }
  >();
  const decisions = new Map<string, PromiseWithResolvers<Decision>>();
  const decisionOf = (id: string) => {
    const made = decisions.get(id) ?? Promise.withResolvers<Decision>();
    decisions.set(id, made);
    return made;
  };
  const inputs: WaitingMessage[] = [];
  let steered = 0;
  let activeRunId: string | undefined;
  const session = {
    id: "ses_1",
    userId: "local",
    title: "Earlier talk",
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
  };

  return {
    async send(request) {
      log({ send: request });
      if (request.message?.startsWith("refuse")) {
        throw new Failure("RATE_LIMITED", "You have used your 20 messages.", { retryAfter: 90 });
      }
      const runId = `run_${turns.size + 1}`;
      turns.set(runId, { message: request.message ?? "", cancel: Promise.withResolvers() });
      return { runId, sessionId: "ses_1", messageId: "msg_1", model: "demo/demo" };
    },
    async *follow(runId, { signal, onConnection = () => {} } = {}) {
      const turn = turns.get(runId);
      if (!turn) throw new Failure("NOT_FOUND", "There is no such run.");
      const { message, cancel } = turn;
      let finishReason: FinishReason = "stop";
      cancel.promise.then(() => {
        finishReason = "cancelled";
      });
      let seq = 0;
      yield { seq: ++seq, event: sessionEvent(runId) };
      activeRunId = runId;
      const { messageId, when = "now" } = turn.input ?? {};
      if (messageId !== undefined)
        yield { seq: ++seq, event: { type: "user_message", messageId, text: message, when } };
      const script = SCRIPTS[message.split(/\s/, 1)[0] ?? ""] ?? echo;
      const events = script({
        message,
        signal,
        released: released(logFile),
        onConnection,
        cancelled: cancel.promise,
        heard: () => inputs.splice(0).filter(({ when }) => when === "now"),
        decided: (id) =>
          Promise.race([decisionOf(id).promise, cancel.promise.then(() => ({ decision: "deny" }) as const)]),
      });
      for await (const event of events) {
        if (event.type === "error") finishReason = "error";
        if (event.type === "warning") finishReason = "iteration_limit";
        yield { seq: ++seq, event };
      }
      activeRunId = undefined;
      const next = inputs.find(({ when }) => when === "now") ?? inputs[0];
      if (next && finishReason === "stop") {
        inputs.splice(inputs.indexOf(next), 1);
        activeRunId = `run_${turns.size + 1}`;
        turns.set(activeRunId, { message: next.message, input: next, cancel: Promise.withResolvers() });
      }
      yield {
        seq: ++seq,
        event: { type: "done", finishReason, messageId: "msg_1", iterations: 1, toolCalls: 0 },
      };
    },
    giveFeedback: async () => {},
    tree: async () => [],
    forkSession: async () => session,
    keepSession: async () => session,
    deleteAllSessions: async () => 0,
    commands: async () => [],
    async stopCommand() {
      throw new Failure("NOT_FOUND", "There is no such command.");
    },
    tryNow: async () => {},
    async cancel(runId) {
      log({ cancel: runId });
      turns.get(runId)?.cancel.resolve();
    },
    async decide(runId, toolCallId, decision) {
      log({ decide: toolCallId, runId, ...decision });
      decisionOf(toolCallId).resolve(decision);
    },
    async answer(runId, toolCallId, answer) {
      log({ answer, runId, toolCallId });
    },
    questions: async () => [],
    async steer(runId, { message, when = "now", ...rest }) {
      log({ steer: runId, message, when, ...rest });
      const messageId = `msg_in_${++steered}`;
      const createdAt = session.createdAt;
      inputs.push({ messageId, message, when, state: "waiting", createdAt });
      return { messageId };
    },
    waitingMessages: async () => inputs,
    changeMessage: async () => {
      throw new Failure("CONFLICT", "This message is no longer waiting: it took effect or was withdrawn.");
    },
    async withdrawMessage(_, messageId) {
      log({ withdraw: messageId });
      const at = inputs.findIndex((input) => input.messageId === messageId);
      if (at === -1) throw new Failure("CONFLICT", "This message took effect.");
      inputs.splice(at, 1);
    },
    readResult: async () => "the whole result",
    async *feed() {},
    createSession: async () => session,
    listSessions: async () => [session],
    getSession: async (id) => {
      if (id === "ses_busy") {
        turns.set("run_0", { message: "hello", cancel: Promise.withResolvers() });
        return { ...session, id, activeRunId: "run_0" };
      }
      if (id !== "ses_1") throw new Failure("NOT_FOUND", "There is no such session.");
      return activeRunId === undefined ? session : { ...session, activeRunId };
    },
    renameSession: async () => session,
    archiveSession: async () => session,
    countArchived: async () => 0,
    search: async () => ({ results: [], complete: true }),
    pinSession: async () => session,
    moveSession: async () => session,
    setParameters: async () => session,
    importSessions: async () => [session],
    showMessage: async () => session,
    compact: async (_, { focus } = {}) => ({
      messages: focus === "nothing" ? 0 : 12,
      tokensBefore: 96_000,
      tokensAfter: 9_400,
      reason: "asked",
    }),
    summaries: async () => [],
    rollbackSession: async () => ({
      undone: [{ toolCallId: "call_2", toolName: "filesystem", summary: "write notes.txt", detail: "" }],
      notUndone: [
        {
          toolCallId: "call_1",
          toolName: "execute_command",
          summary: "make",
          reason: "There is no way back.",
        },
      ],
    }),
    deleteSession: async () => {},
    messages: async () => [
      { id: "msg_0", role: "user", content: "an earlier question", createdAt: session.createdAt },
      { id: "msg_1", role: "assistant", content: "an earlier **answer**", createdAt: session.createdAt },
    ],
    exportSession: async () => "# Earlier talk\n\nan earlier question\n",
    async attach({ name, bytes }) {
      log({ attach: name, text: new TextDecoder().decode(bytes) });
      return { fileId: `file_${name}`, mimeType: "text/plain" };
    },
    async callTool(name, args, { progress } = {}) {
      log({ callTool: name, ...args });
      progress?.({ message: "", chunk: "it runs\n" });
      if (args.command === "slow") await new Promise((resolve) => setTimeout(resolve, 1_500));
      const failed = { exit_code: args.command === "ls" ? 2 : 0, stderr: "", duration_ms: 5 };
      const output = JSON.stringify({ stdout: `ran ${String(args.command)}\n`, ...failed });
      return { success: true, toolName: name, output, latencyMs: 5, retryCount: 0 };
    },
    workspace: async () => ({ folders: [], instructions: [], skills: [], trusted: true, warnings: [] }),
    trustWorkspace: async () => ({ folders: [], instructions: [], skills: [], trusted: true, warnings: [] }),
    tools: async () => [
      {
        name: "get_time",
        description: "The time. And more.",
        effect: "none",
        parameters: {},
        source: "built-in",
        streaming: false,
      },
    ],
    models: async () => [
      {
        id: "demo/demo",
        label: "Demo",
        default: true,
        contextWindow: 128_000,
        supportsTools: true,
        supportsImages: false,
      },
      { id: "demo/other", label: "Other", default: false, supportsTools: true, supportsImages: true },
    ],
  };
}

async function released(logFile: string | undefined): Promise<void> {
  while (!existsSync(`${logFile}.go`)) await pause(10);
}

async function* echo({ message }: Turn): AsyncGenerator<ChatEvent> {
  yield contentDelta(`You said: ${message}`);
}

function start(toolCallId: string, toolName: string, args: unknown): ChatEvent {
  return { type: "tool_call_start", toolCallId, toolName, arguments: args, textOffset: 0 };
}

function approval(
  toolCallId: string,
  toolName: string,
  args: unknown,
  preview: string,
): EventOf<"tool_approval_required"> {
  return {
    type: "tool_approval_required",
    toolCallId,
    toolName,
    arguments: args,
    argumentsHash: "hash",
    reason: "Commands can change files.",
    risk: "medium",
    preview,
    expiresAt: "2099-01-01T00:00:00.000Z",
  };
}

async function* call(toolCallId: string, toolName: string, args: unknown): AsyncGenerator<ChatEvent> {
  yield start(toolCallId, toolName, args);
  yield* settle(toolCallId, toolName, { decision: "once" });
}

async function* settle(
  toolCallId: string,
  toolName: string,
  { decision, note }: Decision,
): AsyncGenerator<ChatEvent> {
  const result = {
    type: "tool_result",
    toolCallId,
    toolName,
    latencyMs: 12,
    retryCount: 0,
    cached: false,
  } as const;
  if (decision === "deny") {
    const message = `The person said no${note ? `: ${note}` : ""}.`;
    yield {
      ...result,
      success: false,
      output: message,
      error: { code: "TOOL_DENIED", status: 403, message },
    };
    yield contentDelta("Then I will not.");
    return;
  }
  yield { type: "tool_executing", toolCallId, toolName };
  yield { ...result, success: true, output: "fine" };
}
