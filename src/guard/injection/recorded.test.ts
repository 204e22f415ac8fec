import { expect, it } from "vitest";
import { scan } from "./scan.ts";
import { ATTACKS, PLAYS } from "./testing/attacks.ts";
import { BENIGN } from "./testing/benign.ts";
import { PROMPTS } from "./testing/everyday.ts";
import { CORE_PHRASES, HARMLESS_OUTPUT, PLANTED } from "./testing/indirect.ts";
import { JAILBREAKS } from "./testing/jailbreaks.ts";
import { OBFUSCATIONS } from "./testing/obfuscate.ts";

/** One line per text: its score, `!` if it is flagged, and its labels. */
function scoresOf(texts: readonly string[]): string {
  const lines = texts.map((text) => {
    const { flagged, score, labels } = scan(text);
    return `${score}${flagged ? "!" : ""} ${labels.join(" ")}`.trimEnd();
  });
  return lines.join("\n");
}

const PAGE = "The market was full of people who had come to buy bread, flowers and cheese. ".repeat(25);

it("scores attacks and jailbreaks as recorded", async () => {
  const texts = [...ATTACKS, ...PLAYS, ...JAILBREAKS, ...CORE_PHRASES, ...PLANTED];
  await expect(scoresOf(texts)).toMatchFileSnapshot("testing/recorded/attacks.txt");
});

it("scores harmless texts as recorded", async () => {
  const texts = [...BENIGN, ...PROMPTS, ...HARMLESS_OUTPUT];
  await expect(scoresOf(texts)).toMatchFileSnapshot("testing/recorded/harmless.txt");
});

it("scores obfuscated attacks as recorded", async () => {
  const texts = Object.values(OBFUSCATIONS).flatMap((obfuscate) => ATTACKS.slice(0, 12).map(obfuscate));
  await expect(scoresOf(texts)).toMatchFileSnapshot("testing/recorded/obfuscated.txt");
});

it("scores jailbreaks inside a long page as recorded", async () => {
  const texts = JAILBREAKS.slice(0, 60).map((jailbreak) => `${PAGE}\n${jailbreak}\n${PAGE}`);
  await expect(scoresOf(texts)).toMatchFileSnapshot("testing/recorded/long-pages.txt");
});
