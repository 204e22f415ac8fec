import { describe, expect, it } from "vitest";
import { memoryLog, tool } from "../loop/testing/scripted.ts";
import { textMessage } from "../protocol/messages.ts";
import type { Principal } from "../protocol/principal.ts";
import { reduceAll } from "../protocol/reduce.ts";
import type { RunRequest } from "../protocol/run-request.ts";
import type { Store } from "../protocol/store.ts";
import {
  NESTED_INSTRUCTIONS,
  type Skill,
  type Workspace,
  type WorkspaceText,
} from "../protocol/workspace.ts";
import { answerOf, doneEvent, endOf, openedRun } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { withSkills } from "./choose-tools.ts";
import {
  instructionsGiven,
  newestRunOf,
  warnOnce,
  workspaceFor,
  workspaceTextOf,
} from "./session-instructions.ts";

const ada: Principal = { id: "ada", kind: "account" };
const textFrom = (place: string): WorkspaceText => ({
  place,
  instructions: [],
  skills: [],
  projects: [],
  warnings: [],
});

/** A workspace that reads this text, and trusts it still or not. */
function workspaceOf(text: WorkspaceText | undefined, holds = true): Workspace {
  return {
    read: async ({ id }) => (id === "ada" ? text : undefined),
    holds: async () => holds,
    skillTool: (skills) => tool(`skill_${skills.map(({ name }) => name)}`),
  } as Partial<Workspace> as Workspace;
}

const nothing = async () => undefined;
const newestIn = (store: Store, sessionId: string) => () => newestRunOf(store, sessionId);

/** Answers in the session `s`, told this about where it works. */
async function turn(store: Store, told: Pick<RunRequest, "workspace" | "workspaceOf">) {
  const known = await store.getSession("s");
  const request: RunRequest = { request: {}, principal: ada, model: "m", requestId: "r", ...told };
  const newSession = known ? undefined : { title: "s" };
  const run = await openedRun(store, { sessionId: "s", newSession, request });
  await store.finishRun({ ...endOf(run, 2, [doneEvent(run)]), message: answerOf(run, []) });
  return run;
}

describe("what a run is told about where it works", () => {
  it("is what the workspace reads for the person of a new session", async () => {
    const store = await temporaryStore();
    const workspace = workspaceOf(textFrom("/home/ada"));
    expect(await workspaceFor({ store, workspace }, ada, {}, nothing)).toEqual({
      workspace: textFrom("/home/ada"),
    });
    expect(await workspaceFor({ store, workspace }, { ...ada, id: "eve" }, {}, nothing)).toEqual({});
    expect(await workspaceFor({ store }, ada, {}, nothing)).toEqual({});
  });

  it("is nothing where the client has its own instructions, or the whole history", async () => {
    const store = await temporaryStore();
    const workspace = workspaceOf(textFrom("/home/ada"));
    for (const request of [{ systemPrompt: "" }, { history: [] }])
      expect(await workspaceFor({ store, workspace }, ada, request, nothing)).toEqual({});
  });

  it("is nothing for guests, and the run before theirs is not read", async () => {
    const store = await temporaryStore();
    const workspace = workspaceOf(textFrom("/home/ada"));
    const newest = () => Promise.reject(new Error("it was read"));
    expect(await workspaceFor({ store, workspace }, { id: "g", kind: "guest" }, {}, newest)).toEqual({});
  });

  it("stays the same within a session, and is kept once", async () => {
    const store = await temporaryStore();
    const first = await turn(store, { workspace: textFrom("/a") });
    const now = { store, workspace: workspaceOf(textFrom("/b")) };
    expect(await workspaceFor(now, ada, {}, newestIn(store, "s"))).toEqual({ workspaceOf: first.id });
    await turn(store, { workspaceOf: first.id });
    expect(await workspaceFor(now, ada, {}, newestIn(store, "s"))).toEqual({ workspaceOf: first.id });
    expect(await workspaceTextOf(store, { workspaceOf: first.id })).toEqual(textFrom("/a"));
    expect(await workspaceTextOf(store, { workspace: textFrom("/c"), workspaceOf: first.id })).toEqual(
      textFrom("/c"),
    );
    expect(await workspaceTextOf(store, {})).toBeUndefined();
    expect(await workspaceTextOf(store, { workspaceOf: "run_none" })).toBeUndefined();
  });

  it("is read again once it is no longer trusted", async () => {
    const store = await temporaryStore();
    const first = await turn(store, { workspace: textFrom("/a") });
    const read = (text: WorkspaceText | undefined) =>
      workspaceFor({ store, workspace: workspaceOf(text, false) }, ada, {}, newestIn(store, "s"));
    expect(await read(textFrom("/b"))).toEqual({ workspace: textFrom("/b") });
    expect(await read(textFrom("/a"))).toEqual({ workspaceOf: first.id });
    expect(await read(undefined)).toEqual({});
  });

  it("is read for a session in which nothing was told", async () => {
    const store = await temporaryStore();
    await store.createSession({ id: "empty", userId: "ada", title: "" });
    const workspace = workspaceOf(textFrom("/a"));
    expect(await workspaceFor({ store, workspace }, ada, {}, newestIn(store, "empty"))).toEqual({
      workspace: textFrom("/a"),
    });
    await turn(store, {});
    expect(await workspaceFor({ store, workspace }, ada, {}, newestIn(store, "s"))).toEqual({
      workspace: textFrom("/a"),
    });
  });
});

it("a model that may call tools can load skills, where there are any", () => {
  const skill: Skill = { name: "cook", description: "", source: "person", folder: "", hash: "" };
  const workspace = workspaceOf(undefined);
  const text = { ...textFrom("/a"), skills: [skill] };
  const chosen = { tools: [tool("echo")], other: 1 };
  const names = (given: typeof chosen) => given.tools.map(({ name }) => name);
  const extended = withSkills(chosen, workspace, text);
  expect(names(extended)).toEqual(["echo", "skill_cook"]);
  expect(extended.other).toBe(1);
  expect(withSkills(chosen, undefined, text)).toBe(chosen);
  expect(withSkills(chosen, workspace, undefined)).toBe(chosen);
  expect(withSkills(chosen, workspace, textFrom("/a"))).toBe(chosen);
  const none = { tools: [], other: 1 };
  expect(withSkills(none, workspace, text)).toBe(none);
});

it("instructions of folders below are given once, in earlier results and in this run", () => {
  const result = (output: string) => ({
    type: "tool_result" as const,
    toolCallId: "c",
    toolName: "read",
    success: true,
    trust: "trusted" as const,
    output,
  });
  const history = [
    textMessage("m", "user", `${NESTED_INSTRUCTIONS}said]`),
    {
      id: "a",
      role: "assistant" as const,
      parts: [
        result(`Text.\n${NESTED_INSTRUCTIONS}a/AGENTS.md]\nBe brief.\n${NESTED_INSTRUCTIONS}b/AGENTS.md]`),
        result("plain]"),
      ],
    },
  ];
  const start = { toolCallId: "c1", toolName: "read" };
  const state = reduceAll([
    { type: "tool_call_start", ...start, arguments: {}, textOffset: 0 },
    { type: "tool_call_start", ...start, toolCallId: "c2", arguments: {}, textOffset: 0 },
    {
      type: "tool_result",
      ...start,
      success: true,
      latencyMs: 1,
      retryCount: 0,
      cached: false,
      output: `${NESTED_INSTRUCTIONS}c/AGENTS.md]`,
    },
  ]);
  expect(instructionsGiven(history, state)).toEqual(new Set(["a/AGENTS.md", "b/AGENTS.md", "c/AGENTS.md"]));
});

it("what was left out is said once in a run", () => {
  const { log, events } = memoryLog();
  warnOnce(log, ["Too long.", "Too many."]);
  warnOnce(log, ["Too long.", "Too old."], "PROJECT");
  expect(events).toEqual([
    { type: "warning", code: "WORKSPACE", message: "Too long." },
    { type: "warning", code: "WORKSPACE", message: "Too many." },
    { type: "warning", code: "PROJECT", message: "Too old." },
  ]);
});
