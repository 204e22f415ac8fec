import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { Screen } from "./screen.ts";

function written(isTTY: boolean, act: (screen: Screen) => void, rows = 24): string {
  const output = Object.assign(new PassThrough(), { isTTY, columns: 80, rows });
  act(new Screen(output));
  return String(output.read() ?? "");
}

it("the window has the title of the session until the screen is closed, and only in a terminal", () => {
  const named = written(true, (screen) => screen.nameWindow("Counting sheep"));
  expect(named).toBe("\x1b]2;Counting sheep\x07");
  const closed = written(true, (screen) => {
    screen.nameWindow("Counting sheep");
    screen.close();
  });
  expect(closed).toContain("\x1b]2;\x07");
  expect(written(true, (screen) => screen.close())).not.toContain("\x1b]2;");
  expect(written(false, (screen) => screen.nameWindow("Counting sheep"))).toBe("");
});

it("shows any number of lines that were finished while another program had the terminal", () => {
  const lines = Array.from({ length: 200_000 }, (_, at) => `${at}`);
  const text = written(true, (screen) => {
    screen.hold();
    screen.printAll(lines);
    screen.release();
  });
  expect(text).toContain("199999");
});

it("a low window shows the lines around the cursor, and never more than it has", () => {
  const lines = ["one", "two", "three", "four", "five"];
  const shownAt = (row: number) => {
    const text = written(
      true,
      (screen) => (screen.footer = () => ({ lines, cursor: { row, column: 0 } })),
      4,
    );
    return lines.filter((line) => text.includes(line));
  };
  expect(shownAt(0)).toEqual(["one", "two", "three"]);
  expect(shownAt(1)).toEqual(["two", "three", "four"]);
  expect(shownAt(4)).toEqual(["three", "four", "five"]);
});
