import { artifactFor } from "./artifacts/catalogue.ts";
import { colorIn, recolored } from "./artifacts/recolor.ts";
import { conversationTitle } from "./artifacts/subject.ts";
import type { ArtifactType } from "./artifacts/template.ts";
import type { Conversation } from "./conversation.ts";
import { summarize } from "./summary.ts";

/** Side jobs that the product itself gives to a model, recognized by the system message. */
interface SideJob {
  pattern: RegExp;
  answer(conversation: Conversation): string;
}

const SUMMARY =
  /(?:^|\n\n)Summarize the earlier part of this conversation for the assistant that continues it\./;

const SIDE_JOBS: readonly SideJob[] = [
  {
    pattern:
      /\b(?:only|just|nothing but|nothing except)\b[^.\n]{0,60}\b(?:code|source|markup)\b|\b(?:code|source|markup)\b[^.\n]{0,40}\b(?:only|alone|nothing else)\b/i,
    answer: writeCode,
  },
  {
    pattern:
      /\b(?:rewrit|rephras|reformulat)\w*\b[^.\n]{0,80}\b(?:quer|search)|\bsearch quer(?:y|ies)\b[^.\n]{0,60}\b(?:only|alone|nothing else)\b/i,
    answer: ({ now }) => rewriteQuery(now.question),
  },
  {
    pattern: /\b(?:write|give|answer with|reply with|create|generate|suggest|return)\b[^.\n]{0,60}\btitle\b/i,
    answer: ({ now }) => conversationTitle(now.question) || "New conversation",
  },
  {
    pattern: /\bsummari[sz]e\b[^.\n]{0,60}\b(?:conversation|messages|history|so far)\b/i,
    answer: summarize,
  },
];

/** Answers a side job, or returns undefined for an ordinary conversation. */
export function answerSideJob(conversation: Conversation): string | undefined {
  // Summaries are asked for at the end of the conversation itself, which has tools.
  if (SUMMARY.test(conversation.now.question)) return summarize(conversation);
  if (conversation.tools.length > 0) return undefined;
  return SIDE_JOBS.find(({ pattern }) => pattern.test(conversation.system))?.answer(conversation);
}

const TYPES: readonly (readonly [ArtifactType, RegExp])[] = [
  ["react", /\breact\b/i],
  ["mermaid", /\bmermaid\b/i],
  ["svg", /\bsvg\b/i],
  ["html", /\bhtml\b/i],
  ["markdown", /\bmarkdown\b/i],
];

/** Writes code of the kind that the system message names. A revision keeps the existing code. */
function writeCode({ system, now }: Conversation): string {
  const existing =
    /```\w*\n([\s\S]*?)```/.exec(now.question)?.[1] ??
    /<(?:existing_)?code>\n?([\s\S]*?)<\/(?:existing_)?code>/.exec(now.question)?.[1];
  const wanted = existing ? now.question.replace(existing, "") : now.question;
  if (existing) {
    // Changing the color is the one revision that rules can do well.
    const color = colorIn(wanted);
    return color ? recolored(existing, color) : existing;
  }
  const type =
    TYPES.find(([, word]) => word.test(system))?.[0] ?? TYPES.find(([, word]) => word.test(wanted))?.[0];
  return artifactFor(wanted, type).code;
}

const FILLER =
  /\b(?:please|can you|could you|would you|tell me|show me|find(?: out)?|search(?: the web)?(?: for)?|look up|i want to know|i need|what(?:'s| is| are)|who(?:'s| is)|how (?:do|does|can) (?:i|you|one)|about|the|a|an|some|me)\b/gi;

function rewriteQuery(question: string): string {
  const query = question
    .replace(/^.*?\bquery:\s*/is, "")
    .replace(FILLER, " ")
    .replace(/[?!."“”]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return (query || question.trim()).slice(0, 200);
}
