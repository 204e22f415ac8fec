import { type AgentSubscriber, HttpAgent } from "@ag-ui/client";
import type { BaseEvent } from "@ag-ui/core";
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

const QUESTION = { question: "Which color?", options: ["red", "blue"], default: "red" };

function playQuestion(question: object = QUESTION, end = "Done."): void {
  api.play(chatTurn({ calls: [{ name: "ask_user", arguments: question }] }), chatTurn({ text: end }));
}

async function postAnswer(runId: string, toolCallId: string, answer: unknown): Promise<number> {
  const response = await fetch(`${api.server.url}/runs/${runId}/answers/${toolCallId}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ answer }),
  });
  return response.status;
}

describe("a question to an AG-UI client", () => {
  function agentFor(threadId: string) {
    const agent = new HttpAgent({ url: `${api.server.url}/chat/ag-ui`, threadId });
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content: "Paint it." });
    const events: (BaseEvent & Record<string, unknown>)[] = [];
    const subscriber: AgentSubscriber = { onEvent: ({ event }) => void events.push({ ...event }) };
    return { agent, events, subscriber };
  }

  it("interrupts the run, and the answer in the next request continues it", async () => {
    playQuestion();
    const { agent, events, subscriber } = agentFor("thread-question");
    await agent.runAgent({}, subscriber);
    const [interrupt] = agent.pendingInterrupts;
    expect(interrupt).toMatchObject({
      reason: "input_required",
      message: "Which color?",
      responseSchema: { properties: { answer: { type: "string", examples: ["red", "blue"] } } },
      metadata: { runId: expect.stringMatching(/^run_/), options: ["red", "blue"], default: "red" },
    });
    expect(events.filter(({ name }) => name === "tackle.question_required")).toHaveLength(1);
    const interruptId = interrupt?.id ?? "";
    const before = events.length;
    await agent.runAgent(
      { resume: [{ interruptId, status: "resolved", payload: { answer: "green" } }] },
      subscriber,
    );
    expect(agent.pendingInterrupts).toEqual([]);
    const later = events.slice(before);
    expect(later.map(({ type, name }) => name ?? type)).not.toContain("tackle.question_required");
    expect(later.find(({ type }) => type === "TOOL_CALL_RESULT")?.content).toBe("The person answered: green");
    expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "Done." });
  });

  it("may be answered at the run, or closed without an answer", async () => {
    playQuestion({ ...QUESTION, multiple: true });
    const one = agentFor("thread-elsewhere");
    await one.agent.runAgent();
    const [asked] = one.agent.pendingInterrupts;
    const { runId } = (asked?.metadata ?? {}) as { runId?: string };
    expect(await postAnswer(runId ?? "", asked?.toolCallId ?? "", ["red", "blue"])).toBe(200);
    // The client sends its own answer too late.
    const resume = [
      { interruptId: asked?.id ?? "", status: "resolved" as const, payload: { answer: "red" } },
    ];
    await one.agent.runAgent({ resume }, one.subscriber);
    const result = one.events.find(({ type }) => type === "TOOL_CALL_RESULT");
    expect(result?.content).toBe("The person chose: red; blue");

    playQuestion({ question: "Why?" });
    const two = agentFor("thread-closed");
    await two.agent.runAgent();
    const [open] = two.agent.pendingInterrupts;
    await two.agent.runAgent(
      { resume: [{ interruptId: open?.id ?? "", status: "cancelled" }] },
      two.subscriber,
    );
    const closed = two.events.find(({ type }) => type === "TOOL_CALL_RESULT");
    expect(closed?.content).toContain("closed the question");
  });
});

describe("a question to an AI SDK client", () => {
  interface Question {
    type: "data-question";
    id: string;
    data: { runId: string; toolCallId: string; question: string; options?: string[]; answer?: string };
  }

  it("is a part of the message while the stream goes on, and the answer replaces it", async () => {
    playQuestion();
    const transport = new DefaultChatTransport<UIMessage>({ api: `${api.server.url}/chat/ui` });
    const stream = await transport.sendMessages({
      trigger: "submit-message",
      chatId: "chat-question",
      messageId: undefined,
      abortSignal: undefined,
      messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Paint it." }] }],
    });
    let message: UIMessage | undefined;
    const answers: number[] = [];
    const questionIn = (one: UIMessage) =>
      one.parts.filter(({ type }) => type === "data-question").map((part) => part as Question);
    for await (const next of readUIMessageStream({ stream })) {
      message = next;
      const [asked] = questionIn(next);
      if (!asked || answers.length > 0) continue;
      expect(asked.data).toMatchObject({
        question: "Which color?",
        options: ["red", "blue"],
        default: "red",
      });
      expect(next.parts.some((part) => part.type === "dynamic-tool")).toBe(true);
      answers.push(await postAnswer(asked.data.runId, asked.data.toolCallId, "blue"));
    }
    expect(answers).toEqual([200]);
    expect(message && questionIn(message)).toMatchObject([
      { data: { question: "Which color?", answer: "blue" } },
    ]);
    expect(message?.parts).toContainEqual(
      expect.objectContaining({
        type: "dynamic-tool",
        state: "output-available",
        output: "The person chose: blue",
      }),
    );
    expect(message?.parts.at(-1)).toMatchObject({ type: expect.stringMatching(/text|data-/) });
  });
});
