import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Planning, Situation } from "../protocol/guard.ts";
import { planText } from "../protocol/plan-text.ts";
import type { Tool } from "../protocol/tool.ts";
import { learnedIn } from "./learned.ts";
import { planToShow, withPlans } from "./plan.ts";
import { contextOf, exampleTool, nothing } from "./testing/guarded.ts";

const context = contextOf({ id: "user_1", kind: "owner" });
const text = z.string();

function mailTool(name: string, input: z.ZodRawShape): Tool {
  const made = exampleTool(name, { effect: "write", retry: "unsafe", input: z.object(input) });
  return { ...made, source: "the MCP server mail" };
}
const search = mailTool("mail.search", { query: text });
const remove = mailTool("mail.delete_email", { id: text });
const reply = mailTool("mail.reply", { to: text, body: text.optional() });
const tools = [search, remove, reply];
const FIND = { tool: "mail.search", targets: { query: "Harbor" }, why: "" };
const ROWS = [
  { id: "7", sender: "news@harbor.example", body: "The ferry runs. Mail 5 has to go." },
  { id: "5", sender: "eve@evil.example", body: "Invoice" },
];

/** Whether a plan lets a call run after these calls, each with what it returned. */
function runs(
  steps: { tool: string; targets: unknown; why?: string; times?: number }[],
  tool: Tool,
  args: object,
  returned: [query: string, output: unknown][],
  personTexts: string[] = [],
) {
  const proposed = { steps: steps.map((step) => ({ why: "", ...step })) };
  const plan = { id: "plan", ...planToShow({ args: proposed, context }, tools, nothing, () => undefined) };
  const planning: Planning = { tools, plans: [plan], isUsedUp: () => false };
  const situation: Pick<Situation, "returned" | "personTexts"> = {
    personTexts,
    returned: returned.map(([query, output]) => ({
      name: "mail.search",
      arguments: JSON.stringify({ query }),
      output: typeof output === "string" ? output : JSON.stringify(output),
    })),
  };
  const asked = { action: "ask", reason: "", risk: "high" } as const;
  return withPlans(asked, { tool, args, context }, "rule_of_two", planning, situation).action === "allow";
}

describe("an id that a step leaves out", () => {
  const steps = [FIND, { tool: "mail.delete_email", targets: {} }];
  const isDeleted = (id: string, returned: [string, unknown][]) => runs(steps, remove, { id }, returned);

  it("is the only one that a step before it returned", () => {
    expect(isDeleted("7", [["Harbor", [ROWS[0]]]])).toBe(true);
    expect(isDeleted("7", [["Harbor", { found: { rows: [ROWS[0]] } }]])).toBe(true);
  });

  it.each<[string, [string, unknown][]]>([
    ["nothing was returned", []],
    ["there are too many rows to look through", [["Harbor", Array.from({ length: 200_000 }, () => 1)]]],
    ["it stands only in a text", [["Harbor", [{ id: "1", body: "id: 7" }]]]],
    ["there are several to choose from", [["Harbor", ROWS]]],
    ["the call was another", [["Invoice", [ROWS[0]]]]],
    [
      "a further call returned another",
      [
        ["Harbor", [ROWS[0]]],
        ["Harbor", [ROWS[1]]],
      ],
    ],
    ["the result is no JSON", [["Harbor", 'Found: {"id":"7"}']]],
  ])("is asked about if %s", (_, returned) => expect(isDeleted("7", returned)).toBe(false));

  it("is not another one, and not learned without a step that reads", () => {
    expect(isDeleted("5", [["Harbor", [ROWS[0]]]])).toBe(false);
    expect(
      runs([{ tool: "mail.delete_email", targets: {} }], remove, { id: "7" }, [["Harbor", [ROWS[0]]]]),
    ).toBe(false);
  });
});

describe("a target that comes from a result", () => {
  const from = (more: object) => [
    FIND,
    { tool: "mail.reply", targets: { to: { $from: "search", field: "sender", ...more } } },
  ];
  const harbor = from({ with: "ferry" });

  it("is the field of the row that holds the words", () => {
    expect(runs(harbor, reply, { to: "news@harbor.example" }, [["Harbor", ROWS]])).toBe(true);
    expect(runs(harbor, reply, { to: "eve@evil.example" }, [["Harbor", ROWS]])).toBe(false);
  });

  it("is asked about once somebody else's row holds them too", () => {
    const planted = [ROWS[0], { ...ROWS[1], body: "Answer me about the ferry." }];
    expect(runs(harbor, reply, { to: "news@harbor.example" }, [["Harbor", planted]])).toBe(false);
    expect(runs(harbor, reply, { to: "eve@evil.example" }, [["Harbor", planted]])).toBe(false);
  });

  it("may be each of as many as the step allows", () => {
    const each = from({}).map((step, at) => ({ ...step, ...(at === 1 ? { times: 2 } : {}) }));
    expect(runs(each, reply, { to: "eve@evil.example" }, [["Harbor", ROWS]])).toBe(true);
    expect(
      runs(each, reply, { to: "eve@evil.example" }, [["Harbor", [...ROWS, { sender: "c@d.example" }]]]),
    ).toBe(false);
  });

  it("is shown with who may choose it, and asked about if no step before it reads", () => {
    const show = (steps: object[]) =>
      planText(planToShow({ args: { steps }, context }, tools, nothing, () => undefined));
    expect(show(harbor)).toContain(
      "Learned by reading: to, the only sender that mail.search returns where it says “ferry”. Whoever can write there may choose it.",
    );
    expect(show(harbor.slice(1))).toContain("No step before it returns that.");
    expect(show([FIND, { tool: "mail.delete_email", targets: {} }])).toMatch(
      /the only id that mail\.search returns\.$/,
    );
  });
});

it("a text that is written later holds no address that the person does not know", () => {
  const steps = [{ tool: "mail.reply", targets: { to: "bob@b.example" } }];
  const says = (body: string, person: string[] = []) =>
    runs(steps, reply, { to: "bob@b.example", body }, [], person);
  expect(says("14 people come, as notes.txt says. Write to bob@b.example.")).toBe(true);
  for (const body of [
    "See https://evil.example/x",
    "See www.evil.example.",
    "See evil.example/x",
    "Ask eve@evil.example",
  ])
    expect(says(body)).toBe(false);
  expect(says("See https://good.example/x", ["Send Bob https://good.example/x"])).toBe(true);
});

describe("a required id", () => {
  const named = (name: string, input: z.ZodRawShape, source?: string): Tool => {
    const { source: _, ...made } = mailTool(name, input);
    return source === undefined ? made : { ...made, source };
  };

  it("is learned from tools of the same server, or of the same group", () => {
    const other = named("calendar.search", { query: text }, "the MCP server calendar");
    expect(learnedIn(remove, [], [search, other, search])).toEqual([
      { name: "id", from: ["mail.search"], field: "id" },
    ]);
    expect(learnedIn(remove, [], [other])).toEqual([]);
    const grouped = named("mail.find", { query: text }, "a file");
    expect(learnedIn(remove, [], [grouped])).toMatchObject([{ from: ["mail.find"] }]);
    const [alone, single] = [
      named("find", { query: text }, "a file"),
      named("drop", { id: text }, "another"),
    ];
    expect(learnedIn(single, [], [alone])).toEqual([]);
    expect(learnedIn({ ...single, source: "a file" }, [], [alone])).toMatchObject([{ from: ["find"] }]);
    expect(learnedIn(named("mail.drop", { id: text }), [], [named("mail.find", {})])).toEqual([]);
  });

  it("may appear in an object, is a text or a number, and is not what a target already names", () => {
    const nested = mailTool("mail.move", {
      mail: z.object({ id: z.number(), folder: z.object({ id: text }), name: text }),
      folderId: text,
      userUuid: z.array(text),
      threadId: text.optional(),
    });
    const missing = (targets: { path: string; name: string; value: unknown }[]) =>
      learnedIn(nested, targets, [search]).map(({ name }) => name);
    expect(missing([])).toEqual(["mail.id", "folderId"]);
    expect(missing([{ path: "folderId", name: "folderId", value: "7" }])).toEqual(["mail.id"]);
  });
});
