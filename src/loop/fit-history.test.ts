import { expect, it } from "vitest";
import { type Message, textMessage } from "../protocol/messages.ts";
import { fitHistory } from "./fit-history.ts";

const turns = (count: number, size: number) =>
  Array.from({ length: count }, (_, index) =>
    textMessage(`m${index}`, index % 2 === 0 ? "user" : "assistant", "x".repeat(size)),
  );

it("sends everything that fits", () => {
  expect(fitHistory(turns(5, 10), 1_000)).toHaveLength(5);
});

it("drops the oldest messages if the model has no room, and begins with the person's words", () => {
  const kept = fitHistory(turns(21, 300), 1_000);
  expect(kept.length).toBeLessThan(10);
  expect(kept[0]?.role).toBe("user");
  expect(kept.at(-1)?.id).toBe("m20");
});

it("drops an answer whose question did not fit, so that the history begins with the person's words", () => {
  // 2,100 characters fit: six messages of 350, of which the oldest is an answer.
  expect(fitHistory(turns(21, 350), 1_000).map(({ id }) => id)).toEqual(["m16", "m17", "m18", "m19", "m20"]);
});

it("keeps a message that fits exactly", () => {
  expect(fitHistory(turns(3, 700), 1_000)).toHaveLength(3);
  expect(fitHistory(turns(3, 701), 1_000).map(({ id }) => id)).toEqual(["m2"]);
});

it("assumes a common context window for a model that declares none", () => {
  expect(fitHistory(turns(3, 100_000), undefined).map(({ id }) => id)).toEqual(["m2"]);
  expect(fitHistory(turns(3, 80_000), undefined)).toHaveLength(3);
});

it("counts attached files, reasoning, calls, results and images", () => {
  const parts: Message["parts"] = [
    { type: "text", text: "", file: { id: "f", name: "f", mimeType: "text/plain", size: 50_000 } },
    { type: "reasoning", text: "r".repeat(2_100) },
    { type: "tool_call", id: "c", name: "look", arguments: "a".repeat(2_096) },
    {
      type: "tool_result",
      toolCallId: "c",
      toolName: "look",
      success: true,
      output: "o".repeat(1_900),
      trust: "trusted",
    },
    { type: "image", mimeType: "image/png", fileId: "i" },
  ];
  for (const part of parts) {
    const messages = [
      textMessage("old", "user", "?"),
      { id: "big", role: "assistant" as const, parts: [part] },
    ];
    expect(fitHistory([...messages, textMessage("new", "user", "!")], 1_000), part.type).toHaveLength(1);
  }
});

it("always sends the newest message and the system messages", () => {
  const messages = [textMessage("s", "system", "Be kind."), ...turns(3, 10_000)];
  expect(fitHistory(messages, 1_000).map(({ id }) => id)).toEqual(["s", "m2"]);
});
