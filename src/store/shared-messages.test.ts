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

/** A store with branches of sessions, which notes what is asked for. */
function branchesOf(sessions: Record<string, Stored[]>, bytes = 1) {
  const branches = new SharedBranches();
  const asked: string[] = [];
  const read = (id: string) =>
    branches.read(
      id,
      (from) => {
        const all = sessions[id] ?? [];
        const start = all.findIndex((one) => one.id === from);
        return all.slice(Math.max(0, start)).map((message) => ({ id: message.id, bytes, message }));
      },
      async (found) => {
        asked.push(found.map((one) => one.id).join("+"));
        return found.map(({ message }) => message);
      },
    );
  return { branches, asked, read };
}

const [a, b, c, d] = ["a", "b", "c", "d"].map(stored) as [Stored, Stored, Stored, Stored];

test("only what was added to a branch is read, and what somebody has read does not change", async () => {
  const sessions = { s: [a, b] };
  const { asked, read, branches } = branchesOf(sessions);
  const first = await read("s");
  expect(await read("s")).toEqual([a, b]);
  sessions.s = [a, b, c];
  expect(await read("s")).toEqual([a, b, c]);
  expect(first).toEqual([a, b]);
  expect(asked).toEqual(["a+b", "c"]);
  sessions.s = [a, d];
  expect(await read("s")).toEqual([a, d]);
  branches.clear();
  sessions.s = [];
  expect(await read("s")).toEqual([]);
  expect(asked).toEqual(["a+b", "c", "a+d"]);
});

test("two that read a branch at once while it grows get all of it", async () => {
  const sessions = { s: [a] };
  const { read } = branchesOf(sessions);
  await read("s");
  sessions.s = [a, b];
  const one = read("s");
  sessions.s = [a, b, c];
  const other = read("s");
  expect([await one, await other]).toEqual([
    [a, b],
    [a, b, c],
  ]);
  expect(await read("s")).toEqual([a, b, c]);
});

test("a message that is deleted while its branch is read is missing, and the branch is not kept", async () => {
  const branches = new SharedBranches();
  const find = () => [a, b].map(({ id }) => ({ id, bytes: 1 }));
  expect(await branches.read("s", find, () => [a])).toEqual([a]);
  expect(await branches.read("s", find, () => [a, b])).toEqual([a, b]);
});

test("one branch of each session is kept, up to a number of bytes", async () => {
  const { asked, read } = branchesOf({ one: [a], two: [b], three: [c] }, 3_000_000);
  for (const id of ["one", "two", "one", "three", "one", "two"]) await read(id);
  expect(asked).toEqual(["a", "b", "c", "b"]);
});

test("what nobody has read for ten minutes goes", async () => {
  let now = 0;
  const shared = new SharedMessages(() => now);
  for (const id of ["a", "b"]) shared.add(stored(id), 1);
  now += 9 * 60_000;
  shared.get("b");
  now += 2 * 60_000;
  shared.add(stored("c"), 1);
  expect(["a", "b", "c"].map((id) => shared.get(id)?.id)).toEqual([undefined, "b", "c"]);
});
