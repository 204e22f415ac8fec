import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { Screen } from "./screen.ts";

function written(isTTY: boolean, act: (screen: Screen) => void): string {
  const output = Object.assign(new PassThrough(), { isTTY });
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
