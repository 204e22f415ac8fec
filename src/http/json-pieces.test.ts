import { describe, expect, it } from "vitest";
import { buildFromPieces, cutJson } from "./json-pieces.ts";
import { checkShape } from "./json-shape.ts";
import { parseLargeJson } from "./large-json.ts";

const ANY = { depth: 100, keys: 1e6, values: 2e6 };
const big = "x".repeat(100_000);

async function rebuilt(text: string): Promise<unknown> {
  const bytes = Buffer.from(text);
  return buildFromPieces(bytes, cutJson(bytes, ANY));
}

describe("a large JSON text that is built from pieces", () => {
  it.each<[string, string]>([
    ["a number", "17"],
    ["a short text", '  "a\\u0062" '],
    ["a long text", JSON.stringify(big)],
    ["a long text with escapes", JSON.stringify(`${big}\n"\\é😀`)],
    ["a long list of small values", JSON.stringify(Array.from({ length: 60_000 }, (_, at) => [at, { at }]))],
    [
      "many keys",
      JSON.stringify(Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k ${at}`, at]))),
    ],
    [
      "long and short members in turn",
      JSON.stringify({ a: 1, b: big, c: [1, big, {}, [], big, null], d: { e: { f: big } }, g: true }),
    ],
    ["space everywhere", JSON.stringify({ a: [1, big, { b: [] }], c: {} }, null, 3)],
    ["a key twice", `{"a":1,"b":"${big}","a":2,"b":3}`],
    ["a key that would be a prototype", `{"__proto__":{"x":1},"b":"${big}","c":{"__proto__":"${big}"}}`],
  ])("is what JSON.parse makes of %s", async (_, text) => {
    const value = await rebuilt(text);
    expect(value).toEqual(JSON.parse(text));
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.hasOwn({}, "x")).toBe(false);
  });

  it("comes through a worker, which refuses what is broken, too deep or too much", async () => {
    const text = JSON.stringify({ list: Array.from({ length: 50_000 }, (_, at) => ({ at, text: "déjà" })) });
    const send = (body: string, bounds = ANY) => parseLargeJson(new Uint8Array(Buffer.from(body)), bounds);
    expect(await send(text)).toEqual(JSON.parse(text));
    await expect(send(text.slice(0, -1))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(send("[".repeat(5_000) + "]".repeat(5_000))).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    await expect(send(text, { ...ANY, keys: 1_000 })).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(await Promise.all(Array.from({ length: 6 }, () => send(text)))).toHaveLength(6);
  });
});

describe("the shape of a JSON text", () => {
  const bounds = { depth: 10, keys: 100, values: 200 };
  it.each<[string, string, string | undefined]>([
    ["signs inside texts", JSON.stringify({ a: '[{,:\\"'.repeat(500) }), undefined],
    ["ten levels", "[".repeat(10) + "]".repeat(10), undefined],
    ["eleven levels", "[".repeat(11) + "]".repeat(11), "INVALID_INPUT"],
    ["lists without end", "[".repeat(1_000_000), "INVALID_INPUT"],
    ["a million empty lists", `[${"[],".repeat(999_999)}[]]`, "TOO_LARGE"],
    ["101 keys", `{${Array.from({ length: 101 }, () => '"a":1').join(",")}}`, "TOO_LARGE"],
    ["a text that never ends", `"${"\\".repeat(9_999)}`, undefined],
  ])("is counted before anything is built: %s", (_, text, code) => {
    const check = () => checkShape(Buffer.from(text), bounds);
    if (code === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code }));
  });
});
