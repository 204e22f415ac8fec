import { createJavaScriptRegexEngine } from "@shikijs/engine-javascript";
import {
  codeToTokensBase,
  createShikiPrimitiveAsync,
  getLastGrammarState,
  type ShikiPrimitive,
} from "@shikijs/primitive";
import { codeTheme } from "./code-theme.ts";
import type { HighlightAnswer, HighlightedLine, HighlightRequest } from "./highlight.ts";
import { grammarOf } from "./languages.ts";

/** The time limit for one line: on a busy machine the first line takes long. */
const LINE_TIMEOUT_MS = 5_000;
let opened: Promise<ShikiPrimitive> | undefined;
/** Where the grammar is after the whole lines of each code that is being written. */
const states = new Map<number, NonNullable<ReturnType<typeof getLastGrammarState>>>();

addEventListener("message", async ({ data }: MessageEvent<HighlightRequest | { ended: number }>) => {
  if ("ended" in data) return void states.delete(data.ended);
  const { id } = data;
  try {
    postMessage({ id, ...(await linesOf(data)) } satisfies HighlightAnswer);
  } catch {
    postMessage({ id } satisfies HighlightAnswer); // If a grammar fails, the code stays without colors.
  }
});

async function linesOf({
  of,
  language,
  whole,
  last,
}: HighlightRequest): Promise<Omit<HighlightAnswer, "id">> {
  const grammar = grammarOf(language);
  if (!grammar) return {};
  opened ??= createShikiPrimitiveAsync({
    themes: [codeTheme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await opened;
  const { default: registrations } = await grammar();
  await highlighter.loadLanguage(...registrations);
  const tokensOf = (code: string) => {
    const grammarState = states.get(of);
    return codeToTokensBase(highlighter, code, {
      lang: registrations.at(-1)?.name ?? language,
      theme: "kinds",
      tokenizeTimeLimit: LINE_TIMEOUT_MS,
      ...(grammarState && { grammarState }),
    });
  };
  const lines: HighlightedLine[] = [];
  if (whole !== "") {
    const tokens = tokensOf(whole.slice(0, -1));
    const state = getLastGrammarState(highlighter, tokens);
    if (state) states.set(of, state);
    for (const line of tokens) lines.push(piecesOf(line));
  }
  return { whole: lines, last: tokensOf(last).flatMap(piecesOf) };
}

type Tokens = ReturnType<typeof codeToTokensBase>[number];

function piecesOf(line: Tokens): HighlightedLine {
  const pieces: HighlightedLine = [];
  for (const { content, color = "" } of line) {
    const kind = color === "plain" ? "" : color;
    const last = pieces.at(-1);
    if (last && (last[1] === kind || content.trim() === "")) last[0] += content;
    else pieces.push([content, kind]);
  }
  return pieces;
}
