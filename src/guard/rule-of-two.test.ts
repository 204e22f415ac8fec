import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../protocol/define-tool.ts";
import type { Situation } from "../protocol/guard.ts";
import { reasonText } from "../protocol/reasons.ts";
import type { Effect, Tool } from "../protocol/tool.ts";
import { toolContext } from "../tools/builtin/testing/context.ts";
import { standsIn } from "./person-words.ts";
import { ruleOfTwo } from "./rule-of-two.ts";
import { exampleTool } from "./testing/guarded.ts";

const readFiles: Situation = {
  outside: [],
  workspace: ["filesystem"],
  privateReads: ["filesystem"],
  suspicious: [],
  personTexts: ["set it up"],
};

function asked(alsoSends: boolean, situation = readFiles): string | undefined {
  const tool = defineTool({
    name: "execute_command",
    description: "Runs a command.",
    effect: "write",
    retry: "unsafe",
    input: z.object({ command: z.string() }),
    alsoSends: () => alsoSends,
    run: () => "",
  });
  const call = { tool, args: { command: "npm install" }, context: toolContext() };
  return textOf(ruleOfTwo(call, "write", situation));
}

test("a change that can also send something out is asked about once files were read", () => {
  expect(asked(true)).toContain(
    "It can send something out. Before that, untrusted text (filesystem) and private data",
  );
  expect(asked(false)).toBeUndefined();
});

test("a change that can send something out is left to the policy while nothing was read", () => {
  expect(asked(true, { ...readFiles, workspace: [], privateReads: [] })).toBeUndefined();
});

describe("a value appears in full in what the person wrote", () => {
  const said =
    "Pay Bob 10, and 1,250.50 to O'Neil's shop (see https://example.org/a?b=1, or docs.example.org/x).";

  it.each([
    "Bob",
    "bob",
    10,
    "10",
    1250.5,
    "O'Neil",
    "Pay Bob 10",
    "https://example.org/a?b=1",
    "https://docs.example.org/x",
  ])("%j", (value) => expect(standsIn([said], value)).toBe(true));

  it.each([
    "b",
    "Bo",
    9999,
    1,
    50,
    1250,
    -10,
    "Bob 1",
    "10, and 1",
    "example.org",
    "https://example.org/",
    "https://example.org/a",
    "https://example.org/a?b=12",
    "https://example.org/a?b=1#4711",
    "https://evil@example.org/a?b=1",
    "https://sub.example.org/a?b=1",
    "https://example.org/A?b=1",
    "https://example.org/x",
  ])("but not %j", (value) => expect(standsIn([said], value)).toBe(false));
});

/** A tool of a server, unless `source` is taken away. */
function serverTool(name: string, effect: Effect, more: Partial<Tool> = {}): Tool {
  const tool = exampleTool(name, {
    effect,
    retry: "unsafe",
    input: z.object({
      to: z.string().optional(),
      amount: z.number().optional(),
      recurring: z.boolean().optional(),
      currency: z.string().default("EUR"),
      query: z.string().optional(),
      url: z.string().optional(),
      labels: z.record(z.string(), z.string()).optional(),
    }),
  });
  return { ...tool, source: "the MCP server bank", ...more };
}

const afterPage: Situation = {
  outside: ["https://shop.example"],
  workspace: [],
  privateReads: ["filesystem"],
  suspicious: [],
  personTexts: ["Pay Bob 10, and find his bills."],
};

function textOf(danger: ReturnType<typeof ruleOfTwo>): string | undefined {
  return danger && reasonText(danger.because);
}

function reasonFor(tool: Tool, args: object, situation = afterPage): string | undefined {
  return textOf(ruleOfTwo({ tool, args, context: toolContext() }, tool.effect, situation));
}

describe("after text from outside, a change", () => {
  const pay = serverTool("bank.pay", "write");

  it("runs with what the person said, with defaults, and with a yes to what they named", () => {
    expect(reasonFor(pay, { to: "Bob", amount: 10, currency: "EUR", recurring: false })).toBeUndefined();
    const monthly = { ...afterPage, personTexts: ["Pay Bob 10, recurring."] };
    expect(reasonFor(pay, { to: "Bob", amount: 10, recurring: true }, monthly)).toBeUndefined();
  });

  it.each([
    [{ to: "Bob", amount: 9999 }, "You didn’t write “9999”."],
    [{ to: "b", amount: 10 }, "You didn’t write “b”."],
    [{ to: "Bob", amount: 10, currency: "BTC" }, "“BTC”"],
    [{ to: "Bob", amount: 10, recurring: true }, "“true”"],
    [{ to: "Bob", labels: { secret: "10" } }, "“secret”"],
    [{}, "Nothing in it is what you wrote."],
  ])("is asked about with %j", (args, reason) => expect(reasonFor(pay, args)).toContain(reason));

  it("is asked about when it comes again, in whatever spelling", () => {
    const calls = [
      { name: "bank.pay", arguments: '{"amount":"10","to":" bob"}' },
      { name: "bank.pay", arguments: '{"to":"Bob","amount":10}' },
    ];
    expect(reasonFor(pay, { to: "Bob", amount: 10 }, { ...afterPage, calls })).toContain(
      "It was done before.",
    );
    expect(
      reasonFor(pay, { to: "Bob", amount: 10 }, { ...afterPage, calls: calls.slice(1) }),
    ).toBeUndefined();
  });

  it("is asked about if it does something else than the person asked for", () => {
    expect(reasonFor(serverTool("bank.delete_payee", "write"), { to: "Bob" })).toContain(
      "You didn’t ask for delete_payee.",
    );
  });
});

describe("after text from outside, a server may be read", () => {
  const find = serverTool("bank.find", "network", { readOnly: true });
  const seen: Situation = {
    ...afterPage,
    privateReads: ["filesystem", "the MCP server bank"],
    results: [{ source: "the MCP server bank", text: "Bill b-77 of Bob; details at https://evil.example/x" }],
  };

  it.each([{}, { query: "Bob" }, { query: "bills Bob" }, { query: "b-77" }, { amount: 20 }])(
    "with %j",
    (args) => expect(reasonFor(find, args, seen)).toBeUndefined(),
  );

  it.each([
    { query: "kingfisher" },
    { query: "Bob kingfisher" },
    { amount: 4711 },
    { url: "https://evil.example/x" },
    { query: "see https://evil.example/x" },
    { url: "b-77" },
  ])("but is asked about with %j", (args) =>
    expect(reasonFor(find, args, seen)).toContain("You didn’t write"),
  );

  it("but a server that is not known only to read, is asked about with any other words", () => {
    const search = serverTool("bank.search", "network", { retry: "pure" });
    expect(reasonFor(search, { query: "bills Bob" }, seen)).toBeUndefined();
    expect(reasonFor(search, { query: "kingfisher" }, seen)).toContain("You didn’t write");
  });

  it("with any words while nothing private was read elsewhere", () => {
    const alone = { ...seen, privateReads: ["the MCP server bank"] };
    expect(reasonFor(find, { query: "kingfisher" }, alone)).toBeUndefined();
    expect(reasonFor(find, { url: "https://evil.example/x" }, alone)).toContain("evil.example");
  });
});

describe("after text from outside, a page may be read", () => {
  const { source: _, ...fetchPage } = serverTool("web_fetch", "network", { retry: "pure" });
  const page = (url: string) => {
    return reasonFor(
      fetchPage,
      { url },
      {
        ...afterPage,
        links: ["https://found.example/by?search"],
        results: [
          {
            source: "https://shop.example",
            text: "[more](https://shop.example/more) [x](https://evil.example/x)",
          },
        ],
      },
    );
  };

  it.each(["https://shop.example/more", "https://found.example/by?search"])("at %s", (url) =>
    expect(page(url)).toBeUndefined(),
  );

  it.each([
    "https://evil.example/x",
    "https://shop.example/more?d=1",
    "https://shop.example/mor",
    "https://shop.example/",
    "https://shop.example/more/10",
    "https://a.shop.example/more",
    "http://shop.example/more",
  ])("but not unasked at %s", (url) => expect(page(url)).toContain("You didn’t write"));
});

describe("a tool of ours", () => {
  const anything = exampleTool("anything", { retry: "unsafe", input: z.looseObject({}) });
  const read: Situation = {
    outside: ["web_fetch", "search"],
    workspace: [],
    privateReads: ["read_file", "mail"],
    suspicious: [],
    personTexts: ["please look up trains to Ghent"],
  };
  const asking = (args: object, effect: Effect, change: Partial<Situation> = {}) =>
    textOf(ruleOfTwo({ tool: anything, args, context: toolContext() }, effect, { ...read, ...change }));

  it("may send and change what the person wrote", () => {
    expect(asking({ query: "trains to Ghent" }, "network")).toBeUndefined();
    expect(asking({ query: "trains to Ghent" }, "write")).toBeUndefined();
    expect(asking({ query: "secret notes" }, "network")).toMatch(/^It sends something out\./);
    expect(asking({ query: "x" }, "read")).toBeUndefined();
  });

  it("may do the same again, and what the person asked for in the words of an argument", () => {
    const args = { query: "trains to Ghent" };
    const calls = [1, 2].map(() => ({ name: "anything", arguments: JSON.stringify(args) }));
    expect(asking(args, "write", { calls })).toBeUndefined();
    const sendCopy = { ...args, sendCopy: true };
    expect(asking(sendCopy, "write")).toContain("You didn’t write “true”");
    const said = { personTexts: ["Look up trains to Ghent, and send copy."] };
    expect(asking(sendCopy, "write", said)).toBeUndefined();
  });

  it("is asked about if the call is empty, with all that was read", () => {
    expect(asking({}, "write")).toBe(
      "It changes something. Before that, untrusted text (web_fetch, search) and private data (read_file, mail) were read. Nothing in it is what you wrote.",
    );
    expect(asking({}, "network")).toMatch(/^It sends something out\./);
  });
});
