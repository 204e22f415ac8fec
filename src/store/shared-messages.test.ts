import { expect, test } from "vitest";
import { textMessage } from "../protocol/messages.ts";
import { SharedBranches, SharedMessages } from "./shared-messages.ts";

type Stored = ReturnType<typeof stored>;
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

test("a branch that grows keeps its list, and another branch of the session does not change what was read", () => {
  const branches = new SharedBranches();
  const [a, b, c, other] = ["a", "b", "c", "other"].map(stored) as [Stored, Stored, Stored, Stored];
  const read = (...messages: Stored[]) => {
    branches.set("s", { end: messages.at(-1)?.id ?? "", messages, bytes: messages.length });
    return branches.get("s")?.messages;
  };
  const first = read(a, b);
  expect(read(a, b, c)).toBe(first);
  expect(first).toEqual([a, b, c]);
  expect(read(a, other)).toEqual([a, other]);
  expect(read(a)).toEqual([a]);
  expect(first).toEqual([a, b, c]);
});
