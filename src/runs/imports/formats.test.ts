import { describe, expect, it } from "vitest";
import { readConversations } from "./read.ts";

/** A node of ChatGPT's tree with this message. */
const node = (parent: string | undefined, message: object) => ({ parent, message });
const said = (role: string, content: object, more: object = {}) => ({ author: { role }, content, ...more });

function chatGpt(mapping: Record<string, object>, more: object = {}) {
  const [session] = readConversations({ mapping, ...more });
  return session;
}

describe("ChatGPT's export", () => {
  it("may lack almost everything", () => {
    expect(chatGpt({ q: node(undefined, said("user", { parts: ["Hi"] })) })).toEqual({
      title: "Imported",
      createdAt: undefined,
      updatedAt: undefined,
      messages: [{ id: "q", role: "user", text: "Hi" }],
    });
    expect(chatGpt({ q: { message: null } })?.messages).toEqual([]);
    expect(chatGpt({ q: node(undefined, { author: { role: "user" } }) })?.messages).toEqual([]);
  });

  it("keeps code, drops unknown kinds, and joins the parts of a message", () => {
    const textOf = (content: object) =>
      chatGpt({ q: node(undefined, said("user", content)) })?.messages[0]?.text;
    expect(textOf({ content_type: "code", language: "js", text: "1+1" })).toBe("```js\n1+1\n```");
    expect(textOf({ content_type: "code" })).toBe("```\n\n```");
    expect(textOf({ content_type: "text", parts: [" one", "two "] })).toBe("one\ntwo");
    expect(textOf({ content_type: "thoughts", parts: ["hm"] })).toBeUndefined();
    expect(textOf({ content_type: "multimodal_text" })).toBeUndefined();
    const parts = [7, { content_type: "video" }, { content_type: "audio_transcription" }, "text"];
    expect(textOf({ content_type: "multimodal_text", parts })).toBe("text");
  });

  it("leaves out what was hidden, or not for the person", () => {
    const text = { content_type: "text", parts: ["Text"] };
    const shown = (role: string, more: object) =>
      chatGpt({ q: node(undefined, said(role, text, more)) })?.messages;
    const hidden = { metadata: { is_visually_hidden_from_conversation: true } };
    expect(shown("user", hidden)).toEqual([]);
    expect(shown("assistant", { recipient: "all" })).toHaveLength(1);
    expect(shown("assistant", { recipient: "browser" })).toEqual([]);
    expect(shown("user", { recipient: "browser" })).toHaveLength(1);
    expect(shown("tool", {})).toEqual([]);
  });
});

describe("Claude's export", () => {
  const read = (chat_messages: object[], more: object = {}) =>
    readConversations({ chat_messages, ...more })[0];

  it("is one line where messages do not name their parents, and a tree where they do", () => {
    const message = (uuid: string, sender: string, parent?: string) => ({
      uuid,
      sender,
      text: uuid,
      ...(parent === undefined ? {} : { parent_message_uuid: parent }),
    });
    const line = read([message("1", "human"), message("2", "assistant"), message("3", "human")]);
    expect(line).toMatchObject({ title: "Imported", headId: "3" });
    expect(line?.messages.map(({ parentId }) => parentId)).toEqual([undefined, "1", "2"]);
    const tree = read([
      message("1", "human"),
      message("2", "assistant", "1"),
      message("3", "assistant", "1"),
    ]);
    expect(tree?.messages.map(({ parentId }) => parentId)).toEqual([undefined, "1", "1"]);
  });

  it("prefers the pieces of text in the content, without other pieces", () => {
    const content = [
      { type: "text", text: "One." },
      { type: "thinking", text: "Hm." },
      { type: "text", text: "Two." },
      { type: "text", text: "" },
    ];
    const [with_, without] = [
      read([{ uuid: "1", sender: "assistant", text: "plain", content }]),
      read([{ uuid: "1", sender: "assistant", text: "plain", content: [] }]),
    ];
    expect(with_?.messages[0]?.text).toBe("One.\n\nTwo.");
    expect(without?.messages[0]?.text).toBe("plain");
    expect(read([{ uuid: "1", sender: "human" }])?.messages).toEqual([]);
  });

  it("keeps its times", () => {
    const at = "2025-01-01T00:00:00.000Z";
    const times = { created_at: at, updated_at: at };
    const session = read([{ uuid: "1", sender: "human", text: "Hi", created_at: at }], times);
    expect(session).toMatchObject({ createdAt: at, updatedAt: at, messages: [{ createdAt: at }] });
    expect(
      read([{ uuid: "1", sender: "human", text: "Hi", created_at: "soon" }])?.messages[0],
    ).not.toHaveProperty("createdAt");
  });
});

describe("LibreChat's export", () => {
  const read = (messages: object[], more: object = {}) =>
    readConversations({ conversationId: "c", messages, ...more })[0];

  it("tells the person by the flag, or else by the sender", () => {
    const roles = read([
      { messageId: "1", text: "a", isCreatedByUser: true },
      { messageId: "2", text: "b", isCreatedByUser: false, sender: "User" },
      { messageId: "3", text: "c", sender: "User" },
      { messageId: "4", text: "d", sender: "GPT" },
      { messageId: "5", text: "e" },
    ])?.messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user", "assistant", "assistant"]);
  });

  it("keeps the model of answers alone, and the first and last time", () => {
    const session = read([
      { messageId: "1", text: "a", sender: "User", model: "m", createdAt: "2025-01-02T00:00:00.000Z" },
      { messageId: "2", parentMessageId: "1", text: "b", model: "m", createdAt: "2025-01-01T00:00:00.000Z" },
    ]);
    expect(session?.messages[0]).not.toHaveProperty("model");
    expect(session?.messages[1]).toMatchObject({ model: "m" });
    expect(session).toMatchObject({
      createdAt: "2025-01-01T00:00:00.000Z",
      updatedAt: "2025-01-02T00:00:00.000Z",
    });
  });

  it("takes text from the content where there is no other, and nothing else", () => {
    const content = [
      { type: "think", text: "hm" },
      { type: "text", text: { value: "One." } },
      { type: "text", text: 7 },
      { type: "text", text: "Two." },
    ];
    expect(read([{ messageId: "1", content }])?.messages[0]?.text).toBe("One.\n\nTwo.");
    expect(read([{ messageId: "1", text: "Plain.", content }])?.messages[0]?.text).toBe("Plain.");
  });

  it("reads a tree by its nesting, in order, whatever the parent ids say", () => {
    const leaf = (messageId: string) => ({
      messageId,
      parentMessageId: "wrong",
      text: messageId,
      sender: "User",
    });
    const tree = [
      { ...leaf("1"), children: [{ ...leaf("2"), children: [leaf("3")] }, leaf("4")] },
      leaf("5"),
    ];
    const [session] = readConversations({ conversationId: "c", messagesTree: tree });
    expect(session?.messages.map(({ id, parentId }) => [id, parentId])).toEqual([
      ["1", undefined],
      ["2", "1"],
      ["3", "2"],
      ["4", "1"],
      ["5", undefined],
    ]);
  });

  it("without messages is no conversation", () => {
    expect(() => readConversations({ conversationId: "c" })).toThrow("This is no conversation");
  });
});

describe("Tackle's export", () => {
  const read = (messages: object[], session: object = { title: "T" }) =>
    readConversations({ format: "tackle.session", session, messages })[0];
  const message = (id: string, role = "user", more: object = {}) => ({ id, role, content: id, ...more });

  it("ends where it was shown, or with its last message", () => {
    const messages = [
      message("a"),
      message("b", "assistant", { parentId: "a", model: "m" }),
      message("c", "assistant", { parentId: "a" }),
    ];
    expect(read(messages)?.headId).toBe("c");
    expect(read(messages, { title: "T", headId: "b" })).toMatchObject({ title: "T", headId: "b" });
    expect(read(messages)?.messages[1]).toMatchObject({ model: "m" });
    expect(read(messages)?.messages[2]).not.toHaveProperty("model");
  });

  it("leaves out what the system said, and keeps times", () => {
    const at = "2025-01-01T00:00:00.000Z";
    const times = { title: "T", createdAt: at, updatedAt: at };
    const session = read([message("s", "system"), message("a", "user", { createdAt: at })], times);
    expect(session).toEqual({
      title: "T",
      createdAt: at,
      updatedAt: at,
      headId: "a",
      messages: [{ id: "a", role: "user", text: "a", createdAt: at }],
    });
  });
});

describe("a tree of messages", () => {
  const line = (...texts: [string, string][]) =>
    readConversations({
      format: "tackle.session",
      session: { title: "T" },
      messages: texts.map(([role, content], index) => ({ id: `${index}`, role, content })),
    })[0];

  it("joins answers that follow each other, but not questions, and drops empty messages", () => {
    const session = line(
      ["user", "a"],
      ["user", "b"],
      ["assistant", "c"],
      ["assistant", " "],
      ["assistant", "d"],
    );
    expect(session?.messages.map(({ text }) => text)).toEqual(["a", "b", "c\n\nd"]);
    expect(session?.headId).toBe("2");
  });

  it("does not join an answer that has siblings", () => {
    const messages = [
      { id: "1", role: "assistant", content: "one" },
      { id: "2", role: "assistant", content: "two", parentId: "1" },
      { id: "3", role: "assistant", content: "three", parentId: "1" },
    ];
    const [session] = readConversations({ format: "tackle.session", session: { title: "T" }, messages });
    expect(session?.messages.map(({ text, parentId }) => [text, parentId])).toEqual([
      ["one", undefined],
      ["two", "1"],
      ["three", "1"],
    ]);
  });

  it("limits a message to a million characters, joined ones too, and the model's name", () => {
    const long = "x".repeat(1_000_001);
    expect(line(["user", long])?.messages[0]?.text).toHaveLength(1_000_000);
    expect(line(["assistant", long], ["assistant", "more"])?.messages[0]?.text).toHaveLength(1_000_000);
    const [session] = readConversations({
      format: "tackle.session",
      session: { title: ` ${"t".repeat(300)} ` },
      messages: [{ id: "1", role: "assistant", content: "a", model: "m".repeat(300) }],
    });
    expect(session?.messages[0]?.model).toHaveLength(200);
    expect(session?.title).toHaveLength(200);
  });
});

describe("what cannot be read", () => {
  it("is named by its place", () => {
    const sentence =
      "is no conversation that can be read: JSON exports of Tackle, ChatGPT, LibreChat and Claude can.";
    const failure = (publicMessage: string) =>
      expect.objectContaining({ code: "INVALID_INPUT", publicMessage });
    const good = { chat_messages: [] };
    expect(() => readConversations([good, {}])).toThrow(failure(`Entry 2 ${sentence}`));
    expect(() => readConversations({})).toThrow(failure(`This ${sentence}`));
    expect(readConversations(Array(1_000).fill(good))).toHaveLength(1_000);
    expect(() => readConversations(Array(1_001).fill(good))).toThrow(
      failure("Send at most 1000 conversations at once."),
    );
  });
});
