import { describe, expect, it } from "vitest";
import type { Message, Part } from "../protocol/messages.ts";
import { factsOf } from "./summary-facts.ts";
import { answers, asks, call, result, summaryBefore } from "./testing/conversation.ts";

const cut = { before: { messageId: "m9", part: 2 }, from: "m8" };
const WINDOW = 10_000;
const facts = (replaced: Parameters<typeof factsOf>[0], earlier?: Parameters<typeof factsOf>[2]) =>
  factsOf(replaced, cut, earlier, WINDOW);
const edits = (id: string, args: object) => call(id, "filesystem", JSON.stringify(args));

describe("what is known without a model", () => {
  it("is nothing but the words where nothing was done", async () => {
    expect(await facts([asks("m1", "Hello.")])).toEqual({
      ...cut,
      quotes: [{ text: "Hello.", rank: 1 }],
      filesChanged: [],
      filesRead: [],
      artifacts: [],
      taint: { outside: [], workspace: [], privateReads: [], suspicious: [] },
      messages: 1,
      todo: [],
    });
  });

  it("is which files were read and changed, each once, the newest last", async () => {
    const reads = ["read", "list", "exists", "metadata", "search"];
    const { filesRead, filesChanged } = await facts([
      answers(
        "m2",
        ...reads.map((operation) => edits(operation, { operation, path: `${operation}.txt` })),
        edits("w", { operation: "write", path: "new.txt" }),
        edits("x", { path: "odd.txt" }),
        edits("again", { operation: "read", path: "read.txt" }),
        edits("n", { operation: "read", path: "" }),
        edits("m", { operation: "read", path: 7 }),
        call("o", "other", '{"operation":"read","path":"other.txt"}'),
        call("b", "filesystem", "broken"),
        edits("l", { operation: "write", path: "two\nlines" }),
      ),
    ]);
    expect(filesRead).toEqual(["list.txt", "exists.txt", "metadata.txt", "search.txt", "read.txt"]);
    expect(filesChanged).toEqual(["new.txt", "odd.txt", "two lines"]);
  });

  it("is which artifacts were made", async () => {
    const made = { toolName: "generate_artifact" };
    const { artifacts } = await facts([
      answers(
        "m2",
        result("a", "A page", made),
        result("b", "Broken", { ...made, success: false }),
        result("c", "Something else"),
        result("d", "y".repeat(200), made),
      ),
    ]);
    expect(artifacts).toEqual(["A page", `${"y".repeat(159)}…`]);
  });

  it("is the newest todo list", async () => {
    const items = [
      { text: "bake", state: "done" },
      { text: "eat\nall", state: "open" },
    ];
    const list = answers(
      "m2",
      call("a", "todo", JSON.stringify({ items })),
      result("a", "ok", { toolName: "todo" }),
    );
    expect((await facts([list])).todo).toEqual(["done: bake", "open: eat all"]);
  });

  it("is the last day and the last state of the folder that the model was told", async () => {
    const git = (state: string): Part => ({ type: "text", text: "Hi", git: state });
    const on = (id: string, day: string | undefined, ...parts: Part[]): Message & { createdAt?: string } => ({
      id,
      role: "user",
      parts,
      ...(day ? { createdAt: `${day}T10:00:00Z` } : {}),
    });
    const answered = { ...answers("m4"), createdAt: "2026-03-04T00:00:00Z" };
    const replaced = [
      on("m1", "2026-01-01", git("main")),
      on("m2", "2026-01-02", git("side")),
      on("m3", undefined),
      answered,
    ];
    expect(await facts(replaced)).toMatchObject({ day: "2026-01-02", git: "side" });
  });

  it("is what was tainted by whom", async () => {
    const outside = { trust: "untrusted" } as const;
    const { taint } = await facts([
      answers(
        "m2",
        result("a", "x", { ...outside, toolName: "fetch", labels: ["instruction"] }),
        result("b", "x", { ...outside, toolName: "read", origin: "workspace", effect: "read" }),
      ),
    ]);
    expect(taint).toEqual({
      outside: ["fetch"],
      workspace: ["read"],
      privateReads: ["read"],
      suspicious: ["fetch"],
    });
  });
});

describe("an earlier summary", () => {
  const earlier = summaryBefore({ messageId: "m1", part: 0 }, "m1", {
    quotes: [{ text: "Always.", rank: 3 }],
    filesRead: ["a.txt", "b.txt"],
    filesChanged: ["c.txt"],
    artifacts: ["One"],
    todo: ["open: bake"],
    taint: { outside: ["web"], workspace: ["dir"], privateReads: ["mail"], suspicious: ["web"] },
    messages: 5,
    day: "2026-01-01",
    git: "main",
  });

  it("lives on, with what is new behind it", async () => {
    const found = await facts(
      [
        asks("m1", "Go."),
        answers(
          "m2",
          edits("r", { operation: "read", path: "a.txt" }),
          edits("w", { operation: "write", path: "d.txt" }),
          result("x", "Two", { toolName: "generate_artifact" }),
          result("f", "x", { toolName: "fetch", trust: "untrusted", effect: "read", labels: ["odd"] }),
        ),
      ],
      earlier,
    );
    expect(found).toEqual({
      ...cut,
      quotes: [
        { text: "Always.", rank: 3 },
        { text: "Go.", rank: 1 },
      ],
      filesRead: ["b.txt", "a.txt"],
      filesChanged: ["c.txt", "d.txt"],
      artifacts: ["One", "Two"],
      todo: ["open: bake"],
      taint: {
        outside: ["web", "fetch"],
        workspace: ["dir"],
        privateReads: ["mail", "fetch"],
        suspicious: ["web", "fetch"],
      },
      messages: 7,
      day: "2026-01-01",
      git: "main",
    });
  });

  it("gives way to what is newer, beyond sixty files and twenty artifacts", async () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);
    const full = { ...earlier, filesRead: names(60), filesChanged: names(60), artifacts: names(20) };
    expect(await facts([], full)).toMatchObject({
      filesRead: names(60),
      filesChanged: names(60),
      artifacts: names(20),
    });
    const found = await facts(
      [
        answers(
          "m2",
          edits("r", { operation: "read", path: "new" }),
          edits("w", { operation: "write", path: "new" }),
          result("x", "new", { toolName: "generate_artifact" }),
        ),
      ],
      full,
    );
    expect(found.filesRead).toEqual([...names(60).slice(1), "new"]);
    expect(found.filesChanged).toEqual([...names(60).slice(1), "new"]);
    expect(found.artifacts).toEqual([...names(20).slice(1), "new"]);
  });
});
