import type { EventOf } from "../../../protocol/events.ts";
import { Failure } from "../../../protocol/failure.ts";
import { type Message, textMessage } from "../../../protocol/messages.ts";
import type { Usage } from "../../../protocol/model.ts";
import type { ModelAnswer } from "../../../protocol/model-question.ts";
import { ReasoningSteps } from "../../../protocol/reasoning-steps.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import type { ArtifactType } from "../../artifacts/pipeline.ts";
import { complaint, promptFor, systemFor } from "./prompts.ts";

type Phase = NonNullable<EventOf<"reasoning_status">["phase"]>;

const PHASES: Record<Phase, string> = {
  analyzing: "Reading what is wanted",
  planning: "Planning it",
  implementing: "Writing it",
  styling: "Giving it its looks",
  finalizing: "Checking it",
};

/** Shows each phase of the work once. */
export class Phases {
  private readonly told = new Set<Phase>();
  private readonly context: ToolContext;

  constructor(context: ToolContext) {
    this.context = context;
  }

  reach(phase: Phase): void {
    if (this.told.has(phase)) return;
    this.told.add(phase);
    this.context.show(statusOf(phase, PHASES[phase]));
  }
}

/** The tool keeps this much of the model's reasoning. */
const MAX_REASONING = 20_000;
/** Characters of reasoning that are shown together. */
const SHOWN_TOGETHER = 200;

/** Streams what the model thinks: its text as progress of the call, and each new thought as a status. */
export class StreamedReasoning {
  text = "";
  private shown = 0;
  private readonly steps = new ReasoningSteps();
  private readonly context: ToolContext;

  constructor(context: ToolContext) {
    this.context = context;
  }

  take(delta: string): void {
    for (const news of this.steps.push(delta))
      if (news.type === "opened") this.context.show(statusOf("planning", news.title));
    if (this.text.length < MAX_REASONING) this.text = (this.text + delta).slice(0, MAX_REASONING);
    if (delta.includes("\n") || this.text.length - this.shown >= SHOWN_TOGETHER) this.flush();
  }

  flush(): void {
    const chunk = this.text.slice(this.shown);
    this.shown = this.text.length;
    if (chunk !== "") this.context.progress({ message: PHASES.planning, phase: "reasoning", chunk });
  }
}

function statusOf(phase: Phase, content: string): EventOf<"reasoning_status"> {
  return { type: "reasoning_status", content, source: "generate_artifact", phase };
}

export interface ArtifactRequest {
  type: ArtifactType;
  prompt: string;
  language: string | undefined;
  existing: { code: string; title: string } | undefined;
}

export interface Writing {
  text: string;
  usage: Usage;
}

const MAX_TOKENS = 32_000;
/** Code about styling. A delta may begin in the middle of it. */
const STYLING = /class(?:Name)?=|style=|<style|fill=/;
const STYLING_LENGTH = 10;

/** What writing one artifact needs besides the request. */
export interface WritingContext {
  artifactId: string;
  phases: Phases;
  reasoning: StreamedReasoning;
  context: ToolContext;
}

/** Has a model write the artifact, and streams its code. */
export async function write(request: ArtifactRequest, work: WritingContext): Promise<Writing> {
  return ask(request, [questionOf(request)], work);
}

/** Shows the model the errors in its code and has it try once more. */
export async function rewrite(
  request: ArtifactRequest,
  written: string,
  problems: readonly string[],
  work: WritingContext,
): Promise<Writing> {
  if (work.reasoning.text !== "") work.reasoning.take("\n\n");
  const corrections = [
    textMessage("work", "assistant", written),
    textMessage("complaint", "user", complaint(problems)),
  ];
  return ask(request, [questionOf(request), ...corrections], work);
}

function questionOf({ prompt, existing }: ArtifactRequest): Message {
  return textMessage("request", "user", promptFor(prompt, existing));
}

async function ask(
  request: ArtifactRequest,
  messages: Message[],
  { artifactId, phases, reasoning, context }: WritingContext,
): Promise<Writing> {
  if (!context.askModel)
    throw new Failure(
      "TOOL_FAILED",
      "There is no model here that could write it. Give the finished code instead.",
    );
  let end = "";
  const stream = codeStream((delta) => {
    reasoning.flush();
    phases.reach("implementing");
    end = (end + delta).slice(-(delta.length + STYLING_LENGTH));
    if (STYLING.test(end)) phases.reach("styling");
    context.show({ type: "artifact_delta", toolCallId: context.toolCallId, artifactId, delta });
  });
  const answer: ModelAnswer = await context.askModel({
    role: "artifact",
    system: systemFor(request.type, request.language),
    messages,
    signal: context.signal,
    reasoningEffort: "medium",
    maxOutputTokens: MAX_TOKENS,
    onReasoning: (delta) => {
      phases.reach("planning");
      reasoning.take(delta);
    },
    onText: stream,
  });
  if (answer.text.trim() === "")
    throw new Failure("UPSTREAM_ERROR", "The model answered without any code. Trying again may help.", {
      details: { emptyAnswer: true },
    });
  return { text: answer.text, usage: answer.usage };
}

/** Passes on text without the fence line that it may begin with. */
function codeStream(emit: (delta: string) => void): (delta: string) => void {
  let held: string | undefined = "";
  return (delta) => {
    if (held === undefined) return emit(delta);
    held += delta;
    const line = held.trimStart();
    if (!line.includes("\n") && (line === "" || "```".startsWith(line.slice(0, 3)))) return;
    const rest = line.replace(/^```[^\n]*\n/, "");
    held = undefined;
    if (rest !== "") emit(rest);
  };
}
