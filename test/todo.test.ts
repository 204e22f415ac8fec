import { expect, it } from "vitest";
import { calls, says, scriptedModel } from "../src/loop/testing/scripted.ts";
import { todoIn } from "../src/protocol/todo.ts";
import { eventsOf, startTackle } from "../src/runs/testing/tackle.ts";

it("the demo model keeps a list and works through it", async () => {
  const { chat } = await startTackle();
  const events = await eventsOf(chat, {
    sessionId: "list",
    message: "Work through these steps: get the time in Tokyo, get the time in Paris, say thanks",
  });
  const lists = events.flatMap((event) => (event.type === "todo" ? [event.items] : []));
  expect(lists.map((items) => items.map(({ state }) => state).join(" "))).toEqual([
    "doing open open",
    "done doing open",
    "done done doing",
    "done done done",
  ]);
  expect(events.filter(({ type }) => type === "tool_result")).toHaveLength(6);
  const [, answer] = await chat.messages("list");
  expect(answer?.state?.todo).toEqual(lists.at(-1));
});

it("a list that did not change is not announced again, and a bad one is refused", async () => {
  const list = { items: [{ text: "One", state: "doing" }, { text: "Two" }] };
  const { model, requests } = scriptedModel([
    calls({ name: "todo", arguments: JSON.stringify(list) }),
    calls({ name: "todo", arguments: JSON.stringify(list) }),
    calls({ name: "todo", arguments: JSON.stringify({ items: Array(21).fill({ text: "x" }) }) }),
    says("Done."),
  ]);
  const { chat } = await startTackle({ model });
  const events = await eventsOf(chat, { sessionId: "same", message: "Go" });
  expect(events.filter(({ type }) => type === "todo")).toEqual([
    { type: "todo", items: [list.items[0], { text: "Two", state: "open" }] },
  ]);
  const results = events.flatMap((event) => (event.type === "tool_result" ? [event.success] : []));
  expect(results).toEqual([true, true, false]);
  await eventsOf(chat, { sessionId: "same", message: "Go on" });
  // The next turn knows the list of the last one.
  expect(todoIn(requests.at(-1)?.messages ?? [])).toEqual([list.items[0], { text: "Two", state: "open" }]);
});
