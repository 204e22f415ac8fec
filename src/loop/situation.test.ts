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

test("a summary stands for what it replaced: its taint, and the words that it quotes", () => {
  const taint = { outside: ["web"], workspace: ["dir"], privateReads: ["mail"], suspicious: ["web"] };
  const quotes = [{ text: "Never.", rank: 3 }];
  const now = [result("web", { trust: "untrusted", labels: ["odd"], effect: "read" })];
  expect(situationOf([person({ type: "text", text: "Go." })], now, [], { taint, quotes })).toMatchObject({
    outside: ["web"],
    workspace: ["dir"],
    privateReads: ["mail", "web"],
    suspicious: ["web"],
    personTexts: ["Never.", "Go."],
  });
});

test("results count under their sources, with the addresses they vouch for and what they said", () => {
  const parts = [
    result("fetch", {
      trust: "untrusted",
      sources: ["a.example", "b.example"],
      links: ["https://a.example/1"],
      output: "A",
    }),
    result("search", { trust: "untrusted", sources: [], links: ["https://c.example/"], labels: ["odd"] }),
  ];
  expect(situationOf([], parts)).toMatchObject({
    outside: ["a.example", "b.example", "search"],
    suspicious: ["search"],
    privateReads: [],
    links: ["https://a.example/1", "https://c.example/"],
    results: [
      { source: "a.example", text: "A" },
      { source: "b.example", text: "A" },
    ],
  });
});

test("our own sentences about a failure tell nothing, and the person's words in it count", () => {
  const failed = {
    success: false,
    sources: ["s"],
    links: ["https://a.example/"],
    labels: ["odd"],
    personTexts: ["No."],
  };
  const told = situationOf([], [result("read", { ...failed, effect: "read" })]);
  expect(told).toMatchObject({
    privateReads: [],
    suspicious: [],
    links: [],
    results: [],
    personTexts: ["No."],
  });
  const theirs = situationOf([], [result("read", { ...failed, trust: "untrusted" })]);
  expect(theirs).toMatchObject({ outside: ["s"], suspicious: ["s"], links: ["https://a.example/"] });
});

test("what servers, clients and tools call private is private", () => {
  const parts = [
    result("a", { private: true }),
    result("b", { fromClient: true }),
    result("server.tool"),
    result("server.known", { sources: ["https://known.example"] }),
    result("c"),
  ];
  expect(situationOf([], parts).privateReads).toEqual(["a", "b", "server.tool"]);
});

test("interfaces of servers that wrote a message, or something with it, come from outside, each once", () => {
  const wrote = person({ type: "text", text: "Order it.", app: "shop", origin: "import" });
  const added = person({
    type: "text",
    text: "Look.",
    apps: [
      { server: "map", text: "At 7." },
      { server: "shop", text: "" },
    ],
  });
  const situation = situationOf([wrote, added, person({ type: "image", mimeType: "image/png" })], []);
  expect(situation.outside).toEqual(["an attached file", "the interface of shop", "the interface of map"]);
  expect(situation.privateReads).toEqual(situation.outside);
  expect(situation.personTexts).toEqual(["Look.", ""]);
});

test("files of the model, and its texts, are not attached ones", () => {
  const made: Part = { type: "text", text: "", file };
  expect(situationOf([{ id: "a", role: "assistant", parts: [made] }], [made]).outside).toEqual([]);
  expect(situationOf([], [{ ...made, messageId: "m9" }]).outside).toEqual(["an attached file"]);
});

test("what calls of this run returned is known by their arguments, if they succeeded", () => {
  const call = (id: string): Part => ({ type: "tool_call", id, name: "look", arguments: `{"at":"${id}"}` });
  const earlier: Message = {
    id: "a",
    role: "assistant",
    parts: [call("old"), result("old", { output: "O" })],
  };
  const parts = [
    call("a"),
    call("b"),
    result("b", { output: "B" }),
    result("a", { success: false }),
    result("gone"),
  ];
  const { returned, calls } = situationOf([earlier], parts);
  expect(returned).toEqual([{ name: "look", arguments: '{"at":"b"}', output: "B" }]);
  expect(calls).toEqual([call("old"), call("a"), call("b")]);
});

test("a child run is told of the newest five hundred addresses", () => {
  const links = Array.from({ length: 501 }, (_, at) => `https://a.example/${at}`);
  const told = inheritable({ ...situationOf([], []), links });
  expect(told.links).toEqual(links.slice(1));
  const { links: _, results: __, ...bare } = situationOf([], []);
  expect(inheritable(bare).links).toEqual([]);
});

test("texts in the prompt that others wrote come from outside", () => {
  const history = [person({ type: "text", text: "Go." })];
  const parts = [result("web", { trust: "untrusted" })];
  expect(situationIn({ history, told: ["a skill", "web"] }, parts, [])).toEqual({
    ...situationOf(history, parts),
    outside: ["a skill", "web"],
  });
  expect(situationIn({ history }, parts, ["odd"])).toEqual(situationOf(history, parts, ["odd"]));
});

test("the newest words are known where we keep the history: the last message, and what was sent into the run", () => {
  const memory = { factor: () => 1, noteUsage() {}, window: () => 1, noteWindow() {} };
  const quotes = [{ text: "Quoted.", rank: 3 }];
  const taint = { outside: [], workspace: [], privateReads: [], suspicious: [] };
  const summary = {
    before: { messageId: "m", part: 0 },
    from: "m",
    text: "",
    notes: "",
    quotes,
    filesRead: [],
    filesChanged: [],
    artifacts: [],
    todo: [],
    taint,
    messages: 1,
  };
  const context = { view: { summary }, memory, changed: false };
  const said: Part = { type: "text", text: "Now." };
  const sentIn: Part = { type: "text", text: "Hurry.", messageId: "m9" };
  const plan: Part = { type: "tool_call", id: "p", name: "propose_plan", arguments: "{}" };
  const other: Part = { ...plan, name: "look" };
  const newest = (history: Message[], parts: Part[]) => situationIn({ history, context }, parts, []).newest;
  const old = person({ type: "text", text: "Before." });
  expect(newest([old, person(said)], [other, { type: "text", text: "I will." }, sentIn])).toEqual([
    "Now.",
    "Hurry.",
  ]);
  expect(newest([person(said)], [sentIn, plan])).toEqual([]);
  expect(newest([{ id: "a", role: "assistant", parts: [said] }], [])).toEqual([]);
  expect(newest([person({ ...said, origin: "import" })], [])).toEqual([]);
  expect(newest([], [])).toEqual([]);
  expect(situationIn({ history: [], context }, [], []).personTexts).toEqual(["Quoted."]);
});
