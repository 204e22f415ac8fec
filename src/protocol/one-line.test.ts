import { expect, it } from "vitest";
import { meRequest } from "./accounts.ts";
import { oneLine } from "./one-line.ts";
import { memoryLine, newProjectRequest } from "./projects.ts";
import { sessionChange } from "./requests.ts";

it.each([
  ["  Three\tdays\r\nin Aarhus\u2028 ", "Three days in Aarhus"],
  ["invoice\u202egpj.exe", "invoicegpj.exe"],
  ["a\0b\u0085c", "a b c"],
  ["\u0000\n", ""],
  ["a\ud800b", "a\ufffdb"],
  ["👩‍💻 می‌خواهم", "👩‍💻 می‌خواهم"],
])("%j is the line %j", (text, line) => {
  expect(oneLine(text)).toBe(line);
});

it("is what a title, the name of a project or a person, and a remembered line become", () => {
  const text = " a\u202e\nb ";
  expect(sessionChange.parse({ title: text }).title).toBe("a b");
  expect(newProjectRequest.parse({ name: text }).name).toBe("a b");
  expect(memoryLine.parse({ text }).text).toBe("a b");
  expect(meRequest.parse({ name: text }).name).toBe("a b");
  expect(sessionChange.safeParse({ title: "\0\u202e" }).success).toBe(false);
});
