import { describe, expect, it } from "vitest";
import { createHidingStream, hideInText, hideSecrets, hideSecretsInResult } from "./hide.ts";

const BELOW = "password:\n  hunter2x";
const BELOW_HIDDEN = "password:\n  [secret hidden]";
const OPEN_KEY = "-----BEGIN PRIVATE KEY-----\n";

it("text that imitates the place of a signature gets no signature", () => {
  const text = "\ue0000\ue001 https://host.example/?sig=a8f3c1d9e2b7";
  expect(hideSecrets(text)).toBe("\ue0000\ue001 https://host.example/?sig=[secret hidden]");
});

it.each([
  [JSON.stringify({ text: BELOW }), JSON.stringify({ text: BELOW_HIDDEN })],
  ['{"a": 1}', '{"a": 1}'],
  [`${BELOW} {`, `${BELOW_HIDDEN} {`],
])(
  "JSON is looked at as it was before it was encoded, and is otherwise left as it is: %s",
  async (output, hidden) => {
    expect(await hideSecretsInResult({ output })).toEqual({ output: hidden });
  },
);

it("long JSON is looked at in the same way", async () => {
  const long = "plain words ".repeat(20_000);
  const { output } = await hideSecretsInResult({ output: JSON.stringify({ long, text: BELOW }) });
  expect(output).toBe(JSON.stringify({ long, text: BELOW_HIDDEN }));
  const spaced = `{"long": "${long}"}`;
  expect(await hideSecretsInResult({ output: spaced })).toEqual({ output: spaced });
});

it("the parts of a result have their secrets hidden, and a result without data gets none", async () => {
  const content = [{ type: "text" as const, text: BELOW }];
  expect(await hideSecretsInResult({ output: "", content })).toStrictEqual({
    output: "",
    content: [{ type: "text", text: BELOW_HIDDEN }],
  });
  expect(await hideSecretsInResult({ output: "" })).toStrictEqual({ output: "" });
});

it("a text has its secrets hidden, short or long", async () => {
  expect(await hideInText(BELOW)).toBe(BELOW_HIDDEN);
  // A long text is shown in pieces, so a secret may also hide the end of its line.
  const shown = await hideInText(`${"plain words\n".repeat(2_000)}${BELOW}`);
  expect(shown).not.toContain("hunter2x");
  expect(shown.startsWith("plain words\n".repeat(2_000))).toBe(true);
});

describe("values", () => {
  const hide = async (value: unknown) => (await hideSecretsInResult({ output: "", data: [value] })).data;

  it("stop at a depth of twelve and at ten thousand values", async () => {
    const nest = (depth: number): unknown => (depth === 0 ? "end" : { in: nest(depth - 1) });
    const lists = (depth: number): unknown => (depth === 0 ? "end" : [lists(depth - 1)]);
    for (const make of [nest, lists]) {
      expect(JSON.stringify(await hide(make(11)))).toContain("end");
      expect(JSON.stringify(await hide(make(12)))).toContain("[…]");
    }
    const json = JSON.stringify(await hide(Array.from({ length: 10_000 }, () => ({}))));
    expect(json.match(/\{\}/g)).toHaveLength(9_998);
    expect(json.match(/"\[…\]"/g)).toHaveLength(2);
  });

  it("that are no plain objects stay as they are", async () => {
    const day = new Date(0);
    expect(await hide({ day, none: null, count: 7 })).toEqual([{ day, none: null, count: 7 }]);
    expect(Object(await hide(day))[0]).toBe(day);
  });
});

describe("a stream", () => {
  it("holds back a private key until it ends, and shows what is before it", () => {
    const stream = createHidingStream();
    expect(stream.push(`one\n${OPEN_KEY}QUJD\n`)).toBe("one\n");
    expect(stream.push("A1b2".repeat(4_500))).toBe("");
    expect(createHidingStream().push(`${"line\n".repeat(5_000)}${OPEN_KEY}QUJD`)).toBe(
      "line\n".repeat(5_000),
    );
  });

  it("gives up on a key that is longer than any", () => {
    const stream = createHidingStream();
    expect(stream.push(OPEN_KEY.padEnd(24_000, "A1b2"))).toBe("");
    expect(stream.push("A")).not.toBe("");
  });

  it("shows a long line up to its last whole word", () => {
    const words = "word ".repeat(3_400);
    expect(createHidingStream().push(`${words}sk-par`)).toBe(words);
    expect(createHidingStream().push("a".repeat(17_000))).toHaveLength(17_000);
    expect(createHidingStream().push(`${"word\n".repeat(4_000)}two words`)).toBe("word\n".repeat(4_000));
    expect(createHidingStream().push(`${"word ".repeat(3_200)}`)).toBe("");
  });

  it("hides a secret whose name stands on the line before", () => {
    const stream = createHidingStream();
    const shown = ["password:\n", "  hunter2-is-it\n", "done\n"].map((piece) => stream.push(piece));
    expect(shown.join("") + stream.end()).not.toContain("hunter2");
    expect(shown.at(-1)).toBe("done\n");
  });

  it("shows nothing for nothing", () => {
    const stream = createHidingStream();
    expect(stream.push("")).toBe("");
    expect(stream.end()).toBe("");
    stream.push("rest");
    expect(stream.end()).toBe("rest");
    expect(stream.end()).toBe("");
  });
});
