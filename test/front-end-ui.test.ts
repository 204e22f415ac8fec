import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer, resultsIn } from "./support/openai.ts";
import { temporaryFolder } from "./support/server.ts";
import { eventsOf, firstEvent, readFrames } from "./support/sse.ts";

const roots = temporaryFolder();
let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer({ TACKLE_ROOTS: roots.path });
});
afterAll(async () => {
  await api?.close();
  roots.remove();
});

/** Replaces the React state of `useChat` with plain fields. The rest is the SDK's own code. */
class PlainState implements ChatState<UIMessage> {
  #messages: UIMessage[] = [];
  status: ChatStatus = "ready";
  error: Error | undefined;
  onChange = () => {};

  get messages() {
    return this.#messages;
  }
  set messages(messages: UIMessage[]) {
    this.#messages = messages;
    this.onChange();
  }
  pushMessage = (message: UIMessage) => {
    this.messages = [...this.#messages, message];
  };
  popMessage = () => {
    this.messages = this.#messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.#messages.with(index, structuredClone(message));
  };
  snapshot = <Thing>(thing: Thing): Thing => structuredClone(thing);
}

class Chat extends AbstractChat<UIMessage> {
  readonly plain: PlainState;
  constructor(init: Omit<ChatInit<UIMessage>, "transport"> & { body?: object }) {
    const state = new PlainState();
    const transport = new DefaultChatTransport<UIMessage>({
      api: `${api.server.url}/chat/ui`,
      body: init.body,
    });
    super({ ...init, transport, state });
    this.plain = state;
  }

  /** Resolves when the messages satisfy the condition. */
  async until(wanted: (messages: UIMessage[]) => boolean): Promise<void> {
    const seen = Promise.withResolvers<void>();
    this.plain.onChange = () => wanted(this.messages) && seen.resolve();
    this.plain.onChange();
    await seen.promise;
  }
}

const answer = (chat: Chat) => chat.messages.at(-1)?.parts ?? [];
const kinds = (chat: Chat) => answer(chat).map(({ type }) => type);
const sessionIn = (chat: Chat) =>
  (answer(chat).find(({ type }) => type === "data-session") as { data: { sessionId: string } }).data;
const textIn = (message: UIMessage | undefined) =>
  (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
const sessionOf = (chat: Chat) =>
  answer(chat).find((part) => part.type === "data-session") as {
    data: { sessionId: string; runId: string };
  };
/** An answer that pauses after its first words until the test releases it. */
function held(answer: Parameters<typeof chatTurn>[0]): { turn: Turn; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { frames } = chatTurn({ ...answer, chunkSize: "word" });
  const after = frames.findIndex((frame) => JSON.stringify(frame).includes('"content":"')) + 3;
  return {
    turn: { frames: [...frames.slice(0, after), { hold: promise }, ...frames.slice(after)] },
    release: resolve,
  };
}

const write = { operation: "write", path: "note.txt", content: "hello" };

describe("the AI SDK's chat", () => {
  it("shows reasoning, calls with results, steps and usage, and continues in the same session", async () => {
    api.play(
      chatTurn({
        reasoning: "A clock helps.",
        text: "Let me see.",
        calls: [{ name: "get_time", arguments: {} }],
      }),
      chatTurn({ text: "It is late." }),
    );
    const chat = new Chat({ id: "chat-tools" });
    await chat.sendMessage({ text: "What time is it?" });
    expect(chat.error).toBeUndefined();
    expect(chat.status).toBe("ready");
    expect(kinds(chat).filter((type) => type !== "data-usage")).toEqual([
      "data-session",
      "step-start",
      "reasoning",
      "text",
      "dynamic-tool",
      "step-start",
      "text",
    ]);
    expect(answer(chat)).toContainEqual(
      expect.objectContaining({ type: "reasoning", text: "A clock helps.", state: "done" }),
    );
    expect(answer(chat)).toContainEqual(
      expect.objectContaining({
        type: "dynamic-tool",
        toolName: "get_time",
        state: "output-available",
        output: expect.stringContaining("20"),
      }),
    );
    expect(answer(chat)).toContainEqual(
      expect.objectContaining({
        type: "data-usage",
        data: expect.objectContaining({ outputTokens: expect.any(Number) }),
      }),
    );
    expect(textIn(chat.lastMessage)).toBe("Let me see.It is late.");
    const { data } = sessionOf(chat);

    api.play(chatTurn({ text: "Good night." }));
    await chat.sendMessage({ text: "Thanks" });
    expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(sessionOf(chat).data.sessionId).toBe(data.sessionId);
    expect(api.lastMessages().map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    expect(String((api.lastRequest().messages as { content: string }[])[0]?.content)).toContain(
      "You are Tackle",
    );
  });

  it("asks for an approval in the SDK's format, and continues after it is given", async () => {
    api.play(chatTurn({ calls: [{ name: "filesystem", arguments: write }] }), chatTurn({ text: "Written." }));
    const chat = new Chat({
      id: "chat-approval",
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    await chat.sendMessage({ text: "Write hello." });
    expect(chat.status).toBe("ready");
    const asked = answer(chat).find((part) => part.type === "dynamic-tool");
    expect(asked).toMatchObject({
      state: "approval-requested",
      approval: { requestReason: expect.any(String) },
    });
    expect(existsSync(join(roots.path, "note.txt"))).toBe(false);

    const { runId } = sessionOf(chat).data;
    await chat.addToolApprovalResponse({ id: asked?.approval?.id ?? "", approved: true });
    await chat.until((messages) => textIn(messages.at(-1)) === "Written.");
    expect(existsSync(join(roots.path, "note.txt"))).toBe(true);
    expect(chat.messages).toHaveLength(2);
    expect(answer(chat).filter((part) => part.type === "dynamic-tool")).toMatchObject([
      { state: "output-available", approval: { approved: true } },
    ]);
    expect(sessionOf(chat).data.runId).toBe(runId);
  });

  it("shows a plan, and continues with what the person left of it", async () => {
    const step = (path: string) => ({ tool: "filesystem", targets: { operation: "write", path }, why: "" });
    const called = { operation: "write", path: "left.txt", content: "hello" };
    api.play(
      chatTurn({
        calls: [{ name: "propose_plan", arguments: { steps: [step("struck.txt"), step("left.txt")] } }],
      }),
      chatTurn({ calls: [{ name: "filesystem", arguments: called }] }),
      chatTurn({ text: "Written." }),
    );
    const chat = new Chat({
      id: "chat-plan",
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    await chat.sendMessage({ text: "Write the parts." });
    const asked = answer(chat).find((part) => part.type === "dynamic-tool");
    const preview = expect.stringContaining("1. filesystem operation: write, path: struck.txt");
    expect(asked).toMatchObject({ approval: { descriptor: { preview, plan: { steps: [{}, {}] } } } });
    const reason = JSON.stringify({ steps: [step("left.txt")] });
    await chat.addToolApprovalResponse({ id: asked?.approval?.id ?? "", approved: true, reason });
    await chat.until((messages) => textIn(messages.at(-1)) === "Written.");
    expect(existsSync(join(roots.path, "left.txt"))).toBe(true);
    const left = expect.stringContaining("1. filesystem operation: write, path: left.txt");
    expect(answer(chat).find((part) => part.type === "dynamic-tool")).toMatchObject({ output: left });
  });

  it("shows a denied call, and sends the person's reason to the model", async () => {
    api.play(
      chatTurn({
        calls: [
          { name: "get_time", arguments: {} },
          { name: "filesystem", arguments: { ...write, path: "no.txt" } },
        ],
      }),
      chatTurn({ text: "As you wish." }),
    );
    const chat = new Chat({
      id: "chat-denied",
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    await chat.sendMessage({ text: "Write it." });
    const asked = answer(chat).find(
      (part) => part.type === "dynamic-tool" && part.state === "approval-requested",
    );
    const id = asked?.type === "dynamic-tool" ? (asked.approval?.id ?? "") : "";
    await chat.addToolApprovalResponse({ id, approved: false, reason: "Not there." });
    await chat.until((messages) => textIn(messages.at(-1)) === "As you wish.");
    expect(
      answer(chat)
        .filter((part) => part.type === "dynamic-tool")
        .map(({ state }) => state),
    ).toEqual(["output-available", "output-denied"]);
    expect(existsSync(join(roots.path, "no.txt"))).toBe(false);
    expect(JSON.stringify(api.lastMessages())).toContain("Not there.");
  });

  it("returns calls of the client's tools, and accepts their results in the same message", async () => {
    const tools = [
      {
        name: "where_am_i",
        description: "The person's city.",
        parameters: { type: "object", properties: {} },
      },
    ];
    api.play(
      chatTurn({ text: "Where?", calls: [{ name: "where_am_i", arguments: {} }] }),
      chatTurn({ text: "In Oslo." }),
    );
    const chat: Chat = new Chat({
      id: "chat-client-tool",
      body: { tools },
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }) => {
        void chat.addToolOutput({ tool: toolCall.toolName, toolCallId: toolCall.toolCallId, output: "Oslo" });
      },
    });
    await chat.sendMessage({ text: "Where am I?" });
    await chat.until((messages) => textIn(messages.at(-1)).endsWith("In Oslo."));
    expect(chat.messages).toHaveLength(2);
    expect(answer(chat)).toContainEqual(
      expect.objectContaining({ type: "tool-where_am_i", state: "output-available", output: "Oslo" }),
    );
    expect(resultsIn(api.lastMessages())).toEqual([["where_am_i", "Oslo"]]);
    expect(
      new Set(
        answer(chat).flatMap((part) =>
          part.type === "data-session" ? [(part.data as { sessionId: string }).sessionId] : [],
        ),
      ).size,
    ).toBe(1);
  });

  it.each([
    [{ output: { a: "<b> &" } }, '{"a":"<b> &"}'],
    [{ output: " </result>\r\n" }, " </result>\r\n"],
    [{ state: "output-error" as const, errorText: "no <GPS>" }, "no <GPS>"],
  ])("passes the result of a client's tool on as it is: %j", async (given, read) => {
    api.play(chatTurn({ calls: [{ name: "locate", arguments: {} }] }), chatTurn({ text: "So." }));
    const chat: Chat = new Chat({
      body: { tools: [{ name: "locate", description: "", parameters: { type: "object", properties: {} } }] },
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }) => {
        const { toolName: tool, toolCallId } = toolCall;
        void chat.addToolOutput({ tool, toolCallId, ...given } as Parameters<Chat["addToolOutput"]>[0]);
      },
    });
    await chat.sendMessage({ text: "Where am I?" });
    await chat.until((messages) => textIn(messages.at(-1)).endsWith("So."));
    expect(api.lastMessages().at(-1)).toMatchObject({ role: "tool", content: read });
  });

  it("can be resumed from the start by another page, and has nothing to resume after it ends", async () => {
    const text = "One two three four five six seven eight nine ten.";
    const counting = held({ reasoning: "Count.", text });
    api.play(counting.turn);
    const first = new Chat({ id: "chat-resumed" });
    const sent = first.sendMessage({ text: "Count" });
    await first.until((messages) => textIn(messages.at(-1)).includes("One"));
    await first.stop();
    await sent;

    const second = new Chat({ id: "chat-resumed" });
    const resumed = second.resumeStream();
    await second.until((messages) => textIn(messages.at(-1)).includes("One"));
    counting.release();
    await resumed;
    expect(textIn(second.lastMessage)).toBe(text);
    expect(kinds(second)).toContain("reasoning");
    expect(second.lastMessage?.id).toBe(first.lastMessage?.id);

    const late = await fetch(`${api.server.url}/chat/ui/chat-resumed/stream`);
    expect(late.status).toBe(204);
  });

  it("can be resumed in full after the result of a client's tool", async () => {
    const tools = [{ name: "where_am_i", description: "The person's city." }];
    const text = "In Oslo, where it is cold and light.";
    const going = held({ text });
    api.play(chatTurn({ text: "Where?", calls: [{ name: "where_am_i", arguments: {} }] }), going.turn);
    const first = new Chat({ id: "chat-resumed-tool", body: { tools } });
    await first.sendMessage({ text: "Where am I?" });
    const called = answer(first).find((part) => part.type === "tool-where_am_i");
    const toolCallId = called && "toolCallId" in called ? called.toolCallId : "";
    await first.addToolOutput({ tool: "where_am_i", toolCallId, output: "Oslo" });
    const sent = first.sendMessage();
    await first.until((messages) => textIn(messages.at(-1)).includes("In"));
    await first.stop();
    await sent;

    const second = new Chat({ id: "chat-resumed-tool" });
    second.messages = first.messages.slice(0, 1);
    const resumed = second.resumeStream();
    await second.until((messages) => textIn(messages.at(-1)).includes("In"));
    going.release();
    await resumed;
    expect(second.messages.map(({ id }) => id)).toEqual(first.messages.map(({ id }) => id));
    expect(textIn(second.lastMessage)).toBe(`Where?${text}`);
    expect(answer(second)).toContainEqual(
      expect.objectContaining({ type: "tool-where_am_i", state: "output-available", output: "Oslo" }),
    );
  });

  it("can be resumed at a pending approval, and after a decision made elsewhere", async () => {
    const going = held({ text: "one two three four five six" });
    api.play(
      chatTurn({ calls: [{ name: "filesystem", arguments: { ...write, path: "far.txt" } }] }),
      going.turn,
    );
    const first = new Chat({ id: "chat-question" });
    await first.sendMessage({ text: "Write it." });
    const second = new Chat({ id: "chat-question" });
    await second.resumeStream();
    const asked = answer(second).find((part) => part.type === "dynamic-tool");
    expect(asked?.state).toBe("approval-requested");

    const { runId } = sessionOf(second).data;
    const events = await fetch(`${api.server.url}/runs/${runId}/events`);
    const frames = await readFrames(events, ({ data }) => !data.includes("tool_approval_required"));
    const { toolCallId } = firstEvent(eventsOf(frames), "tool_approval_required");
    await fetch(`${api.server.url}/runs/${runId}/approvals/${toolCallId}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "once" }),
    });
    const live = await fetch(`${api.server.url}/runs/${runId}/events`);
    await readFrames(live, ({ data }) => !data.includes("tool_result"));
    const third = new Chat({ id: "chat-question" });
    const resumed = third.resumeStream();
    await third.until((messages) => textIn(messages.at(-1)).includes("one"));
    going.release();
    await resumed;
    expect(textIn(third.lastMessage)).toBe("one two three four five six");
    expect(answer(third)).toContainEqual(
      expect.objectContaining({ type: "dynamic-tool", state: "output-available" }),
    );
  });

  it("can use a session's id and send only its newest message", async () => {
    api.play(chatTurn({ text: "Hello." }));
    const { id } = (await (
      await fetch(`${api.server.url}/sessions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      })
    ).json()) as { id: string };
    const chat = new Chat({ id });
    await chat.sendMessage({ text: "Hi" });
    expect(sessionOf(chat).data.sessionId).toBe(id);
    expect((await fetch(`${api.server.url}/chat/ui/${id}/stream`)).status).toBe(204);

    const message = { id: "2", role: "user", parts: [{ type: "text", text: "And you?" }] };
    const post = (body: object) =>
      fetch(`${api.server.url}/chat/ui`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    api.play(chatTurn({ text: "Fine." }));
    const alone = await post({ id, message });
    expect(alone.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    expect(await alone.text()).toMatch(/"type":"finish","finishReason":"stop"}\n\ndata: \[DONE\]\n\n$/);
    expect(api.lastMessages().map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect((await post({ id: "chat-made-up", message })).status).toBe(400);
  });

  it("stops through its route or on disconnect, and a new message ends an active run", async () => {
    const slow = () => held({ text: "word word word word word" }).turn;
    api.play(slow());
    const chat = new Chat({ id: "chat-stopped" });
    const sent = chat.sendMessage({ text: "Talk" });
    await chat.until((messages) => textIn(messages.at(-1)).includes("word"));
    const stopped = await fetch(`${api.server.url}/chat/ui/chat-stopped/stop`, { method: "POST" });
    expect(await stopped.json()).toEqual({ stopped: true });
    await sent;
    expect(chat.status).toBe("ready");

    api.play(slow(), chatTurn({ text: "Yes?" }));
    const again = chat.sendMessage({ text: "Talk more" });
    await chat.until((messages) => messages.length === 4 && textIn(messages.at(-1)).includes("word"));
    await chat.stop();
    await again;
    await chat.sendMessage({ text: "Enough" });
    expect(chat.error).toBeUndefined();
    expect(textIn(chat.lastMessage)).toBe("Yes?");

    api.play(slow());
    const leaving = new Chat({ id: "chat-left", body: { onDisconnect: "cancel" } });
    const left = leaving.sendMessage({ text: "Talk" });
    await leaving.until((messages) => textIn(messages.at(-1)).includes("word"));
    const upstream = api.upstream.requests.at(-1);
    await leaving.stop();
    await left;
    await upstream?.ended;
    expect(upstream?.aborted).toBe(true);
  });

  it("reports a failure as the chat's error, during and before the stream", async () => {
    api.play(errorTurn(400, { message: "no such thing" }));
    const chat = new Chat({ id: "chat-error" });
    await chat.sendMessage({ text: "Fail" });
    expect(chat.status).toBe("error");
    expect(chat.error?.message).toBeTruthy();

    const unknown = new Chat({ id: "chat-unknown", body: { model: "nobody/nothing" } });
    await unknown.sendMessage({ text: "Hi" });
    expect(unknown.status).toBe("error");
    expect(unknown.error?.message).toContain("nobody/nothing");
  });

  it("regenerates an answer from the client's history", async () => {
    api.play(chatTurn({ text: "First." }));
    const chat = new Chat({ id: "chat-again" });
    await chat.sendMessage({ text: "Say something" });
    api.play(chatTurn({ text: "Second." }));
    await chat.regenerate();
    expect(chat.messages).toHaveLength(2);
    expect(textIn(chat.lastMessage)).toBe("Second.");
    expect(api.lastMessages()).toMatchObject([{ role: "user", content: "Say something" }]);
    api.play(chatTurn({ text: "Third." }));
    await chat.sendMessage({ text: "And now?" });
    expect(api.lastMessages().map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("regenerates an answer as a second version if the client's history matches the session", async () => {
    api.play(chatTurn({ text: "One." }), chatTurn({ text: "Two." }));
    const chat = new Chat({ id: "chat-versions" });
    await chat.sendMessage({ text: "first" });
    await chat.sendMessage({ text: "second" });
    const { sessionId } = sessionIn(chat);
    const texts = async () => {
      const response = await fetch(`${api.server.url}/sessions/${sessionId}/messages`);
      const { messages } = (await response.json()) as {
        messages: { content: string; siblings?: string[] }[];
      };
      return messages.map(({ content, siblings }) => [content, siblings?.length ?? 1]);
    };
    api.play(chatTurn({ text: "Two, better." }));
    await chat.regenerate();
    expect(api.lastMessages().map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(sessionIn(chat).sessionId).toBe(sessionId);
    expect(await texts()).toEqual([
      ["first", 1],
      ["One.", 1],
      ["second", 1],
      ["Two, better.", 2],
    ]);
    api.play(chatTurn({ text: "One, better." }));
    await chat.regenerate({ messageId: chat.messages[1]?.id });
    expect(sessionIn(chat).sessionId).toBe(sessionId);
    expect(await texts()).toEqual([
      ["first", 1],
      ["One, better.", 2],
    ]);
    api.play(chatTurn({ text: "Elsewhere." }));
    const messageId = chat.messages[1]?.id;
    chat.messages = [
      { id: "m", role: "user", parts: [{ type: "text", text: "never said" }] },
      ...chat.messages.slice(1),
    ];
    await chat.regenerate({ messageId });
    expect(sessionIn(chat).sessionId).not.toBe(sessionId);
    expect((await texts()).at(-1)).toEqual(["One, better.", 2]);
  });

  it("takes files: images as they are, texts and PDFs as text, and tells the model of others", async () => {
    const url =
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    api.play(chatTurn({ text: "A dot." }));
    const chat = new Chat({ id: "chat-image" });
    await chat.sendMessage({ text: "What is it?", files: [{ type: "file", mediaType: "image/png", url }] });
    expect(chat.error).toBeUndefined();
    expect(JSON.stringify(api.lastMessages())).toContain("image_url");
    api.play(chatTurn({ text: "Read." }));
    const other = new Chat({ id: "chat-files" });
    const file = (filename: string, mediaType: string, bytes: string) => ({
      type: "file" as const,
      mediaType,
      filename,
      url: `data:${mediaType};base64,${Buffer.from(bytes, "latin1").toString("base64")}`,
    });
    await other.sendMessage({
      text: "Read",
      files: [
        file("a.csv", "text/csv", "a;b\r\n1;2"),
        file("a.svg", "image/svg+xml", "<svg/>"),
        file("a.pdf", "application/pdf", "%PDF-1.4\n% not whole"),
        file("a.zip", "application/zip", "PK\x03\x04\x00"),
        file("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "PK\x00"),
        file("a.heic", "image/heic", "\x00\x00\x00\x18ftypheic"),
      ],
    });
    expect(other.error).toBeUndefined();
    const read = JSON.stringify(api.lastMessages());
    expect(read).toContain('<document title=\\"a.csv\\">\\na;b\\r\\n1;2\\n</document>');
    expect(read).toContain("<svg/>");
    expect(read).toContain("[This PDF could not be read.]");
    for (const name of ["a.zip", "a.docx", "a.heic"])
      expect(read).toContain(`[Content of type file, ${name} cannot be shown here.]`);
  });

  const nested = "[".repeat(20_000) + "]".repeat(20_000);
  const call = `{"type":"tool-x","toolCallId":"c","state":"output-available","output":${nested}}`;
  it.each<[string, string]>([
    ["no messages", '{"id":"a","messages":[]}'],
    [
      "a message with blank text",
      '{"id":"a","messages":[{"role":"user","parts":[{"type":"text","text":" "}]}]}',
    ],
    ["a message without parts", '{"id":"a","messages":[{"role":"user","parts":[]}]}'],
    [
      "a call without a result",
      '{"id":"a","messages":[{"role":"assistant","parts":[{"type":"tool-x","toolCallId":"c"}]}]}',
    ],
    ["a result that is nested too deeply", `{"id":"a","messages":[{"role":"assistant","parts":[${call}]}]}`],
    [
      "an unknown tool",
      '{"id":"a","tools":["x"],"messages":[{"role":"user","parts":[{"type":"text","text":"a"}]}]}',
    ],
  ])("refuses %s with a clear message", async (_, body) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${api.server.url}/chat/ui`, { method: "POST", headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: "INVALID_INPUT", error: expect.any(String) });
  });
});
