import { setTimeout as pause } from "node:timers/promises";
import { runTurn, type TurnOutcome } from "../../loop/run.ts";
import type { Turn } from "../../loop/turn.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import { Failure, toFailure } from "../../protocol/failure.ts";
import type { Guard } from "../../protocol/guard.ts";
import { parseObject } from "../../protocol/json.ts";
import {
  type AssistantPart,
  type ImagePart,
  type Message,
  textOf,
  unfoldMessage,
} from "../../protocol/messages.ts";
import type { Model, ModelEvent, ModelInfo, ModelSettings } from "../../protocol/model.ts";
import type { ImageState } from "../../protocol/reduce.ts";
import type { RunInput } from "../../protocol/run-records.ts";
import type { Effect, Tool, ToolOutput } from "../../protocol/tool.ts";
import { compareEvents, compareRequests, compareSteps, type Difference } from "./compare.ts";
import { fromRecorded, type LineOf, linesOf, type RecordedRun, type Recording } from "./format.ts";
import { createMemoryLog } from "./memory-log.ts";
import { type RecordedCall, recordedCalls, sameArguments } from "./recorded-calls.ts";
import { type RecordedMessage, recordedMessages } from "./recorded-messages.ts";

export interface PlayOptions {
  /** Replaces the recorded model. */
  model?: Model;
  /** Runs a recorded call again. If it returns undefined, the recorded result is used. Throws `Failure`. */
  runTool?(
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<{ output: string } | undefined>;
  /** 1 replays in real time, 2 twice as fast. Without it, there are no waits. */
  speed?: number;
  onRun?(question: string, run: number): void;
  onEvent?(event: ChatEvent, run: number): void;
  signal?: AbortSignal;
}

export interface Replay {
  runs: number;
  /** Model requests and tool calls of the replay. */
  steps: number;
  calls: number;
  differences: Difference[];
  /** Where the replay deviated from its options, in sentences. */
  notes: string[];
}

/** Replays the turns of a recording and reports the differences. */
export async function playRecording(recording: Recording, options: PlayOptions = {}): Promise<Replay> {
  const replay: Replay = { runs: 0, steps: 0, calls: 0, differences: [], notes: [] };
  for (const recorded of recording.runs) {
    if (options.signal?.aborted) break;
    const newest = recorded.start.history.findLast(({ role }) => role === "user");
    options.onRun?.(newest ? textOf(newest) : "", recorded.start.run);
    const run = new ReplayedRun(recorded, options);
    const outcome = await runTurn(run.turn());
    replay.runs++;
    replay.steps += run.steps.length;
    replay.calls += run.calls;
    replay.differences.push(...run.differences(outcome));
    replay.notes.push(...run.notes);
  }
  return replay;
}

const NOT_RECORDED = "This call is not in the recording, so there is no result for it.";

/** One run that is replayed. */
class ReplayedRun {
  readonly steps: AssistantPart[][] = [];
  readonly notes: string[] = [];
  calls = 0;
  private readonly recorded: RecordedRun;
  private readonly options: PlayOptions;
  private readonly stop = new AbortController();
  private interruption = new AbortController();
  private asked = 0;
  private readonly events: ChatEvent[] = [];
  private readonly requests: Message[][] = [];
  private readonly unused: RecordedCall[];
  private readonly paired = new Map<string, RecordedCall>();
  private readonly effects = new Map<unknown, Effect>();
  private readonly images: ImageState[];
  private readonly answers: LineOf<"chunk">[][];
  private readonly pauses: LineOf<"pause">[];
  /** What the person sent into the run and what has not taken effect yet. */
  private messages: RecordedMessage[];
  private readonly log: Turn["log"];
  private clock = 0;

  constructor(recorded: RecordedRun, options: PlayOptions) {
    this.recorded = recorded;
    this.options = options;
    this.unused = recordedCalls(recorded);
    this.answers = answersOf(recorded);
    this.pauses = linesOf(recorded, "pause");
    this.messages = recordedMessages(recorded);
    const { runId, messageId, model } = recorded.start;
    this.images = linesOf(recorded, "event").flatMap(({ event }) => {
      if (event.type !== "image_complete" || event.toolCallId !== messageId) return [];
      const { type: _, toolCallId: __, ...image } = event;
      return [image];
    });
    this.log = createMemoryLog({ runId, messageId, model: (options.model ?? model).id }, (event) => {
      this.events.push(event);
      options.onEvent?.(event, recorded.start.run);
    });
  }

  turn(): Turn {
    const { start } = this.recorded;
    const { signal } = this.options;
    const asked = this.options.model;
    return {
      model: asked ? this.watched(asked) : this.model(),
      log: this.log,
      guard: this.guard(),
      system: start.system,
      history: start.history,
      tools: start.tools.map((spec) => this.tool(spec)),
      clientTools: start.clientTools,
      messageLabels: start.messageLabels,
      toolChoice: start.toolChoice,
      reasoningEffort: start.reasoningEffort,
      verbosity: start.verbosity,
      ...(start.settings ? { settings: start.settings as ModelSettings } : {}),
      cacheKey: start.runId,
      limits: start.limits,
      requestId: start.runId,
      caller: "replay",
      signal: signal ? AbortSignal.any([signal, this.stop.signal]) : this.stop.signal,
      attended: true,
      inputs: { take: () => this.takeMessages(), interruption: () => this.interruption.signal },
      contextFor: (call) => {
        this.pair(call);
        return {
          principal: { id: "replay", kind: "owner" },
          sessionId: undefined,
          runId: undefined,
          roots: [],
          now: () => new Date(this.now()),
        };
      },
      remembered: new Set(start.remembered),
      remember: async () => {},
      awaitDecision: async ({ toolCallId, argumentsHash }) => {
        const line = this.paired.get(toolCallId)?.decision;
        if (!line) return undefined;
        await this.comeTo(line);
        return line.decision
          ? { ...line.decision, runId: start.runId, toolCallId, argumentsHash }
          : undefined;
      },
      hash: (value) => JSON.stringify(value),
      withImages: async (messages) => messages,
      keepImage: async (image: ImagePart) => {
        const shown = this.images.shift();
        return shown ? { kept: image, shown } : { kept: image };
      },
      keepResult: async () => true,
      now: () => this.now(),
      random: () => 0.5,
      sleep: async (ms, until) => {
        if (asked) await pause(ms, undefined, { signal: until }).catch(() => undefined);
        const line = this.pauses.shift();
        if (line && !asked) await this.comeTo(line);
      },
    };
  }

  differences({ status, finishReason }: TurnOutcome): Difference[] {
    const { start, end } = this.recorded;
    for (const { input } of this.messages)
      this.notes.push(`“${textOf(input)}” was not sent into the run, because it was over before.`);
    const found = this.options.model ? compareSteps(stepsOf(this.answers), this.steps) : this.compareAll();
    if (found.length === 0 && (status !== end.status || finishReason !== end.finishReason))
      found.push({
        where: "end",
        recorded: `${end.status}, ${end.finishReason}`,
        now: `${status}, ${finishReason}`,
      });
    return found.map((difference) => ({ run: start.run, ...difference }));
  }

  private compareAll(): Omit<Difference, "run">[] {
    const before = linesOf(this.recorded, "event").map(({ event }) => event);
    const found = compareEvents(before, this.events);
    // A different result also changes what the model is sent. It is reported once.
    if (found.length > 0) return found;
    const told = linesOf(this.recorded, "request").map(({ messages }) => messages);
    return compareRequests(told, this.requests);
  }

  /** Returns the messages that took effect before the request that comes next. */
  private async takeMessages(): Promise<RunInput[]> {
    this.interruption = new AbortController();
    const due = this.messages.filter(({ after }) => after <= this.asked);
    this.messages = this.messages.filter((one) => !due.includes(one));
    return due.map(({ input }) => input);
  }

  /** Finds the recording of a call with the same tool and arguments. Each is used once. */
  private pair(call: { id: string; name: string; arguments: string }): void {
    this.calls++;
    const same = (one: RecordedCall) =>
      one.name === call.name && sameArguments(one.arguments, call.arguments);
    const found = this.unused.find((one) => one.id === call.id && same(one)) ?? this.unused.find(same);
    if (!found) return;
    this.unused.splice(this.unused.indexOf(found), 1);
    this.paired.set(call.id, found);
  }

  private guard(): Guard {
    return {
      admit: async ({ args, context, tool }) => {
        const call = this.paired.get(context.toolCallId);
        if (!call) {
          this.notes.push(`${tool.name} ${JSON.stringify(args)} is not in the recording, and was not run.`);
          throw new Failure("TOOL_FAILED", NOT_RECORDED);
        }
        const check = call.checks.shift();
        if (check?.failure) throw fromRecorded(check.failure);
        const admitted = check?.arguments ?? args;
        if (call.result?.effect) this.effects.set(admitted, call.result.effect);
        return admitted;
      },
      policy: ({ context }) => this.paired.get(context.toolCallId)?.verdict?.verdict ?? { action: "allow" },
      execute: async ({ tool, context }) => this.result(tool.name, context.toolCallId, context.signal),
      mayRead: () => true,
      labels: (text) => this.labels(text),
      clean: toFailure,
    };
  }

  private async result(name: string, toolCallId: string, signal: AbortSignal): Promise<ToolOutput> {
    const call = this.paired.get(toolCallId);
    const line = call?.result;
    if (!call || !line) throw new Failure("TOOL_FAILED", NOT_RECORDED);
    for (const event of call.shown) this.log.emit("toolCallId" in event ? { ...event, toolCallId } : event);
    await this.comeTo(line);
    const live = await this.options.runTool?.(name, parseObject(call.arguments) ?? {}, signal);
    if (live) return { ...line.output, output: live.output };
    if (line.failure) throw fromRecorded(line.failure);
    if (!line.output) throw new Failure("TOOL_FAILED", NOT_RECORDED);
    return line.output;
  }

  private labels(text: string): string[] {
    // A long output is shortened before it is labeled.
    for (const { result } of this.paired.values())
      if (result?.output && beginning(result.output.output) === beginning(text)) return result.labels ?? [];
    return [];
  }

  /** A tool that only returns recorded results. */
  private tool(spec: LineOf<"run">["tools"][number]): Tool {
    return {
      ...spec,
      timeoutMs: undefined,
      limit: undefined,
      streaming: false,
      parse: (value) => ({ ok: true, value }),
      effectOf: (args) => this.effects.get(args) ?? spec.effect,
      preview: async (_, { toolCallId }) => this.paired.get(toolCallId)?.preview,
      available: () => true,
      run: async () => {
        throw new Failure("INTERNAL", "A recorded tool cannot run.");
      },
    };
  }

  /** The recorded model. */
  private model(): Model {
    const { id, info } = this.recorded.start.model;
    const left = [...this.answers];
    return {
      id,
      info: info as ModelInfo,
      stream: async (request, emit) => {
        this.asked++;
        this.requests.push(request.messages.slice(this.recorded.start.history.flatMap(unfoldMessage).length));
        const chunks = left.shift();
        if (!chunks) {
          emit({
            type: "failure",
            failure: new Failure("INVALID_INPUT", "The recording has no more answers of the model."),
          });
          return;
        }
        this.steps.push(...stepsOf([chunks]));
        for (const chunk of chunks) {
          await this.comeTo(chunk);
          emit(eventOf(chunk));
        }
      },
    };
  }

  /** Another model. Its answers are kept for the comparison. */
  private watched(model: Model): Model {
    return {
      id: model.id,
      info: model.info,
      stream: (request, emit, signal) => {
        this.asked++;
        return model.stream(
          request,
          (event) => {
            if (event.type === "finish") this.steps.push(event.parts);
            emit(event);
          },
          signal,
        );
      },
    };
  }

  /** Waits until the time of a line in the recording. */
  private async comeTo({ ms, cancelled, interrupted }: Moment): Promise<void> {
    const { speed, model, signal } = this.options;
    const wait = ms - this.clock;
    this.clock = Math.max(this.clock, ms);
    if (speed !== undefined && wait > 0 && !model)
      await pause(wait / speed, undefined, signal ? { signal } : {}).catch(() => undefined); // On abort, continue at once.
    if (cancelled) this.stop.abort();
    if (interrupted) this.interruption.abort();
  }

  private now(): number {
    return this.options.model ? Date.now() : Date.parse(this.recorded.start.startedAt) + this.clock;
  }
}

type Moment = Pick<LineOf<"chunk">, "ms" | "cancelled" | "interrupted">;

/** The chunks of each model request. */
function answersOf({ lines }: RecordedRun): LineOf<"chunk">[][] {
  const answers: LineOf<"chunk">[][] = [];
  for (const line of lines) {
    if (line.type === "request") answers.push([]);
    if (line.type === "chunk") answers.at(-1)?.push(line);
  }
  return answers;
}

/** What the model said in each finished step. */
function stepsOf(answers: readonly LineOf<"chunk">[][]): AssistantPart[][] {
  return answers.flatMap((chunks) =>
    chunks.flatMap(({ event }) => (event.type === "finish" ? [event.parts as AssistantPart[]] : [])),
  );
}

function eventOf({ event }: LineOf<"chunk">): ModelEvent {
  if (event.type === "failure") return { type: "failure", failure: fromRecorded(event.failure) };
  return event as ModelEvent;
}

function beginning(text: string): string {
  return text.slice(0, 1_000);
}
