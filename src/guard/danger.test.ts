import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Situation } from "../protocol/guard.ts";
import type { Effect, Tool } from "../protocol/tool.ts";
import { toolContext } from "../tools/builtin/testing/context.ts";
import { isFullyRequested, ruleOfTwo } from "./rule-of-two.ts";
import { exampleTool } from "./testing/guarded.ts";

const text = z.string().optional();

/** A tool of a server, unless `source` is taken away. */
function serverTool(name: string, effect: Effect, more: Partial<Tool> = {}): Tool {
  const tool = exampleTool(name, {
    effect,
    retry: "unsafe",
    input: z.object({
      to: text,
      email: text,
      date: text,
      query: text,
      url: text,
      body: text,
      id: text,
      amount: z.number().optional(),
      express: z.boolean().optional(),
      currency: z.string().default("EUR"),
    }),
  });
  return { ...tool, source: "the MCP server bank", ...more };
}

const afterPage: Situation = {
  outside: ["https://shop.example"],
  workspace: [],
  privateReads: [],
  suspicious: [],
  personTexts: ["Pay Bob 10."],
};
const pay = serverTool("bank.pay", "write");
const read = { code: "read_untrusted", values: { sources: "https://shop.example" } };

function dangerOf(tool: Tool, args: object, change: Partial<Situation> = {}) {
  return ruleOfTwo({ tool, args, context: toolContext() }, tool.effect, { ...afterPage, ...change });
}
const codesOf = (...given: Parameters<typeof dangerOf>) =>
  dangerOf(...given)?.because.map(({ code }) => code);

describe("why a person is asked", () => {
  it("is what the call does, what was read, and which words are not the person's", () => {
    expect(dangerOf(pay, { to: "Eve" })).toEqual({
      because: [{ code: "changes" }, read, { code: "not_your_words", values: { words: "“Eve”" } }],
      risk: "high",
    });
    const many = { to: "a", query: "b\n c", url: "d", id: "e", amount: 5 };
    expect(dangerOf(pay, many)?.because[2]).toEqual({
      code: "not_your_words_and_more",
      values: { words: "“a”, “b c”, “d”", count: 2 },
    });
    expect(dangerOf(pay, { to: "a", query: "b", id: "c" })?.because[2]).toEqual({
      code: "not_your_words",
      values: { words: "“a”, “b”, “c”" },
    });
  });

  it("names suspicious sources alone, and private ones besides", () => {
    const suspicious = ["mail", "page"];
    expect(dangerOf(pay, { to: "Eve" }, { suspicious })?.because[1]).toEqual({
      code: "read_suspicious",
      values: { sources: "mail, page" },
    });
    const privateReads = ["files", "notes"];
    expect(dangerOf(pay, { to: "Eve" }, { privateReads, suspicious })?.because[1]).toEqual({
      code: "read_suspicious_and_private",
      values: { sources: "mail, page", private: "files, notes" },
    });
    expect(dangerOf(pay, { to: "Eve" }, { privateReads })?.because[1]).toEqual({
      code: "read_untrusted_and_private",
      values: { sources: "https://shop.example", private: "files, notes" },
    });
  });

  it("is what a call does with its effect", () => {
    const doesOf = (effect: Effect, more: Partial<Tool> = {}) =>
      codesOf(serverTool("bank.pay", effect, more), { to: "Eve", url: "https://evil.example/" })?.[0];
    expect(doesOf("write")).toBe("changes");
    expect(doesOf("write", { lasting: true })).toBe("is_kept");
    expect(doesOf("write", { alsoSends: () => true })).toBe("can_send_out");
    expect(doesOf("network")).toBe("sends_out");
    expect(doesOf("network", { readOnly: true })).toBe("sends_out");
    expect(doesOf("read")).toBe("sends_out");
    expect(doesOf("none")).toBeUndefined();
    expect(doesOf("read", { source: undefined })).toBeUndefined();
    expect(doesOf("write", { outgoing: () => undefined })).toBeUndefined();
    expect(doesOf("write", { outgoing: () => ({ to: "Bob" }) })).toBeUndefined();
  });

  it("is text of the person's own folders only before something leaves or is kept", () => {
    const workspace = { outside: [], workspace: ["notes.md"] };
    const isAsked = (more: Partial<Tool>) =>
      codesOf(serverTool("bank.pay", "write", more), { to: "Eve" }, workspace);
    expect(isAsked({})).toBeUndefined();
    expect(isAsked({ lasting: true })).toBeDefined();
    expect(isAsked({ alsoSends: () => true })).toBeDefined();
    expect(codesOf(pay, { to: "Eve" }, { outside: [], suspicious: ["mail"] })).toBeDefined();
    expect(codesOf(pay, { to: "Eve" }, { outside: [] })).toBeUndefined();
  });
});

describe("words of the person in a place where they cannot have meant them", () => {
  const said = { personTexts: ["Pay Bob 10."] };

  it("are asked about where one word is in two places, and was said once", () => {
    expect(dangerOf(pay, { to: "Bob", query: "Bob" }, said)?.because[2]).toEqual({
      code: "words_misplaced",
      values: { words: "“Bob”", place: "to" },
    });
    const twice = { personTexts: ["Pay Bob 10.", "Tell bob."] };
    expect(dangerOf(pay, { to: "Bob", query: "Bob" }, twice)).toBeUndefined();
    expect(dangerOf(pay, { to: "Bob", query: "Bob", id: "Bob" }, twice)?.because[2]?.code).toBe(
      "words_misplaced",
    );
    expect(dangerOf(pay, { to: "Bob", amount: 10 }, said)).toBeUndefined();
  });

  it("are asked about where they cannot be what the place says", () => {
    expect(codesOf(pay, { email: "Bob" }, said)?.[2]).toBe("words_misplaced");
    expect(codesOf(pay, { date: "Bob" }, said)?.[2]).toBe("words_misplaced");
    expect(codesOf(pay, { date: "10" }, said)).toBeUndefined();
  });

  it("do not matter to our own tools", () => {
    expect(
      codesOf(serverTool("pay", "write", { source: undefined }), { email: "Bob" }, said),
    ).toBeUndefined();
  });
});

describe("the risk", () => {
  const riskOf = (...given: Parameters<typeof dangerOf>) => dangerOf(...given)?.risk;
  const results = [{ source: "the MCP server bank", text: '{"rows":[{"id":"b-77"}]}' }];

  it("is medium where the call does what the person wanted, and only a text or an id is new", () => {
    expect(riskOf(pay, { to: "Bob", body: "Hello." })).toBe("medium");
    expect(riskOf(pay, { to: "Bob", id: "b-77" }, { results })).toBe("medium");
    expect(riskOf(pay, { to: "Bob", id: "b-78" }, { results })).toBe("high");
    expect(riskOf(pay, { to: "Bob", url: "b-77" }, { results })).toBe("high");
    expect(riskOf(pay, { to: "Bob", body: "Hello." }, { suspicious: ["mail"] })).toBe("high");
    expect(riskOf(pay, { body: "Hello." })).toBe("high");
    expect(riskOf(serverTool("bank.delete_all", "write"), { to: "Bob", body: "Hello." })).toBe("high");
    expect(riskOf(pay, { email: "Bob", body: "Hello." })).toBe("high");
    const event = serverTool("bank.pay_bill", "write");
    expect(riskOf(event, { body: "Hello." }, { personTexts: ["Pay the bill."] })).toBe("medium");
  });

  it("is medium for words that only are searched for, and high for an address", () => {
    const find = serverTool("bank.find", "network", { readOnly: true });
    const privateReads = ["files"];
    expect(riskOf(find, { query: "kingfisher" }, { privateReads })).toBe("medium");
    expect(riskOf(find, { url: "https://evil.example/" }, { privateReads })).toBe("high");
  });
});

describe("another program's person", () => {
  const find = serverTool("bank.find", "network", { readOnly: true });
  const args = { url: "https://evil.example/" };

  it("is asked about reads only once private data or suspicious text was read", () => {
    expect(dangerOf(find, args)).toBeDefined();
    expect(dangerOf(find, args, { unheard: true })).toBeUndefined();
    expect(dangerOf(find, args, { unheard: true, privateReads: ["files"] })).toBeDefined();
    expect(dangerOf(find, args, { unheard: true, suspicious: ["mail"] })).toBeDefined();
    expect(dangerOf(pay, { to: "Eve" }, { unheard: true })).toBeDefined();
  });
});

describe("a call is the person's own", () => {
  const isOwn = (args: object, change: Partial<Situation> = {}, tool = pay) =>
    isFullyRequested({ tool, args, context: toolContext() }, { ...afterPage, ...change });

  it("if it does what they asked for with nothing but their values and defaults", () => {
    expect(isOwn({ to: "Bob", amount: 10, currency: "EUR", express: false })).toBe(true);
    expect(isOwn({ to: "Bob", express: true }, { personTexts: ["Pay Bob, express."] })).toBe(true);
    expect(isOwn({ to: "Bob", express: true })).toBe(false);
    expect(isOwn({ to: "Eve" })).toBe(false);
    expect(isOwn({ to: "Bob", amount: 99 })).toBe(false);
    expect(isOwn({ currency: "EUR" })).toBe(false);
    expect(isOwn({ to: "Bob" }, { suspicious: ["mail"] })).toBe(false);
    expect(isOwn({ to: "Bob" }, {}, serverTool("bank.delete", "write"))).toBe(false);
    expect(isOwn({ to: "Eve" }, {}, { ...pay, outgoing: () => ({ to: "Bob" }) })).toBe(true);
  });
});
