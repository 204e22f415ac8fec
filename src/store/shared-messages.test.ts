import { expect, test } from "vitest";
import { textMessage } from "../protocol/messages.ts";
import { SharedMessages } from "./shared-messages.ts";

const stored = (id: string) => ({ ...textMessage(id, "user", "Hello"), sessionId: "s", createdAt: "" });

test("what was read lately is kept, up to a number of bytes, and cannot be changed", () => {
  const shared = new SharedMessages();
  for (const id of ["a", "b", "c"]) shared.add(stored(id), 3_000_000);
  expect(shared.get("a")).toBeUndefined();
  expect(shared.get("b")).toEqual(stored("b"));
  shared.add(stored("d"), 3_000_000);
  expect(shared.get("c")).toBeUndefined();
  expect(() => shared.get("b")?.parts.push({ type: "text", text: "!" })).toThrow(TypeError);
  shared.clear();
  expect(shared.get("b")).toBeUndefined();
});
