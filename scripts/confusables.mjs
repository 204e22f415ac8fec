// Generates src/guard/confusables.generated.ts: node scripts/confusables.mjs <confusables.txt of UTS #39>
import { readFileSync, writeFileSync } from "node:fs";

const [source] = process.argv.slice(2);
if (!source) {
  console.error("Pass the path of confusables.txt from the Unicode security data.");
  process.exit(2);
}

/** Pairs of letters that look like one letter. */
const PAIRS = { rn: "m", vv: "w" };

/** Look-alikes that UTS #39 does not list, although people use them for each other. */
const ALSO = {
  a: "ᴀдλ",
  b: "ʙвьъ",
  c: "ᴄ¢",
  d: "ᴅ",
  e: "ᴇєэз€",
  f: "ꜰ",
  g: "ɢ",
  h: "ʜн",
  i: "ɪ",
  j: "ᴊ",
  k: "ᴋкκ",
  l: "ʟ£",
  m: "ᴍм",
  n: "ɴпηи",
  o: "ᴏ",
  p: "ᴘ",
  r: "ʀя",
  t: "ᴛтτ",
  u: "ᴜцμ",
  v: "ᴠ",
  w: "ᴡωшщ",
  x: "ж",
  y: "ʏ¥",
  z: "ᴢ",
};

const sources = new Map();
for (const line of readFileSync(source, "utf8").split("\n")) {
  const [from, to] = line.split("#")[0].split(";");
  if (!to) continue;
  const letter = Number.parseInt(from, 16);
  const prototype = String.fromCodePoint(
    ...to
      .trim()
      .split(" ")
      .map((code) => Number.parseInt(code, 16)),
  );
  const plain = prototype.normalize("NFD").replace(/\p{M}/gu, "");
  const target = (PAIRS[plain] ?? plain).toLowerCase();
  if (letter > 0x7f && /^[\x21-\x7e]$/.test(target)) add(target, letter);
}
for (const [target, letters] of Object.entries(ALSO))
  for (const letter of letters) add(target, letter.codePointAt(0));

function add(target, letter) {
  const letters = sources.get(target) ?? new Set();
  if (![...sources.values()].some((others) => others.has(letter))) sources.set(target, letters.add(letter));
}

const rows = [...sources]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([target, letters]) => {
    const sorted = [...letters].sort((a, b) => a - b);
    const steps = sorted.map((letter, at) => (letter - (sorted[at - 1] ?? 0)).toString(36));
    return `  [${JSON.stringify(target)}, "${steps.join(" ")}"],`;
  });

writeFileSync(
  new URL("../src/guard/confusables.generated.ts", import.meta.url),
  `// Made by scripts/confusables.mjs from the Unicode security data (UTS #39); do not edit.

/** Each ASCII character with the letters that look like it: code points as steps from one to the next, base 36. */
export const LOOK_ALIKES: readonly (readonly [string, string])[] = [
${rows.join("\n")}
];
`,
);
