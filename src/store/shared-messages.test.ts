import { expect, test } from "vitest";
import { textMessage } from "../protocol/messages.ts";
import { SharedBranches, SharedMessages } from "./shared-messages.ts";

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

test("one branch of each session is kept, up to a number of bytes", () => {
  const branches = new SharedBranches();
  const branch = (end: string) => ({ end, messages: [stored(end)], bytes: 3_000_000 });
  for (const id of ["a", "b"]) branches.set(id, branch(id));
  branches.set("a", branch("later"));
  expect([branches.get("a")?.end, branches.get("b")?.end]).toEqual(["later", "b"]);
  branches.set("c", branch("c"));
  expect([branches.get("a")?.end, branches.get("b")?.end]).toEqual(["later", undefined]);
  branches.clear();
  expect(branches.get("a")).toBeUndefined();
});
