import { expect, test } from "vitest";
import { compactFocus } from "./compact-command.ts";

test.each([
  ["/compact", ""],
  ["  /compact  ", ""],
  ["/compact the colors\nand the names", "the colors\nand the names"],
  ["/compacted", undefined],
  ["What does /compact do?", undefined],
])("reads %j as a command with the focus %j", (text, focus) => {
  expect(compactFocus(text)).toBe(focus);
});
