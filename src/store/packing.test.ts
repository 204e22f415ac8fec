import { expect, test } from "vitest";
import { seededRandom } from "./conformance/harness.ts";
import { packMessage, unpackMessage } from "./packing.ts";

const LONG = 'A sentence that is long enough: "quoted", with \\ and\n🦉 and <b>.';
const OTHER = "What the model thought about, which is in the parts and in the state.";

function packed(text: string, parts: unknown, state: unknown) {
  const whole = { text, parts: JSON.stringify(parts), state: state === null ? null : JSON.stringify(state) };
  const row = packMessage(whole);
  expect(unpackMessage(row)).toEqual({ ...whole, format: row.format });
  return row;
}

test("text that parts and state repeat is stored once", () => {
  const text = LONG.repeat(40);
  const parts = [
    { type: "reasoning", text: OTHER },
    { type: "text", text },
  ];
  const row = packed(text, parts, {
    blocks: [{ type: "reasoning", reasoning: { text: OTHER } }, ...parts.slice(1)],
    text,
  });
  expect(row.format).toBe(2);
  expect(row.parts.length + (row.state?.length ?? 0)).toBeLessThan(300);
  expect(`${row.parts}${row.state}`.split(OTHER)).toHaveLength(2);
});

test("pieces of the text that stand one after the other are references too", () => {
  const text = LONG + OTHER;
  const row = packed(
    text,
    [LONG, OTHER].map((text) => ({ type: "text", text })),
    { text },
  );
  expect(`${row.parts}${row.state}`).not.toContain("sentence");
});

test("a short message stays as older versions read it", () => {
  expect(packed("Hello", [{ type: "text", text: "Hello" }], { text: "Hello" }).format).toBe(1);
});

test("texts that look like references stay what they are, also as keys and inside of others", () => {
  const odd = ["@0", "@@0", "@1+2", '"@0"', '\\"@0"', "@0:", `@${"9".repeat(40)}`, "\\", '\\\\"'];
  packed(LONG, [{ type: "text", text: LONG }, ...odd], {
    ...Object.fromEntries(odd.map((key) => [key, key])),
    odd,
    text: LONG,
    nested: [[], {}, { "@0": LONG }],
  });
});

test("characters that a database would change are not taken from its text", () => {
  for (const character of ["\0", "\ud800"]) {
    const text = `${LONG}${character}`;
    const row = packed(text, [{ type: "text", text }], { text });
    expect(unpackMessage({ ...row, text: "?" }).parts).toBe(JSON.stringify([{ type: "text", text }]));
  }
});

test("random messages come back byte for byte", () => {
  const random = seededRandom(11);
  const words = [LONG, OTHER, "@0", "@3", "@5+6", '"', "\\", "word ", "日本語 ", "🦉", "", "\u2028", "\0"];
  const some = () => words[Math.floor(random() * words.length)] ?? "";
  const said = () => Array.from({ length: Math.floor(random() * 6) }, some).join("");
  for (let round = 0; round < 2_000; round++) {
    const texts = Array.from({ length: Math.floor(random() * 5) }, said);
    const value = () => (random() < 0.6 ? (texts[Math.floor(random() * texts.length)] ?? said()) : said());
    const state = {
      [value()]: value(),
      blocks: texts,
      text: texts.join(""),
      deep: [{ a: [value(), 1, null] }],
    };
    packed(
      texts.join(""),
      texts.map((text) => ({ type: "text", text, more: value() })),
      state,
    );
  }
});
