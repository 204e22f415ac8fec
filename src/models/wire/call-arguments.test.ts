import { expect, test } from "vitest";
import { repairArguments } from "./call-arguments.ts";

test.each([
  ["an object", ' {"a": 1} ', '{"a": 1}'],
  ["nothing", " ", "{}"],
  ["null", "null", "{}"],
  ["an empty list, which is how PHP writes an empty object", "[]", "{}"],
  ["an object in a string", '"{\\"a\\": 1}"', '{"a": 1}'],
  ["an empty string in a string", '""', "{}"],
  ["an empty object before the real one", '{}{"a": 1}', '{"a": 1}'],
  ["the same object twice", '{"a":1}{"a":1}', '{"a":1}'],
])("%s becomes the object that was meant", (_, text, expected) => {
  expect(repairArguments(text)).toBe(expected);
});

test.each(['{"a": 1', '"a text"', "[1]", "Oslo", '{"a":1} and more'])(
  "%s stays for the model to see",
  (text) => {
    expect(repairArguments(text)).toBe(text);
  },
);
