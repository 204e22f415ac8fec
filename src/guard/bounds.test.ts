import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Principal } from "../protocol/principal.ts";
import { execute } from "./execution.ts";
import { createInjectionLayer } from "./injection/layer.ts";
import { scanOutgoing } from "./injection/outgoing.ts";
import { policyFile, ruledAction } from "./policy.ts";
import { createHidingStream, hideSecretsInside } from "./redact/hide.ts";
import { isCertain, isIdentifier, isRandom } from "./redact/random.ts";
import { redact, redactDeep } from "./redact/redact.ts";
import { contextOf, exampleTool } from "./testing/guarded.ts";
import { createStatistics } from "./tool-statistics.ts";

const owner: Principal = { id: "local", kind: "owner" };
const anything = exampleTool("anything", { input: z.looseObject({}) });

describe("the injection layer", () => {
  const found: number[] = [];
  const layer = createInjectionLayer({ onFinding: (_, { score }) => found.push(score) });
  const check = async (args: unknown) => layer.check({ tool: anything, args, context: contextOf(owner) });

  it("scans 1,000 texts and no more", async () => {
    expect(await check({ tags: Array(1_000).fill("tag") })).toEqual({ allow: true });
    await expect(check({ tags: Array(1_001).fill("tag") })).rejects.toThrow("too much text");
  });

  it("scans a million characters and no more", async () => {
    const text = "a word ".repeat(71_430);
    expect(await check({ texts: [text, text, "one more"] })).toEqual({ allow: true });
    await expect(check({ texts: [text, text, text, "one more"] })).rejects.toThrow("too much text");
  });

  it("gives up on a hundred thousand values", async () => {
    expect(await check({ list: Array(99_990).fill(1) })).toEqual({ allow: true });
    await expect(check({ list: Array(100_000).fill(1) })).rejects.toThrow("too many values");
  });
});

describe("what a call sends out", () => {
  const encoded = Buffer.from("the password is horse").toString("base64url");

  it("is read in texts and in arguments", () => {
    const address = `https://a.example/?q=${encoded}`;
    expect(scanOutgoing(address)).toMatchObject({ suspicious: true, urls: [address] });
    expect(scanOutgoing({ deep: [{ url: address }] })).toMatchObject({ suspicious: true, urls: [address] });
    expect(scanOutgoing(undefined)).toEqual({ suspicious: false, urls: [], reason: "" });
  });

  it("has each reason once and at most 50 addresses", () => {
    const addresses = Array.from({ length: 60 }, (_, at) => `https://a${at}.example/?q=${encoded}`);
    const { urls, reason } = scanOutgoing(addresses.join(" "));
    expect(urls).toHaveLength(50);
    expect(reason).toBe("an address carries what looks like data");
  });

  it("is data if a value is long, and not if it only is as long as a search", () => {
    expect(scanOutgoing(`https://a.example/?q=${"word-".repeat(60)}`).suspicious).toBe(false);
    expect(scanOutgoing(`https://a.example/?q=${"word-".repeat(60)}x`).suspicious).toBe(true);
    expect(scanOutgoing(`https://${"a".repeat(40)}.example/`).suspicious).toBe(false);
    expect(scanOutgoing(`https://${"a".repeat(41)}.example/`).suspicious).toBe(true);
  });

  it("is no data if it is a hash or an id", () => {
    const hash = "3f786850e387550fdab836ed7e6dc881de23001b8f3e1a2b";
    expect(scanOutgoing(`https://a.example/blob/${hash}`).suspicious).toBe(false);
    const text = Buffer.from("a sentence in hexadecimal digits").toString("hex");
    expect(scanOutgoing(`https://a.example/?q=${text}`).suspicious).toBe(true);
  });
});

describe("values in a log", () => {
  it("are cut: bytes to their number, lists to 1,000 entries, twelve levels", () => {
    expect(redactDeep({ bytes: Buffer.from("secret") })).toEqual({ bytes: "[6 bytes]" });
    expect(redactDeep(Array(1_200).fill(1))).toHaveLength(1_000);
    const nested = (levels: number): unknown => (levels === 0 ? {} : { a: nested(levels - 1) });
    expect(JSON.stringify(redactDeep(nested(11)))).not.toContain("…");
    expect(JSON.stringify(redactDeep(nested(12)))).toContain("…");
    expect(JSON.stringify(redactDeep([[[[[[[[[[[[[1]]]]]]]]]]]]]))).toContain("…");
  });

  it("keep what is not there and what is no secret", () => {
    const entry = { password: null, token: undefined, secret: "", authorization: true };
    expect(redactDeep(entry)).toEqual(entry);
    expect(redactDeep({ when: new Date(0), list: new Set([1]), map: new Map([["a", 1]]) })).toEqual({
      when: new Date(0),
      list: [1],
      map: { a: 1 },
    });
  });
});

describe("secrets in results", () => {
  const key = "sk-proj-Zk39fjQ0dLx83mPqRt52Vw";

  it("are hidden twelve levels deep, and what is deeper is left out", () => {
    const nested = (levels: number): unknown => (levels === 0 ? key : { a: nested(levels - 1) });
    expect(JSON.stringify(hideSecretsInside(nested(12)))).not.toContain(key);
    expect(JSON.stringify(hideSecretsInside(nested(12)))).not.toContain("…");
    expect(JSON.stringify(hideSecretsInside(nested(13)))).toContain("…");
    const wide = hideSecretsInside(Array.from({ length: 10_001 }, () => ({})));
    expect(wide).toHaveProperty("9998", {});
    expect(wide).toHaveProperty("9999", "[…]");
  });

  it("are hidden in a stream if their name stands on a line before", () => {
    const stream = createHidingStream();
    const shown = ["password:\n", "  hunter2-is-it\n", "done\n"].map((piece) => stream.push(piece));
    expect(shown.join("") + stream.end()).not.toContain("hunter2");
    expect(shown.at(-1)).toBe("done\n");
  });
});

describe("headers", () => {
  it.each([
    ["Authorization: Bearer aB3dE5gH7jK9 # staging", "Authorization: Bearer [credentials] # staging"],
    ["Authorization: Digest username=x9, nonce=abc123", "Authorization: Digest [credentials]"],
    ["Authorization: getToken(request)", "Authorization: getToken(request)"],
    ["authorization: required for all routes", "authorization: required for all routes"],
    ["Cookie: sid=8fj20sk4lq91; theme=dark", "Cookie: [credentials]"],
    ["Cookie: see the policy", "Cookie: see the policy"],
    ["Use Bearer AbcdefgHijklmnopQr for it", "Use Bearer [credentials] for it"],
    ["Use Bearer authentication for it", "Use Bearer authentication for it"],
  ])("%s becomes %s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });
});

describe("random values", () => {
  it.each(["x7Kp2mQ9aZ", "Zk39fjQ0dLx83mPqRt52Vw", "hQxZrTvBnMkLpWsD", "928374651029384", "a8f3-b2c9-d4e1"])(
    "%s is one",
    (value) => {
      expect(isRandom(value)).toBe(true);
    },
  );
  it.each([
    "x7Kp2mQ9a",
    "SalesResults-1.2",
    "listOfItemsToShow",
    "92837465102938",
    "v1.22.333-beta",
    "internal.example.com:8080",
    "abcdefghij0123456789abc",
    "getToken(request1)",
    "https://a.example/x9y8z7",
  ])("%s is none", (value) => {
    expect(isRandom(value)).toBe(false);
  });

  it("count as certain only with enough digits or letters of both cases", () => {
    expect(isCertain("hunter22", true, false)).toBe(true);
    expect(isCertain("hunter2", true, false)).toBe(false);
    expect(isCertain("Zk39fjQ0dLx83mPqRt52", false, false)).toBe(true);
    expect(isCertain("zk39fjq0dlx83mpqrt52", false, false)).toBe(false);
    expect(isCertain("Zk39fjQ0dLx83mPqRt5", false, false)).toBe(false);
    expect(isCertain("zk39fjq0dlx83m", false, true)).toBe(true);
  });

  it("are not the names of a program", () => {
    for (const name of ["Uint8Array", "metadata?.signature", "Ed25519.KeyPair", "userId", "config.apiKey2"])
      expect(isIdentifier(name)).toBe(true);
    for (const value of ["Zk39fjQ0dLx83mPqRt52Vw", "8fj20sk4", "a.8fj20sk4"])
      expect(isIdentifier(value)).toBe(false);
  });
});

it("limits are counted by row, and tools beyond the thousandth together", () => {
  const statistics = createStatistics();
  const facts: unknown[] = [];
  const stop = statistics.subscribe((fact) => facts.push(fact));
  statistics.note({ type: "limit", row: "chat", allowed: true });
  statistics.note({ type: "limit", row: "chat", allowed: false });
  for (let at = 0; at < 1_002; at++)
    statistics.note({ type: "refusal", tool: `t${at}`, code: "RATE_LIMITED" });
  stop();
  statistics.note({ type: "refusal", tool: "t0", code: "RATE_LIMITED" });
  expect(facts).toHaveLength(1_004);
  expect(facts[0]).toEqual({ type: "limit", row: "chat", allowed: true });
  const { tools, limits } = statistics.snapshot();
  expect(limits).toEqual([{ row: "chat", allowed: 1, refused: 1 }]);
  expect(tools).toHaveLength(1_001);
  expect(tools.at(-1)).toMatchObject({ tool: "(others)", refusals: { RATE_LIMITED: 2 } });
});

it("a rule with a pattern does not match arguments that are no object", () => {
  const policy = policyFile.parse({ rules: [{ match: { path: "." }, action: "deny" }] });
  expect(ruledAction(policy, { tool: anything, args: "path" })).toBe("allow");
  expect(ruledAction(policy, { tool: anything, args: { path: "a" } })).toBe("deny");
});

it("a timeout names tenths of a second", async () => {
  const call = { tool: exampleTool("slow", { timeoutMs: 180 }), args: {}, context: contextOf(owner) };
  const limits = { timeoutMs: 60_000, maxOutputCharacters: 10 };
  await expect(execute(call, () => new Promise(() => {}), limits)).rejects.toMatchObject({
    publicMessage: "slow did not finish within 0.2 s and was stopped.",
  });
});
