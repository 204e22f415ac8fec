import { describe, expect, it } from "vitest";
import { readConversations } from "./read.ts";

/** A node of ChatGPT's tree. */
function node(parent: string | null, role: string, text: string, more: object = {}) {
  return {
    parent,
    children: [],
    message: {
      author: { role },
      create_time: 1_700_000_000.5,
      content: { content_type: "text", parts: [text] },
      metadata: {},
      ...more,
    },
  };
}

const chatGpt = {
  title: "Trip to Oslo",
  create_time: 1_700_000_000,
  update_time: 1_700_000_100,
  current_node: "a2",
  mapping: {
    root: { parent: null, children: ["sys"], message: null },
    sys: node("root", "system", "You are ChatGPT."),
    q: node("sys", "user", "When is it light?"),
    a1: node("q", "assistant", "In June.", { metadata: { model_slug: "gpt-4" } }),
    a2: node("q", "assistant", "From April on.", { metadata: { model_slug: "gpt-4o" } }),
  },
};

describe("an export of ChatGPT", () => {
  it("keeps branches, the shown branch, models and times, and drops what was never visible", () => {
    const [session] = readConversations([chatGpt]);
    expect(session).toMatchObject({
      title: "Trip to Oslo",
      createdAt: "2023-11-14T22:13:20.000Z",
      updatedAt: "2023-11-14T22:15:00.000Z",
      headId: "a2",
    });
    expect(session?.messages).toEqual([
      { id: "q", role: "user", text: "When is it light?", createdAt: "2023-11-14T22:13:20.500Z" },
      {
        id: "a1",
        parentId: "q",
        role: "assistant",
        text: "In June.",
        model: "gpt-4",
        createdAt: expect.anything(),
      },
      {
        id: "a2",
        parentId: "q",
        role: "assistant",
        text: "From April on.",
        model: "gpt-4o",
        createdAt: expect.anything(),
      },
    ]);
  });

  it("joins the assistant's text before and after a tool, and hides its text to the tool", () => {
    const mapping = {
      q: node(null, "user", "What is 17 * 23?"),
      a1: node("q", "assistant", "Let me see."),
      call: node("a1", "assistant", "", {
        recipient: "python",
        content: { content_type: "code", language: "python", text: "17*23" },
      }),
      out: node("call", "tool", "391"),
      a2: node("out", "assistant", "It is 391."),
    };
    const [session] = readConversations({ ...chatGpt, mapping, current_node: "a2" });
    expect(session?.messages).toMatchObject([
      { id: "q" },
      { id: "a1", parentId: "q", text: "Let me see.\n\nIt is 391." },
    ]);
    expect(session?.headId).toBe("a1");
  });

  it("replaces pictures by a note, and reads spoken text", () => {
    const parts = [
      { content_type: "image_asset_pointer", asset_pointer: "file-service://1" },
      { content_type: "audio_transcription", text: "What is this?" },
    ];
    const mapping = { q: node(null, "user", "", { content: { content_type: "multimodal_text", parts } }) };
    expect(readConversations({ ...chatGpt, mapping })[0]?.messages[0]?.text).toBe(
      "*[picture]*\nWhat is this?",
    );
  });
});

describe("an export of LibreChat", () => {
  const messages = [
    {
      messageId: "1",
      parentMessageId: "00000000-0000-0000-0000-000000000000",
      text: "Hello",
      isCreatedByUser: true,
    },
    {
      messageId: "2",
      parentMessageId: "1",
      text: "",
      content: [
        { type: "text", text: "Hi there." },
        { type: "tool_call" },
        { type: "text", text: { value: "Bye." } },
      ],
      sender: "Claude",
      model: "claude-sonnet",
      isCreatedByUser: false,
      createdAt: "2025-05-05T10:00:00.000Z",
    },
  ];

  it("is read from a list", () => {
    const [session] = readConversations({ conversationId: "c", title: "Greetings", messages });
    expect(session).toEqual({
      title: "Greetings",
      createdAt: "2025-05-05T10:00:00.000Z",
      updatedAt: "2025-05-05T10:00:00.000Z",
      headId: "2",
      messages: [
        { id: "1", role: "user", text: "Hello" },
        {
          id: "2",
          parentId: "1",
          role: "assistant",
          text: "Hi there.\n\nBye.",
          model: "claude-sonnet",
          createdAt: "2025-05-05T10:00:00.000Z",
        },
      ],
    });
  });

  it("is read from a tree", () => {
    const [question, answer] = messages;
    const other = { ...answer, messageId: "3", content: null, text: "Good day." };
    const tree = [{ ...question, children: [answer, other] }];
    const [session] = readConversations({ conversationId: "c", recursive: true, messages: tree });
    expect(session?.messages.map(({ id, parentId }) => [id, parentId])).toEqual([
      ["1", undefined],
      ["2", "1"],
      ["3", "1"],
    ]);
    expect(session?.title).toBe("Imported");
  });
});

describe("other exports", () => {
  it("of Claude are read", () => {
    const chat_messages = [
      { uuid: "1", sender: "human", text: "Hello", created_at: "2025-01-01T00:00:00Z" },
      { uuid: "2", sender: "assistant", text: "", content: [{ type: "text", text: "Hi." }] },
    ];
    expect(readConversations([{ uuid: "c", name: "Greetings", chat_messages }])).toMatchObject([
      { title: "Greetings", messages: [{ role: "user" }, { role: "assistant", parentId: "1", text: "Hi." }] },
    ]);
  });

  it("of Tackle are read, with branches and from before there were any", () => {
    const messages = [
      { id: "a", role: "user", content: "One" },
      { id: "b", role: "assistant", content: "Two" },
    ];
    const old = { format: "tackle.session", version: 1, session: { title: "Old" }, messages };
    expect(readConversations(old)[0]?.messages).toMatchObject([{ id: "a" }, { id: "b", parentId: "a" }]);
    const third = { id: "c", role: "assistant", content: "Three", parentId: "a" };
    const branched = { ...old, messages: [messages[0], { ...messages[1], parentId: "a" }, third] };
    expect(readConversations({ ...branched, session: { title: "New", headId: "b" } })[0]).toMatchObject({
      headId: "b",
      messages: [{ id: "a" }, { id: "b", parentId: "a" }, { id: "c", parentId: "a" }],
    });
  });
});

describe("broken or malicious exports", () => {
  it.each([
    ["nothing", null],
    ["a number", 7],
    ["something else", { hello: "world" }],
    ["a list of something else", [{ hello: "world" }]],
    ["more than can be taken", Array.from({ length: 1_001 }, () => chatGpt)],
  ])("%s is refused with a sentence", (_, document) => {
    expect(() => readConversations(document)).toThrow(/conversation/);
  });

  it("circular messages, and messages without parents, are read without an endless loop", () => {
    const mapping = {
      a: node("b", "user", "Round"),
      b: node("a", "assistant", "and round"),
      c: node("c", "user", "Myself"),
      d: node("gone", "user", "Lost"),
    };
    const [session] = readConversations({ ...chatGpt, mapping, current_node: "b" });
    expect(session?.messages.map(({ id }) => id).sort()).toEqual(["c", "d"]);
    expect(session?.headId).toBeUndefined();
  });

  it("10,000 messages in one line are read, and one more is refused", () => {
    const long = (count: number) => ({
      conversationId: "c",
      messages: Array.from({ length: count }, (_, index) => ({
        messageId: `${index}`,
        parentMessageId: `${index - 1}`,
        text: `Text ${index}`,
        isCreatedByUser: index % 2 === 0,
      })),
    });
    expect(readConversations(long(10_000))[0]?.messages).toHaveLength(10_000);
    expect(() => readConversations(long(10_001))).toThrow(/10000 messages/);
  });

  it("property names of Object are ordinary names", () => {
    const mapping = JSON.parse(
      JSON.stringify({ q: node(null, "user", "Hello") }).replace('"q"', '"__proto__"'),
    );
    expect(readConversations({ ...chatGpt, mapping })[0]?.messages.length).toBeLessThanOrEqual(1);
    expect(({} as Record<string, unknown>).message).toBeUndefined();
  });
});
