import { artifactFor } from "./artifacts/catalogue.ts";
import { colourIn, recoloured } from "./artifacts/recolour.ts";
import { subjectOf, titleOf } from "./artifacts/subject.ts";
import type { ArtifactType } from "./artifacts/template.ts";
import type { Conversation } from "./conversation.ts";

/** Work that the product itself gives to a model, known by what the system message asks for. */
interface Errand {
  asked: RegExp;
  answer(conversation: Conversation): string;
}

const ERRANDS: readonly Errand[] = [
  {
    asked:
      /\b(?:only|just|nothing but|nothing except)\b[^.\n]{0,60}\b(?:code|source|markup)\b|\b(?:code|source|markup)\b[^.\n]{0,40}\b(?:only|alone|nothing else)\b/i,
    answer: writeCode,
  },
  {
    asked:
      /\b(?:rewrit|rephras|reformulat)\w*\b[^.\n]{0,80}\b(?:quer|search)|\bsearch quer(?:y|ies)\b[^.\n]{0,60}\b(?:only|alone|nothing else)\b/i,
    answer: ({ now }) => rewriteQuery(now.question),
  },
  {
    asked: /\b(?:write|give|answer with|reply with|create|generate|suggest|return)\b[^.\n]{0,60}\btitle\b/i,
    answer: ({ now }) => titleOf(subjectOf(now.question)) || "New conversation",
  },
  {
    asked: /\bsummari[sz]e\b[^.\n]{0,60}\b(?:conversation|messages|history|so far)\b/i,
    answer: ({ earlier, now }) =>
      [...earlier, now]
        .filter(({ question }) => question !== "")
        .map(({ question }) => `- The person asked: ${question.replace(/\s+/g, " ").slice(0, 200)}`)
        .join("\n"),
  },
];

/** The bare answer to an errand; undefined in an ordinary conversation. */
export function errandAnswer(conversation: Conversation): string | undefined {
  if (conversation.tools.length > 0) return undefined;
  return ERRANDS.find(({ asked }) => asked.test(conversation.system))?.answer(conversation);
}

const TYPES: readonly (readonly [ArtifactType, RegExp])[] = [
  ["react", /\breact\b/i],
  ["mermaid", /\bmermaid\b/i],
  ["svg", /\bsvg\b/i],
  ["html", /\bhtml\b/i],
  ["markdown", /\bmarkdown\b/i],
];

/** Code for a wish, of the kind that the system message names; a revision keeps the code that it is shown. */
function writeCode({ system, now }: Conversation): string {
  const existing =
    /```\w*\n([\s\S]*?)```/.exec(now.question)?.[1] ??
    /<(?:existing_)?code>\n?([\s\S]*?)<\/(?:existing_)?code>/.exec(now.question)?.[1];
  const wish = existing ? now.question.replace(existing, "") : now.question;
  if (existing) {
    // The one revision that rules can do well is another colour.
    const colour = colourIn(wish);
    return colour ? recoloured(existing, colour) : existing;
  }
  const type =
    TYPES.find(([, word]) => word.test(system))?.[0] ?? TYPES.find(([, word]) => word.test(wish))?.[0];
  return artifactFor(wish, type).code;
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
