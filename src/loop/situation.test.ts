import { expect, test } from "vitest";
import type { Message, Part } from "../protocol/messages.ts";
import { inheritable, situationIn, situationOf } from "./situation.ts";

const person = (...parts: Part[]): Message => ({ id: "m", role: "user", parts });
const file = { id: "file_1", name: "notes.txt", mimeType: "text/plain", size: 9 };

test("the person's text counts as their own, and nothing comes from outside", () => {
  const situation = situationOf([person({ type: "text", text: "hello" })], [], []);
  expect(situation).toMatchObject({ outside: [], privateReads: [], personTexts: ["hello"] });
});

test("attached texts and images come from outside, and are not the person's own words", () => {
  const said: Part = { type: "text", text: "summarise" };
  const text: Part = { type: "text", text: "", file };
  expect(situationOf([person(said, text)], [], [])).toMatchObject({
    outside: ["an attached file"],
    personTexts: ["summarise"],
  });
  const image: Part = { type: "image", mimeType: "image/png", fileId: "file_2" };
  expect(situationOf([person(said, image)], [], []).outside).toEqual(["an attached file"]);
});

test("an image that the model made does not come from outside", () => {
  const made: Part = { type: "image", mimeType: "image/png", fileId: "file_2" };
  expect(situationOf([{ id: "a", role: "assistant", parts: [made] }], [], []).outside).toEqual([]);
});

const result = (toolName: string, change: Partial<Extract<Part, { type: "tool_result" }>> = {}): Part => ({
  type: "tool_result",
  toolCallId: toolName,
  toolName,
  success: true,
  output: "",
  trust: "trusted",
  ...change,
});

test("results of earlier turns and of this run count alike, each tool once", () => {
  const before: Message = { id: "a", role: "assistant", parts: [result("old", { trust: "untrusted" })] };
  const now = [result("new", { trust: "untrusted" }), result("new", { trust: "untrusted" })];
  expect(situationOf([before], now)).toEqual({
    outside: ["old", "new"],
    calls: [],
    returned: [],
    workspace: [],
    privateReads: [],
    suspicious: [],
    personTexts: [],
    links: [],
    results: [],
  });
});

test("text from the person's folders is separate from text from elsewhere, even in errors", () => {
  const parts = [
    result("read", { trust: "untrusted", origin: "workspace" }),
    result("fetch", { trust: "untrusted", success: false }),
    result("safe"),
  ];
  expect(situationOf([], parts)).toMatchObject({ outside: ["fetch"], workspace: ["read"] });
});

test("successful reads and changes count as private reads", () => {
  const parts = [
    result("read", { effect: "read" }),
    result("run", { effect: "write" }),
    result("fetch", { effect: "network" }),
    result("think", { effect: "none" }),
    result("failed", { effect: "read", success: false }),
  ];
  expect(situationOf([], parts).privateReads).toEqual(["read", "run"]);
});

test("a labeled result or message is suspicious", () => {
  expect(situationOf([], [result("fetch", { labels: ["instruction"] })], []).suspicious).toEqual(["fetch"]);
  expect(situationOf([], [], ["instruction"]).suspicious).toEqual(["message"]);
  expect(situationOf([], [], []).suspicious).toEqual([]);
});

test("an imported conversation comes from outside, and its questions are not the person's own", () => {
  const asked = person({ type: "text", text: "theirs", origin: "import" });
  const answered: Message = {
    id: "a",
    role: "assistant",
    parts: [{ type: "text", text: "hi", origin: "import" }],
  };
  const mine = person({ type: "text", text: "mine" });
  expect(situationOf([asked, answered, mine], [])).toMatchObject({
    outside: ["an imported conversation"],
    personTexts: ["mine"],
  });
});

test("the assistant's own words are not the person's", () => {
  const said: Message = { id: "a", role: "assistant", parts: [{ type: "text", text: "I said so" }] };
  expect(situationOf([said], [])).toMatchObject({ outside: [], personTexts: [] });
});

test("what the person sent into a run counts as their own words, in this run and in earlier ones", () => {
  const sent = (text: string): Part => ({ type: "text", text, messageId: "msg_9" });
  const earlier: Message = { id: "m1", role: "assistant", parts: [sent("Use example.org.")] };
  const { personTexts, outside } = situationOf(
    [earlier],
    [sent("And example.com."), { type: "text", text: "Said by the model." }],
  );
  expect(personTexts).toEqual(["Use example.org.", "And example.com."]);
  expect(outside).toEqual([]);
});

test("a file that was sent into a run comes from outside", () => {
  const file: Part = { type: "image", mimeType: "image/png", fileId: "f", messageId: "msg_9" };
  expect(situationOf([], [file]).outside).toEqual(["an attached file"]);
});

test("a child run is told what its parent had read, and of its results only the addresses of their own site", () => {
  const situation = {
    ...situationOf([person({ type: "text", text: "hello" })], [], []),
    outside: ["https://a.example"],
    links: ["https://known.example/"],
    results: [
      { source: "https://a.example", text: "See https://a.example/next and https://evil.example/x" },
      { source: "a tool", text: "See https://b.example/" },
    ],
  };
  const told = inheritable(situation);
  expect(told).toMatchObject({ outside: ["https://a.example"], personTexts: ["hello"] });
  expect(told.links).toEqual(["https://a.example/next", "https://known.example/"]);
  for (const field of ["results", "calls", "returned", "newest"]) expect(told).not.toHaveProperty(field);
});

test("a child run adds what it reads itself to what its parent had read, each once", () => {
  const inherited = { ...situationOf([], [], []), outside: ["https://a.example"], personTexts: ["hello"] };
  const { links: _, ...without } = inherited;
  const parts = [result("page", { trust: "untrusted" })];
  const history = [person({ type: "text", text: "written by the parent" })];
  expect(situationIn({ history, inherited: without }, parts, ["instruction"])).toEqual({
    ...situationOf([], parts, ["instruction"]),
    outside: ["https://a.example", "page"],
    personTexts: ["hello"],
  });
});
