import {
  type AgentContext,
  type ClientCapabilities,
  type PermissionOption,
  type PromptRequest,
  type PromptResponse,
  RequestError,
  type SessionConfigOption,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { ModelListing, TranscriptMessage } from "../../protocol/chat.ts";
import type { ChatEvent, EventOf } from "../../protocol/events.ts";
import { toFailure } from "../../protocol/failure.ts";
import { emptyRun } from "../../protocol/reduce.ts";
import { unfold } from "../../protocol/unfold.ts";
import { covered } from "../always-words.ts";
import { describeFailure } from "../wording.ts";
import { answerOf, formOf, NO_ANSWER } from "./form.ts";
import { OutputTerminal } from "./output-terminal.ts";
import { messageOf } from "./prompt.ts";
import { contentOf, toolCallOf } from "./tool-calls.ts";
import { RunUpdates, stopReasonOf } from "./updates.ts";
import type { Workspace } from "./workspace.ts";

const COMPACT = /^\/compact\b(.*)/s;
const MODEL_OPTION = "model";
const DECISIONS = { allow_once: "once", allow_always: "always", reject_once: "deny" } as const;

/** One conversation of an editor. Its prompts run one after the other. */
export class AcpSession {
  readonly id: string;
  readonly cwd: string;
  readonly workspace: Workspace;
  readonly #client: AgentContext;
  readonly #can: ClientCapabilities;
  readonly #onProblem: (thrown: unknown) => void;
  #model: string | undefined;
  #runId: string | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  /** Grows with each cancellation. A prompt that was queued before it does not start. */
  #cancellations = 0;

  constructor(options: {
    id: string;
    cwd: string;
    workspace: Workspace;
    client: AgentContext;
    can: ClientCapabilities;
    onProblem(thrown: unknown): void;
  }) {
    this.id = options.id;
    this.cwd = options.cwd;
    this.workspace = options.workspace;
    this.#client = options.client;
    this.#can = options.can;
    this.#onProblem = options.onProblem;
  }

  /** Runs a prompt to its end, after those before it. */
  prompt({ prompt }: PromptRequest): Promise<PromptResponse> {
    const before = this.#cancellations;
    const turn = this.#queue.then(async (): Promise<PromptResponse> => {
      if (before !== this.#cancellations) return { stopReason: "cancelled" };
      const { chat } = this.workspace;
      const asked = await messageOf(prompt, chat.attach);
      const [, focus] = COMPACT.exec(asked.message ?? "") ?? [];
      if (focus !== undefined) return this.#compact(focus.trim());
      const model = this.#model === undefined ? {} : { model: this.#model };
      const attended = this.#can.elicitation?.form ? {} : { attended: false };
      const { runId } = await chat.send({ sessionId: this.id, ...asked, ...model, ...attended });
      this.#runId = runId;
      // A cancellation may have come while the run was being started.
      if (before !== this.#cancellations) await chat.cancel(runId);
      return this.#follow(runId);
    });
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** Stops the running prompt and those that wait. */
  async cancel(): Promise<void> {
    this.#cancellations++;
    if (this.#runId !== undefined) await this.workspace.chat.cancel(this.#runId);
  }

  /** Sends the whole conversation again. A run that is still active continues, with its questions, after `replayed` settled. */
  async replay(replayed: Promise<unknown>): Promise<void> {
    const { chat } = this.workspace;
    for (const message of await chat.messages(this.id)) await this.#sendAll(this.#updatesOf(message));
    await this.takeUp(replayed);
  }

  /** Follows the active run of the session, if there is one, once `ready` has settled. */
  async takeUp(ready: Promise<unknown>): Promise<void> {
    const { activeRunId } = await this.workspace.chat.getSession(this.id);
    if (activeRunId === undefined) return;
    this.#runId = activeRunId;
    const following = ready.then(() => this.#follow(activeRunId));
    this.#queue = following.catch(this.#onProblem);
  }

  /** The settings that an editor offers for the session. */
  async configOptions(): Promise<SessionConfigOption[]> {
    const models = await this.workspace.chat.models();
    const current = this.#model ?? models.find((model) => model.default)?.id ?? models[0]?.id;
    if (current === undefined) return [];
    return [
      {
        type: "select",
        id: MODEL_OPTION,
        name: "Model",
        category: "model",
        currentValue: current,
        options: models.map(({ id, label }: ModelListing) => ({ value: id, name: label })),
      },
    ];
  }

  /** Changes a setting. Throws for an unknown one. */
  async configure(id: string, value: unknown): Promise<void> {
    const models = await this.workspace.chat.models();
    const known = models.find((model) => model.id === value);
    if (id !== MODEL_OPTION || !known)
      throw RequestError.invalidParams(undefined, "There is no such option or value.");
    this.#model = known.id;
  }

  /** Tells the editor what a person can type after a slash. */
  async announceCommands(): Promise<void> {
    const { skills, trusted } = await this.workspace.chat.workspace();
    const usable = skills.filter(({ source }) => source === "person" || trusted);
    const availableCommands = [
      { name: "compact", description: "Summarize older messages", input: { hint: "what matters" } },
      ...usable.map(({ name, description }) => ({ name, description, input: { hint: "what to do" } })),
    ];
    await this.#sendAll([{ sessionUpdate: "available_commands_update", availableCommands }]);
  }

  async #compact(focus: string): Promise<PromptResponse> {
    const { messages } = await this.workspace.chat.compact(this.id, focus === "" ? {} : { focus });
    const text =
      messages > 0 ? `${messages} older messages were summarized.` : "There is nothing to summarize yet.";
    await this.#sendAll([{ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }]);
    return { stopReason: "end_turn" };
  }

  async #follow(runId: string): Promise<PromptResponse> {
    const { chat } = this.workspace;
    const updates = new RunUpdates(emptyRun(), this.cwd, this.#can);
    const asked = new Map<string, AbortController>();
    const terminals = new Map<string, Promise<OutputTerminal | undefined>>();
    try {
      for await (const { event } of chat.follow(runId)) {
        await this.#toTerminal(event, updates, terminals);
        await this.#sendAll(updates.take(event));
        if ("toolCallId" in event && event.type !== "tool_progress") asked.get(event.toolCallId)?.abort();
        if (event.type === "tool_approval_required") void this.#ask(runId, event, asked);
        if (event.type === "question_required") void this.#question(runId, event, asked);
        if (event.type === "error")
          throw new RequestError(
            -32603,
            describeFailure({ ...event, message: event.error, retryAfter: event.retryAfter }),
          );
        if (event.type === "done" && event.finishReason !== "error")
          return { stopReason: stopReasonOf(event.finishReason) };
      }
      return { stopReason: "end_turn" };
    } finally {
      this.#runId = undefined;
      for (const question of asked.values()) question.abort();
      for (const terminal of terminals.values())
        void terminal.then((one) => one?.end(1)).catch(this.#onProblem);
    }
  }

  /** Asks the person to approve a call. The decision may also come from elsewhere, such as the web app. */
  async #ask(
    runId: string,
    event: EventOf<"tool_approval_required">,
    asked: Map<string, AbortController>,
  ): Promise<void> {
    const { toolCallId, argumentsHash } = event;
    const question = new AbortController();
    asked.set(toolCallId, question);
    try {
      const { outcome } = await this.#client.request(
        "session/request_permission",
        {
          sessionId: this.id,
          toolCall: {
            ...toolCallOf(event, this.cwd),
            content: contentOf(event, this.cwd),
            _meta: { reason: event.reason, risk: event.risk, ...(event.plan ? { plan: event.plan } : {}) },
          },
          options: permissionOptions(event),
        },
        { cancellationSignal: question.signal },
      );
      if (question.signal.aborted) return;
      const chosen = outcome.outcome === "selected" ? outcome.optionId : "reject_once";
      const decision = DECISIONS[chosen as keyof typeof DECISIONS] ?? "deny";
      await this.workspace.chat.decide(runId, toolCallId, { decision, argumentsHash });
    } catch (thrown) {
      // Decided elsewhere, or the editor cannot ask: the call keeps waiting until its deadline.
      if (!question.signal.aborted && toFailure(thrown).code !== "CONFLICT") this.#onProblem(thrown);
    }
  }

  /** Asks the person a question of the model, if the editor has forms. */
  async #question(
    runId: string,
    event: EventOf<"question_required">,
    asked: Map<string, AbortController>,
  ): Promise<void> {
    if (!this.#can.elicitation?.form) return;
    const { toolCallId } = event;
    const question = new AbortController();
    asked.set(toolCallId, question);
    try {
      const form = formOf(event, this.id);
      const response = await this.#client.request("elicitation/create", form, {
        cancellationSignal: question.signal,
      });
      if (!question.signal.aborted)
        await this.workspace.chat.answer(runId, toolCallId, answerOf(response) ?? NO_ANSWER);
    } catch (thrown) {
      if (!question.signal.aborted && toFailure(thrown).code !== "CONFLICT") this.#onProblem(thrown);
    }
  }

  /** Shows the output of a command in a terminal of the editor, if it has some. */
  async #toTerminal(
    event: ChatEvent,
    updates: RunUpdates,
    terminals: Map<string, Promise<OutputTerminal | undefined>>,
  ): Promise<void> {
    if (!this.#can.terminal) return;
    if (event.type === "tool_executing" && event.toolName === "execute_command") {
      const opening = OutputTerminal.open(this.#client, this.id, this.cwd).catch((thrown: unknown) => {
        this.#onProblem(thrown);
        return undefined;
      });
      terminals.set(event.toolCallId, opening);
      const terminal = await opening;
      if (terminal) await this.#sendAll([updates.showInTerminal(event.toolCallId, terminal.id)]);
    }
    if (event.type === "tool_progress" && event.chunk !== undefined)
      (await terminals.get(event.toolCallId))?.write(event.chunk);
    if (event.type === "tool_result") {
      const terminal = await terminals.get(event.toolCallId);
      terminals.delete(event.toolCallId);
      await terminal?.end(event.success ? 0 : 1);
    }
  }

  #updatesOf({ id, role, content, state }: TranscriptMessage): SessionUpdate[] {
    if (role !== "assistant" || !state) {
      const sessionUpdate = role === "assistant" ? "agent_message_chunk" : "user_message_chunk";
      return [{ sessionUpdate, messageId: id, content: { type: "text", text: content } }];
    }
    const updates = new RunUpdates(emptyRun(), this.cwd, this.#can);
    return unfold(state).flatMap((event: ChatEvent) => updates.take(event));
  }

  async #sendAll(updates: readonly SessionUpdate[]): Promise<void> {
    for (const update of updates) await this.#client.notify("session/update", { sessionId: this.id, update });
  }
}

function permissionOptions({ always }: EventOf<"tool_approval_required">): PermissionOption[] {
  return [
    { optionId: "allow_once", name: "Allow", kind: "allow_once" },
    ...(always
      ? [{ optionId: "allow_always", name: `Always allow ${covered(always)}`, kind: "allow_always" as const }]
      : []),
    { optionId: "reject_once", name: "Deny", kind: "reject_once" },
  ];
}
