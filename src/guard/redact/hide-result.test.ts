import { describe, expect, it } from "vitest";
import { hideSecretsInResult } from "./hide.ts";
import { OWN_KEYS } from "./testing/secrets.ts";

const [key = "", other = ""] = OWN_KEYS;
const HIDDEN = "[key hidden]";
const LONG = "plain words ".repeat(20_000);

describe("the result of a call", () => {
  it("has its secrets hidden in the output, in the data and in its parts", async () => {
    const result = {
      output: `is ${key}`,
      data: { text: `is ${key}`, inner: { list: [key, 7] }, none: null },
    };
    expect(await hideSecretsInResult(result)).toEqual({
      output: `is ${HIDDEN}`,
      data: { text: `is ${HIDDEN}`, inner: { list: [HIDDEN, 7] }, none: null },
    });
    expect(await hideSecretsInResult({ output: "", data: [key] })).toEqual({ output: "", data: [HIDDEN] });
    expect(await hideSecretsInResult({ output: "", data: key })).toEqual({ output: "", data: HIDDEN });
    expect(await hideSecretsInResult({ output: "fine" })).toEqual({ output: "fine" });
  });

  it("keeps the fields of its data that repeat an argument, in their order, and no others", async () => {
    const code = `call("${key}")`;
    const data = { before: `is ${other}`, code, count: 7, after: `is ${key}` };
    const { data: shown } = await hideSecretsInResult({ output: code, data }, { code, count: 7 });
    expect(shown).toEqual({ before: `is ${HIDDEN}`, code, count: 7, after: `is ${HIDDEN}` });
    expect(Object.keys(Object(shown))).toEqual(["before", "code", "count", "after"]);
    const { data: unknown } = await hideSecretsInResult({ output: "", data: { code } }, [code]);
    expect(unknown).toEqual({ code: `call("${HIDDEN}")` });
  });

  it("is checked as a whole, however long it is", async () => {
    const long = `${LONG}${key}`;
    const hidden = `${LONG}${HIDDEN}`;
    const result = await hideSecretsInResult({ output: long, data: { long, short: key } });
    expect(result).toEqual({ output: hidden, data: { long: hidden, short: HIDDEN } });
    expect(await hideSecretsInResult({ output: "", data: long })).toEqual({ output: "", data: hidden });
    const json = JSON.stringify({ long, short: key });
    const { output } = await hideSecretsInResult({ output: json });
    expect(JSON.parse(output)).toEqual({ long: hidden, short: HIDDEN });
  });

  it.each([
    ["a text", { output: "password: ".repeat(15_000) }],
    [
      "many texts",
      { output: "", data: Array.from({ length: 30 }, (_, at) => "password: ".repeat(500 + at)) },
    ],
  ])("of %s is checked in slices, between which others get their turn", async (_, result) => {
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await hideSecretsInResult(result);
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(2);
  });
});
