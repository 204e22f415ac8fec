import { describe, expect, it } from "vitest";
import type { AssistantPart } from "../../protocol/messages.ts";
import type { ModelEvent } from "../../protocol/model.ts";
import { endingAt } from "./stop-texts.ts";

function said(pieces: string[], stops: string[], more: AssistantPart[] = []): ModelEvent[] {
  const events: ModelEvent[] = [];
  const emit = endingAt(stops, (event) => events.push(event));
  for (const text of pieces) emit({ type: "text_delta", text });
  emit({ type: "usage", usage: { inputTokens: 1, outputTokens: 2 } });
  emit({ type: "finish", reason: "stop", parts: [{ type: "text", text: pieces.join("") }, ...more] });
  return events;
}

const textOf = (events: ModelEvent[]) =>
  events.flatMap((event) => (event.type === "text_delta" ? [event.text] : [])).join("");

describe("an answer with stop texts", () => {
  it.each<[string[], string[], string]>([
    [["one two END three"], ["END"], "one two "],
    [["one tw", "o E", "N", "D three", " four"], ["END"], "one two "],
    [["E", "E", "N", "D"], ["END"], "E"],
    [["almost EN"], ["END"], "almost EN"],
    [["a<b", "><c>"], ["<c>", "b>"], "a<"],
    [["nothing of it"], ["END"], "nothing of it"],
    [["END"], ["END"], ""],
  ])("%j with %j ends as %j", (pieces, stops, expected) => {
    const events = said(pieces, stops);
    expect(textOf(events)).toBe(expected);
    expect(events.at(-1)).toMatchObject({ type: "finish", parts: [{ type: "text", text: expected }] });
    expect(events).toContainEqual({ type: "usage", usage: { inputTokens: 1, outputTokens: 2 } });
  });

  it("drops calls after the stop text, and keeps calls if the text does not occur", () => {
    const call: AssistantPart = { type: "tool_call", id: "c", name: "a", arguments: "{}" };
    expect(said(["END"], ["END"], [call]).at(-1)).toMatchObject({ parts: [{ type: "text", text: "" }] });
    expect(said(["text"], ["END"], [call]).at(-1)).toMatchObject({ parts: [{ type: "text" }, call] });
  });
});
