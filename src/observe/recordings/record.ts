import type { TurnOutcome } from "../../loop/run.ts";
import type { Turn } from "../../loop/turn.ts";
import { addedText, isDelta, mergeDeltas } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import { toFailure } from "../../protocol/failure.ts";
import type { Guard } from "../../protocol/guard.ts";
import type { RunLog } from "../../protocol/journal.ts";
import { type AssistantPart, type Message, type Part, unfoldMessage } from "../../protocol/messages.ts";
import type { Model, ModelEvent } from "../../protocol/model.ts";
import { RECORDING_VERSION, toRecorded, type WrittenLine } from "./format.ts";
import { laneOf } from "./lanes.ts";
import { piecesWithoutSecrets, type SecretRules, withoutSecrets } from "./secrets.ts";

export interface RecorderOptions {
  /** Writes whole lines. */
  write(text: string): void;
  /** The program and its version. */
  program: string;
  secrets: SecretRules;
  /** Called once if nothing more can be written. Must not throw. */
  onProblem(thrown: unknown): void;
}

export interface Recorder {
  /** Runs a turn as usual and records its inputs and outputs. */
  record(turn: Turn, run: (turn: Turn) => Promise<TurnOutcome>): Promise<TurnOutcome>;
}

/** Starts a recording: JSON lines, with a header first. */
export function createRecorder(options: RecorderOptions): Recorder {
  let broken = false;
  let runs = 0;
  const writeText = (text: string) => {
    if (broken) return;
    try {
      options.write(text);
    } catch (thrown) {
      broken = true;
      options.onProblem(thrown);
    }
  };
  const { program, secrets } = options;
  const header = {
    type: "recording",
    version: RECORDING_VERSION,
    program,
    recordedAt: new Date().toISOString(),
  };
  writeText(`${JSON.stringify(header)}\n`);
  return {
    async record(turn, run) {
      // A run that another process began cannot be recorded completely.
      if (turn.log.steps.size > 0) return run(turn);
      runs++;
      const lines = (...written: WrittenLine[]) =>
        writeText(written.map((one) => `${JSON.stringify(withoutSecrets(one, secrets))}\n`).join(""));
      const recording = new RunRecording(turn, runs, lines, secrets);
      recording.begin(await historyOf(turn));
      const outcome = await run(recording.turn());
      recording.end(outcome);
      return outcome;
    },
  };
}

/** Records one run. */
class RunRecording {
  private readonly original: Turn;
  private readonly run: number;
  private readonly write: (...lines: WrittenLine[]) => void;
  private readonly secrets: SecretRules;
  private readonly began = performance.now();
  /** Joins the pieces of a text into one event, so that a key in it is recognized. */
  private readonly waiting = new Map<string, { event: ChatEvent; ms: number }>();

  constructor(turn: Turn, run: number, write: (...lines: WrittenLine[]) => void, secrets: SecretRules) {
    this.original = turn;
    this.run = run;
    this.write = write;
    this.secrets = secrets;
  }

  turn(): Turn {
    const { original } = this;
    return {
      ...original,
      model: this.model(),
      log: this.log(),
      guard: this.guard(),
      awaitDecision: async (question, deadline, signal) => {
        const { toolCallId: call } = question;
        const approval = await original.awaitDecision(question, deadline, signal);
        const decision = approval
          ? {
              decision: approval.decision,
              note: approval.note,
              by: approval.by,
            }
          : null;
        this.write({ type: "decision", run: this.run, ms: this.ms(), call, decision, ...this.stopped() });
        return approval;
      },
      sleep: async (ms, signal) => {
        await original.sleep(ms, signal);
        this.write({ type: "pause", run: this.run, ms: this.ms(), ...this.stopped() });
      },
    };
  }

  end({ status, finishReason, iterations }: TurnOutcome): void {
    for (const lane of [...this.waiting.keys()]) this.flushEvent(lane);
    this.write({ type: "end", run: this.run, ms: this.ms(), status, finishReason, iterations });
  }

  begin(history: Message[]): void {
    const { model, system, tools, clientTools, toolChoice, limits, log, ...turn } = this.original;
    this.write({
      type: "run",
      run: this.run,
      runId: log.runId,
      messageId: log.state().messageId,
      startedAt: new Date().toISOString(),
      model: { id: model.id, info: { ...model.info } },
      system,
      history,
      tools: tools.map(
        ({ name, description, parameters, aliases, effect, trust, retry, parallel, shown }) => ({
          ...{ name, description, parameters, effect, trust, retry, parallel },
          aliases: [...aliases],
          shown,
        }),
      ),
      clientTools: [...clientTools],
      messageLabels: [...turn.messageLabels],
      toolChoice,
      reasoningEffort: turn.reasoningEffort,
      verbosity: turn.verbosity,
      ...(turn.settings ? { settings: { ...turn.settings } } : {}),
      remembered: [...turn.remembered],
      limits,
    });
  }

  private model(): Model {
    const { model, history } = this.original;
    return {
      id: model.id,
      info: model.info,
      stream: async (request, emit, signal) => {
        const said = withoutBytes(request.messages.slice(history.flatMap(unfoldMessage).length));
        const choice = request.toolChoice === undefined ? {} : { toolChoice: request.toolChoice };
        this.write({ type: "request", run: this.run, ms: this.ms(), messages: said, ...choice });
        const chunks: { event: ModelEvent; ms: number }[] = [];
        try {
          await model.stream(
            request,
            (event) => {
              chunks.push({ event, ms: this.ms() });
              emit(event);
            },
            signal,
          );
        } catch (thrown) {
          chunks.push({ event: { type: "failure", failure: toFailure(thrown) }, ms: this.ms() });
          throw thrown;
        } finally {
          this.writeChunks(chunks);
        }
      },
    };
  }

  /** Writes an answer once it is complete, because a key may arrive in pieces. */
  private writeChunks(chunks: { event: ModelEvent; ms: number }[]): void {
    const clean = new Map<ModelEvent, string>();
    for (const type of ["text_delta", "reasoning_delta"] as const) {
      const deltas = chunks.flatMap(({ event }) => (event.type === type ? [event] : []));
      const pieces = piecesWithoutSecrets(
        deltas.map(({ text }) => text),
        this.secrets,
      );
      deltas.forEach((delta, at) => {
        clean.set(delta, pieces[at] ?? "");
      });
    }
    const { run } = this;
    const written = chunks.map(({ event, ms }): WrittenLine => {
      if (event.type === "text_delta" || event.type === "reasoning_delta")
        return { type: "chunk", run, ms, event: { type: event.type, text: clean.get(event) ?? "" } };
      if (event.type === "usage" || event.type === "warning") return { type: "chunk", run, ms, event };
      if (event.type === "finish")
        return { type: "chunk", run, ms, event: { ...event, parts: event.parts.map(withoutData) } };
      const failure = toRecorded(event.failure);
      return { type: "chunk", run, ms, event: { type: "failure", failure }, ...this.stopped() };
    });
    this.write(...written);
  }

  private guard(): Guard {
    const { guard } = this.original;
    const { run } = this;
    return {
      admit: async (asked) => {
        const call = asked.context.toolCallId;
        try {
          const args = await guard.admit(asked);
          this.write({ type: "check", run, call, arguments: args });
          return args;
        } catch (thrown) {
          this.write({ type: "check", run, call, failure: toRecorded(guard.clean(thrown)) });
          throw thrown;
        }
      },
      policy: (asked, situation, remembered) => {
        const verdict = guard.policy(asked, situation, remembered);
        this.write({ type: "verdict", run, call: asked.context.toolCallId, verdict });
        return verdict;
      },
      execute: async (asked, work) => {
        const call = asked.context.toolCallId;
        try {
          const whole = await guard.execute(asked, work);
          const { data: _, effect: __, labels: ___, ...output } = whole;
          const labels = [...(whole.labels ?? []), ...(await guard.labels(output.output))];
          const effect = whole.effect ?? asked.tool.effectOf(asked.args);
          this.write({
            type: "result",
            run,
            ms: this.ms(),
            call,
            output,
            effect,
            labels,
            ...this.stopped(),
          });
          return whole;
        } catch (thrown) {
          const failure = toRecorded(guard.clean(thrown));
          this.write({ type: "result", run, ms: this.ms(), call, failure, ...this.stopped() });
          throw thrown;
        }
      },
      mayRead: (asked, path) => guard.mayRead(asked, path),
      labels: (text) => guard.labels(text),
      clean: (thrown) => guard.clean(thrown),
    };
  }

  private log(): RunLog {
    const { log } = this.original;
    return {
      runId: log.runId,
      steps: log.steps,
      emit: (event) => {
        log.emit(event);
        this.keepEvent(event);
      },
      step: (change) => log.step(change),
      status: (status) => log.status(status),
      flush: () => log.flush(),
      state: () => log.state(),
      finish: (outcome) => log.finish(outcome),
    };
  }

  private keepEvent(event: ChatEvent): void {
    const lane = laneOf(event);
    const before = this.waiting.get(lane);
    const merged = before && mergeDeltas(before.event, event, Number.POSITIVE_INFINITY);
    if (before && merged) {
      before.event = merged;
      return;
    }
    this.flushEvent(lane);
    const shown = event.type === "image_complete" ? { ...event, imageData: undefined } : event;
    this.waiting.set(lane, { event: shown, ms: this.ms() });
    if (!isDelta(event) || addedText(event) === "") this.flushEvent(lane);
  }

  private flushEvent(lane: string): void {
    const waiting = this.waiting.get(lane);
    this.waiting.delete(lane);
    if (waiting) this.write({ type: "event", run: this.run, ...waiting });
  }

  private ms(): number {
    return Math.round(performance.now() - this.began);
  }

  private stopped(): { cancelled?: true; interrupted?: true } {
    const { signal, inputs } = this.original;
    if (signal.aborted) return { cancelled: true };
    return inputs?.interruption().aborted ? { interrupted: true } : {};
  }
}

/** The session so far as the model is sent it, with the texts of attached files. */
async function historyOf({ history, withImages }: Turn): Promise<Message[]> {
  const sent = await withImages(history).catch(() => history); // The turn itself reports a broken file.
  return withoutBytes(sent);
}

/** Leaves out the bytes of images: people read recordings. */
function withoutBytes(messages: readonly Message[]): Message[] {
  return messages.map((message) => ({ ...message, parts: message.parts.map(withoutImage) }));
}

function withoutData(part: AssistantPart): AssistantPart {
  return part.type === "image" ? { type: "image", mimeType: part.mimeType } : part;
}

function withoutImage(part: Part): Part {
  if (part.type !== "image") return part;
  const sentIn = part.messageId === undefined ? {} : { messageId: part.messageId };
  return { type: "text", text: `[image: ${part.mimeType}, not kept in the recording]`, ...sentIn };
}
