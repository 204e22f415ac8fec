import { expect, it } from "vitest";
import { createHistory } from "./history.ts";
import { Prompt } from "./prompt.ts";

const names = ["/one", "/two", "/three", "/four", "/五"];
const complete = (text: string, end: number) =>
  text.startsWith("/")
    ? { start: 0, end, items: names.map((name) => ({ text: name, note: "…" })) }
    : undefined;

function prompt(): Prompt {
  return new Prompt({
    history: createHistory(),
    paint: (_, text) => text,
    complete,
    imageAt: () => undefined,
  });
}

it("the menu takes no more rows than there are, and shows the entry that is chosen", () => {
  const { press, draw } = bound(prompt());
  press({ type: "text", text: "/", alone: true });
  expect(draw(40, 20).lines).toHaveLength(6);
  expect(draw(40, 3).lines).toEqual(["› /", "  /one    …", "  /two    …"]);
  for (let times = 0; times < 4; times++) press({ type: "key", name: "down" });
  expect(draw(40, 3).lines).toEqual(["› /", "  /four   …", "  /五     …"]);
  expect(draw(40, 1).lines).toEqual(["› /"]);
});

it("a long message leaves room for the menu, and the row of the cursor is shown", () => {
  const { press, draw } = bound(prompt());
  press({ type: "text", text: Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n"), alone: false });
  const { lines, cursor } = draw(40, 10);
  expect(lines).toHaveLength(3);
  expect(lines[cursor.row]).toContain("line 39");
});

function bound(one: Prompt) {
  return {
    press: (key: Parameters<Prompt["press"]>[0]) => one.press(key, 40, false),
    draw: one.draw.bind(one),
  };
}
