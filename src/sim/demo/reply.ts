import { answerFrom } from "./answers.ts";
import { answerAboutFiles } from "./attached.ts";
import type { Conversation } from "./conversation.ts";
import { missingNote } from "./notes.ts";
import { nextCalls, type Plan, type PlannedCall, planFor } from "./plan.ts";
import { answerSideJob } from "./side-jobs.ts";
import { smallTalk } from "./smalltalk.ts";
import { answerInJson } from "./structured.ts";

export interface DemoReply {
  reasoning?: string;
  text?: string;
  calls: PlannedCall[];
  /** The subject of the picture to draw. */
  picture?: string;
}

/** It understands short questions. Searching a long text for them takes the square of its length, or more. */
const BEGINNING = 2_000;
const END = 500;

/** Returns what the demo model says next: calls, an answer from their results, or only text. */
export function replyTo(whole: Conversation): DemoReply {
  const conversation = { ...whole, now: { ...whole.now, question: shortened(whole.now.question) } };
  if (conversation.tools.length === 0 && /^You make images\b/.test(conversation.system))
    return { picture: conversation.now.question, calls: [] };
  const sideJob = answerSideJob(whole);
  if (sideJob !== undefined) return { text: sideJob, calls: [] };
  const { now, toolChoice } = conversation;
  const json = answerInJson(whole.now.question);
  if (json !== undefined) return { text: json, calls: [] };
  const aboutFiles = answerAboutFiles(whole.now);
  if (aboutFiles !== undefined) return { text: aboutFiles, calls: [] };
  const plan = planFor(conversation);
  const next = toolChoice === "none" ? [] : nextCalls(conversation);
  if (next.length > 0) return { reasoning: reasoningFor({ calls: next, missing: [] }), calls: next };
  if (now.results.length > 0) {
    const failed = now.results.filter(({ success }) => !success).length;
    return {
      reasoning: reviewOf(now.results.length, failed),
      text: answerFrom(now, plan.missing),
      calls: [],
    };
  }
  if (toolChoice === "none") return { text: withoutTools(conversation, plan), calls: [] };
  if (plan.calls.length > 0) return { reasoning: reasoningFor(plan), text: opening(plan), calls: plan.calls };
  if (plan.missing.length > 0) return { text: missingNote(plan.missing), calls: [] };
  return { text: smallTalk(conversation), calls: [] };
}

function withoutTools(conversation: Conversation, plan: Plan): string {
  if (plan.calls.length + plan.missing.length === 0) return smallTalk(conversation);
  return "That takes a tool, and tools are switched off for this message. Switch them on and ask me again.";
}

function reasoningFor({ calls, missing }: Plan): string {
  const lines = ["**Understanding the request**", ...calls.map(({ aim }) => `- Wanted: ${aim}`)];
  lines.push("", "**Planning the steps**");
  if (calls.length > 1) lines.push("- None needs the result of another, so they can run side by side.");
  else lines.push("- One step is enough.");
  if (missing.length > 0) lines.push(`- No tool here for: ${missing.map(({ aim }) => aim).join(", ")}`);
  return `${lines.join("\n")}\n`;
}

function opening({ calls }: Plan): string | undefined {
  if (calls.length > 1) return `Let me do these ${calls.length} things at once.\n\n`;
  return undefined;
}

function reviewOf(count: number, failed: number): string | undefined {
  if (failed > 0)
    return `**Reviewing the results**\n- ${failed} of ${count} did not work; say why and what helps.\n`;
  if (count > 1) return `**Reviewing the results**\n- All ${count} are there; put them in order.\n`;
  return undefined;
}

/** Returns the beginning and end of a long question: what is asked is there. */
function shortened(question: string): string {
  if (question.length <= BEGINNING + END) return question;
  const ends = `${question.slice(0, BEGINNING)}\n\n${question.slice(-END)}`.toWellFormed();
  return ends.replace(/\s{40,}/g, "\n\n");
}
