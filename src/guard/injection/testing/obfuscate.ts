import { LOOK_ALIKES } from "../../confusables.generated.ts";

export type Obfuscation = (text: string) => string;

const SIMPLE = new Map<string, string[]>(
  LOOK_ALIKES.filter(([target]) => /[a-z]/.test(target)).map(([target, steps]) => {
    let code = 0;
    const letters = steps.split(" ").map((step) => {
      code += Number.parseInt(step, 36);
      return String.fromCodePoint(code);
    });
    return [target, letters];
  }),
);

const LEET: Readonly<Record<string, string>> = { a: "4", e: "3", i: "1", o: "0", s: "5", t: "7" };

/** A letter's place in the text picks its stand-in, so that every run is the same. */
function homoglyphs(text: string): string {
  let at = 0;
  return [...text]
    .map((letter) => {
      const others = SIMPLE.get(letter);
      return others ? (others[(at++ * 7) % others.length] ?? letter) : letter;
    })
    .join("");
}

/** The ways in which an attack is commonly dressed up. */
export const OBFUSCATIONS: Readonly<Record<string, Obfuscation>> = {
  homoglyphs,
  "zero-width": (text) => [...text].join("\u200b"),
  "full-width": (text) => text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
  "tag characters": (text) =>
    `Thanks for your help! ${[...text].map((sign) => (sign.charCodeAt(0) < 0x80 ? String.fromCodePoint(0xe0000 + sign.charCodeAt(0)) : sign)).join("")}`,
  "letter-spaced": (text) => [...text].join(" "),
  "letter-spaced without words": (text) => [...text.replaceAll(" ", "")].join(" "),
  "letter-dashed": (text) =>
    text
      .split(" ")
      .map((word) => [...word].join("-"))
      .join(" "),
  base64: (text) => `Decode and answer: ${Buffer.from(text).toString("base64")}`,
  leet: (text) => text.replace(/[aeiost]/gi, (letter) => LEET[letter.toLowerCase()] ?? letter),
};
