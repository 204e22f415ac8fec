import { expect, it } from "vitest";
import { scriptedModel, tool, turnOver } from "../loop/testing/scripted.ts";
import { Failure } from "../protocol/failure.ts";
import type { Registry } from "../protocol/registry.ts";
import type { Tool, ToolContext } from "../protocol/tool.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { rollback, undoJournal } from "./undo.ts";

const ada = { id: "ada", kind: "account" } as const;

function contextFor(_: unknown, toolCallId: string): ToolContext {
  const { turn } = turnOver(scriptedModel([]).model);
  const call = { type: "tool_call", id: toolCallId, name: "", arguments: "" } as const;
  return {
    ...turn.contextFor(call),
    toolCallId,
    requestId: turn.requestId,
    idempotencyKey: toolCallId,
    signal: turn.signal,
    progress: () => {},
    show: () => {},
  };
}

it("undoes changes newest first with what was kept, once each, and says why others stay", async () => {
  const store = await temporaryStore();
  await store.createSession({ id: "s", userId: "ada", title: "s" });
  const journal = (call: string, name: string) => undoJournal(store, { sessionId: "s" }, call, name);
  const key = await journal("call_1", "write").keep(new TextEncoder().encode("before"));
  await journal("call_1", "write").record({ summary: "write a.txt", reversible: true, data: { key } });
  await journal("call_2", "write").record({ summary: "fails", reversible: true, data: null });
  await journal("call_3", "gone").record({ summary: "of a tool that is gone", reversible: true, data: null });
  await journal("call_4", "plain").record({
    summary: "of a tool without undo",
    reversible: true,
    data: null,
  });
  await journal("call_5", "write").record({ summary: "send mail", reversible: false, data: null });

  const write = tool("write", {
    async undo({ data, summary }, { undo, sessionId }) {
      if (data === null) throw new Failure("CONFLICT", `${summary} since then.`);
      const { key } = data as { key: string };
      const bytes = await undo?.load(key);
      await undo?.keep(new TextEncoder().encode("after")); // Stored with the session, like all that it keeps.
      return `Restored ${new TextDecoder().decode(bytes)} in ${sessionId}.`;
    },
  });
  const tools: Record<string, Tool> = { write, plain: tool("plain") };
  const registry = { get: (name: string) => tools[name] } as Registry;
  const unavailable = (name: string) => `The tool ${name} that made this change is not available.`;
  const notUndone = [
    {
      toolCallId: "call_5",
      toolName: "write",
      summary: "send mail",
      reason: "This change cannot be undone.",
    },
    {
      toolCallId: "call_4",
      toolName: "plain",
      summary: "of a tool without undo",
      reason: unavailable("plain"),
    },
    {
      toolCallId: "call_3",
      toolName: "gone",
      summary: "of a tool that is gone",
      reason: unavailable("gone"),
    },
    { toolCallId: "call_2", toolName: "write", summary: "fails", reason: "fails since then." },
  ];
  expect(await rollback({ store, registry, contextFor }, ada, "s")).toEqual({
    undone: [
      { toolCallId: "call_1", toolName: "write", summary: "write a.txt", detail: "Restored before in s." },
    ],
    notUndone,
  });
  expect(await rollback({ store, registry, contextFor }, ada, "s")).toEqual({ undone: [], notUndone });
});

it("says that content is gone which is no longer stored", async () => {
  const journal = undoJournal(await temporaryStore(), { sessionId: "s" }, "call_1", "write");
  await expect(journal.load("no such key")).rejects.toMatchObject({
    code: "NOT_FOUND",
    publicMessage: "The previous content is no longer stored.",
  });
});

it("undoes what the newest run changed, then what the run before it did, and names newer changes that stay", async () => {
  const store = await temporaryStore();
  await store.createSession({ id: "s", userId: "ada", title: "s" });
  for (const [id, summary] of [
    ["run_1", "first"],
    ["run_2", "second"],
    ["run_2", "third"],
  ] as const)
    await undoJournal(store, { id, sessionId: "s" }, "call", "write").record({
      summary,
      reversible: true,
      data: null,
    });
  await undoJournal(store, { id: "run_3", sessionId: "s" }, "call", "write").record({
    summary: "cannot be undone",
    reversible: false,
    data: null,
  });
  const write = tool("write", { undo: async () => "Restored." });
  const registry = { get: (_: string) => write } as Registry;
  const undo = async () => {
    const { runId, undone, notUndone } = await rollback({ store, registry, contextFor }, ada, "s", "last");
    expect(notUndone.map(({ summary }) => summary)).toEqual(["cannot be undone"]);
    return [runId, ...undone.map(({ summary }) => summary)];
  };
  expect(await undo()).toEqual(["run_2", "third", "second"]);
  expect(await undo()).toEqual(["run_1", "first"]);
  expect(await undo()).toEqual([undefined]);
  const earlier = await rollback({ store, registry, contextFor }, ada, "s", "run_1");
  expect(earlier).toEqual({ runId: "run_1", undone: [], notUndone: [] });
});
