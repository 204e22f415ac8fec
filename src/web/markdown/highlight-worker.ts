import { createJavaScriptRegexEngine } from "@shikijs/engine-javascript";
import { codeToTokensBase, createShikiPrimitiveAsync, type ShikiPrimitive } from "@shikijs/primitive";
import { codeTheme } from "./code-theme.ts";
import type { HighlightedLine } from "./highlight.ts";
import { grammarOf } from "./languages.ts";

/** The time limit for one line: on a busy machine the first line takes long. */
const LINE_TIMEOUT_MS = 5_000;
let opened: Promise<ShikiPrimitive> | undefined;

addEventListener(
  "message",
  async ({ data }: MessageEvent<{ id: number; language: string; code: string }>) => {
    const { id, language, code } = data;
    try {
      postMessage({ id, lines: await linesOf(language, code) });
    } catch {
      postMessage({ id }); // If a grammar fails, the code stays without colors.
    }
  },
);

async function linesOf(language: string, code: string): Promise<HighlightedLine[] | undefined> {
  const grammar = grammarOf(language);
  if (!grammar) return undefined;
  opened ??= createShikiPrimitiveAsync({
    themes: [codeTheme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await opened;
  const { default: registrations } = await grammar();
  await highlighter.loadLanguage(...registrations);
  const name = registrations.at(-1)?.name ?? language;
  const tokens = codeToTokensBase(highlighter, code, {
    lang: name,
    theme: "kinds",
    tokenizeTimeLimit: LINE_TIMEOUT_MS,
  });
  return tokens.map((line) => {
    const pieces: HighlightedLine = [];
    for (const { content, color = "" } of line) {
      const kind = color === "plain" ? "" : color;
      const last = pieces.at(-1);
      if (last && (last[1] === kind || content.trim() === "")) last[0] += content;
      else pieces.push([content, kind]);
    }
    return pieces;
  });
}
