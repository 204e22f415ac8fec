import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { tool } from "../loop/testing/scripted.ts";
import { appKey } from "../protocol/apps.ts";
import { Failure } from "../protocol/failure.ts";
import type { Tool } from "../protocol/tool.ts";
import { rememberedApprovals } from "./approvals.ts";
import { appCallOf } from "./apps.ts";
import { APP, ada, appsOf, CALL, KEY, PAGE } from "./testing/app-parts.ts";
import { registryOf } from "./testing/registry.ts";

const eve = { id: "eve", kind: "account" } as const;
const move = tool("maps_move", { effect: "write", preview: ({ text }) => `Move to\u200b ${text}` });
const asks = { default: { write: "ask" } };

function keyOf(runId: string, toolCallId: string): string {
  return createHmac("sha256", KEY).update(`${runId}\n${toolCallId}`).digest("base64url").slice(0, 32);
}

describe("an app", () => {
  it("is shown with its page, what it may reach, its tool and the result", async () => {
    const result = { content: [{ type: "text", text: "Oslo" }] };
    const { apps, run, reads } = await appsOf({ record: { page: PAGE, result } });
    expect(await apps.show(ada, run.id, "shown")).toEqual({
      ...APP,
      pageUrl: `/artifacts/apps/${run.id}/shown?key=${keyOf(run.id, "shown")}`,
      border: false,
      domains: { connectDomains: ["https://api.example"] },
      refusedDomains: ["https://ads.example"],
      tool: {
        name: "view",
        description: "The tool maps_view.",
        inputSchema: expect.objectContaining({ properties: expect.anything() }),
      },
      result,
      calls: [],
    });
    expect(reads).toEqual([]);
  });

  it("is shown without a page and a result while there are none, and without its server", async () => {
    const { apps, run } = await appsOf(
      {},
      { registry: registryOf({ get: () => undefined, list: () => [] }) },
    );
    expect(await apps.show(ada, run.id, "shown")).toEqual({
      ...APP,
      domains: {},
      refusedDomains: [],
      tool: { name: "view", inputSchema: { type: "object" } },
      calls: [],
    });
  });

  it("has its page read and kept where none was kept, together with a result that came meanwhile", async () => {
    const result = { content: [] };
    const { apps, run, store, reads } = await appsOf({
      async read() {
        await store.keepResult(run.id, appKey("shown"), JSON.stringify({ ...APP, result }));
        return PAGE;
      },
    });
    const shown = await apps.show(ada, run.id, "shown");
    expect(shown).toMatchObject({ border: false, result, pageUrl: expect.any(String) });
    expect(JSON.parse((await store.loadResult(run.id, appKey("shown"))) ?? "")).toEqual({
      ...APP,
      result,
      page: PAGE,
    });
    await apps.show(ada, run.id, "shown");
    expect(reads).toHaveLength(1);
  });

  it("is shown without a page that cannot be read", async () => {
    const failing = async () => {
      throw new Failure("UPSTREAM_ERROR", "The server is away.");
    };
    const { apps, run, store } = await appsOf({ read: failing });
    const shown = await apps.show(ada, run.id, "shown");
    expect(shown).not.toHaveProperty("pageUrl");
    expect(shown).not.toHaveProperty("border");
    expect(await store.loadResult(run.id, appKey("shown"))).toBeUndefined();
  });

  it("has a page that opens with its own key alone", async () => {
    const { apps, run } = await appsOf({ record: { page: PAGE } });
    expect(await apps.page(run.id, "shown", keyOf(run.id, "shown"))).toEqual({
      ...PAGE,
      domains: { connectDomains: ["https://api.example"] },
    });
    const gone = { code: "NOT_FOUND", publicMessage: "There is no such page." };
    for (const key of ["", "A".repeat(32), `${keyOf(run.id, "shown")}A`, keyOf(run.id, "plain")])
      await expect(apps.page(run.id, "shown", key), key).rejects.toMatchObject(gone);
    await expect(apps.page(run.id, "plain", keyOf(run.id, "plain"))).rejects.toMatchObject(gone);
    const empty = await appsOf({ record: {} });
    const key = keyOf(empty.run.id, "shown");
    await expect(empty.apps.page(empty.run.id, "shown", key)).rejects.toMatchObject(gone);
  });

  it("is found by its owner, and only where the call has an interface", async () => {
    const { apps, run, store } = await appsOf();
    expect(await appCallOf(store, ada, run.id, "shown")).toMatchObject({
      run: { id: run.id },
      call: { toolCallId: "shown" },
      app: APP,
    });
    const none = { code: "NOT_FOUND", publicMessage: "This call has no interface." };
    for (const toolCallId of ["plain", "none"])
      await expect(apps.show(ada, run.id, toolCallId)).rejects.toMatchObject(none);
    await expect(apps.show(eve, run.id, "shown")).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  it("reads resources of its server while the person has its tool", async () => {
    const { apps, run } = await appsOf();
    expect(await apps.read(ada, run.id, "shown", "ui://maps/more", CALL.signal)).toEqual({
      contents: ["maps", "ui://maps/more", "ada"],
    });
    const without = await appsOf({}, { registry: registryOf({ get: () => undefined, list: () => [] }) });
    const reading = without.apps.read(ada, without.run.id, "shown", "ui://maps/more", CALL.signal);
    await expect(reading).rejects.toMatchObject({
      code: "UPSTREAM_ERROR",
      publicMessage: 'The MCP server "maps" is not available, so its app can only show what it has.',
      retryable: false,
    });
  });
});

describe("a call of an app", () => {
  it("returns what the server sent, or the text of the result, and is remembered", async () => {
    const raw = tool("maps_raw", { run: () => ({ output: "1", received: { structuredContent: { a: 1 } } }) });
    const { call, madeCalls } = await appsOf({ tools: [tool("maps_echo"), raw] });
    expect(await call("echo", { value: 1 })).toEqual({
      result: { content: [{ type: "text", text: '{"value":1}' }], isError: false },
    });
    expect(await call("raw")).toEqual({ result: { structuredContent: { a: 1 } } });
    const made = { at: expect.stringMatching(/^\d{4}-.*Z$/), latencyMs: expect.any(Number) };
    expect(await madeCalls()).toEqual([
      { name: "echo", arguments: { value: 1 }, success: true, ...made },
      { name: "raw", arguments: {}, success: true, ...made },
    ]);
    expect((await madeCalls())[0]?.latencyMs).toBeLessThan(60_000);
  });

  it("tells the tool the run and the request that it belongs to", async () => {
    let seen: object | undefined;
    const look = tool("maps_look", {
      run: (_, { sessionId, runId, requestId, isDirect }) => {
        seen = { sessionId, runId, requestId, isDirect };
        return "";
      },
    });
    const { call, run } = await appsOf({ tools: [look] });
    await call("look");
    expect(seen).toEqual({ sessionId: run.sessionId, runId: run.id, requestId: "req_1", isDirect: false });
  });

  it("that fails returns an error if the tool failed, and throws if it did not run", async () => {
    const reported = { content: [{ type: "text", text: "No such city." }], isError: true };
    const broken = tool("maps_broken", {
      run: () => {
        throw new Failure("TOOL_FAILED", "It broke.");
      },
    });
    const refused = tool("maps_refused", {
      run: () => {
        throw new Failure("TOOL_FAILED", "It refused.", { cause: { result: reported } });
      },
    });
    const { call, madeCalls } = await appsOf({ tools: [broken, refused, tool("maps_echo")] });
    expect(await call("broken")).toEqual({
      result: { content: [{ type: "text", text: "It broke." }], isError: true },
    });
    expect(await call("refused")).toEqual({ result: reported });
    await expect(call("echo", { value: "many" })).rejects.toMatchObject({ code: "TOOL_INVALID_ARGUMENTS" });
    expect(await madeCalls()).toMatchObject([
      { name: "broken", success: false, error: "It broke." },
      { name: "refused", success: false, error: "It refused." },
      { name: "echo", success: false, error: expect.stringContaining("value") },
    ]);
  });

  it("reaches only tools of its own server that this person may use", async () => {
    const hidden = tool("app_hidden");
    const { call } = await appsOf({ tools: [hidden] });
    expect(await call("hidden")).toMatchObject({ result: { isError: false } });
    const long = "n".repeat(150);
    await expect(call(long)).rejects.toMatchObject({
      code: "TOOL_UNKNOWN",
      publicMessage: `Apps of maps have no tool "${"n".repeat(100)}" that they may call.`,
    });
    const view = tool("maps_view");
    const guests = registryOf({ get: (name) => (name === "maps_view" ? view : undefined), list: () => [] });
    const everybody = registryOf({ get: (name) => (name === "app_hidden" ? hidden : undefined) });
    const split = await appsOf({ tools: [hidden] }, { registry: { ...everybody, for: () => guests } });
    await expect(split.call("hidden")).rejects.toMatchObject({ code: "TOOL_UNKNOWN" });
    const without = await appsOf({ tools: [hidden] }, { registry: registryOf({ get: () => undefined }) });
    await expect(without.call("hidden")).rejects.toMatchObject({ code: "UPSTREAM_ERROR" });
    await expect(
      without.apps.call(eve, without.run.id, "shown", { callId: "c", name: "hidden", arguments: {} }, CALL),
    ).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  it("is remembered with the first 2,000 characters of its arguments, and of 51 calls the newest 50", async () => {
    const { call, madeCalls } = await appsOf({ tools: [tool("maps_echo")] });
    const sized = (size: number) => ({ a: "x".repeat(size - '{"a":""}'.length) });
    await expect(call("echo", sized(2_000))).rejects.toThrow();
    await expect(call("echo", sized(2_001))).rejects.toThrow();
    const [whole, cut] = await madeCalls();
    expect(whole?.arguments).toEqual(sized(2_000));
    expect(cut?.arguments).toBe(`${JSON.stringify(sized(2_001)).slice(0, 2_000)}…`);
    await Promise.all(Array.from({ length: 49 }, () => call("echo")));
    const made = await madeCalls();
    expect(made).toHaveLength(50);
    expect(made[0]?.arguments).toBe(cut?.arguments);
  });

  it("is answered also where it cannot be remembered", async () => {
    const { apps, run, store } = await appsOf({ tools: [tool("maps_echo")] });
    store.keepResult = () => Promise.reject(new Error("The disk is full."));
    const request = { callId: "c", name: "echo", arguments: {} };
    expect(await apps.call(ada, run.id, "shown", request, CALL)).toMatchObject({
      result: { isError: false },
    });
  });
});

describe("an approval of an app's call", () => {
  const approvalIn = async (answer: Promise<object>) => {
    const { approval } = (await answer) as { approval: { argumentsHash: string } };
    return approval;
  };

  it("is asked for with what will run, and nothing runs before", async () => {
    let ran = 0;
    const counted: Tool = { ...move, run: async () => ({ output: `moved ${++ran}` }) };
    const { call, madeCalls, audited, run } = await appsOf({ tools: [counted], policy: asks });
    const answer = await call("move", { text: "Oslo" });
    expect(answer).toEqual({
      approval: {
        toolName: "maps_move",
        arguments: { text: "Oslo" },
        argumentsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        reason: expect.stringContaining("change"),
        risk: "medium",
        preview: "Move to⟨U+200B⟩ Oslo",
        always: { tool: "maps_move" },
      },
    });
    expect(ran).toBe(0);
    expect(await madeCalls()).toEqual([]);
    const { argumentsHash } = await approvalIn(call("move", { text: "Oslo" }));
    expect(audited).toMatchObject([
      { action: "approval.asked", sessionId: run.sessionId, subject: { tool: "maps_move", argumentsHash } },
      { action: "approval.asked" },
    ]);
    const allowed = await call("move", { text: "Oslo" }, { decision: "once", argumentsHash });
    expect(allowed).toMatchObject({ result: { content: [{ text: "moved 1" }] } });
    expect(audited[2]).toMatchObject({
      actor: "ada",
      action: "approval.decided",
      subject: { tool: "maps_move", decision: "once", via: "app", argumentsHash },
    });
    expect(await call("move", { text: "Oslo" }, {}, "c2")).toHaveProperty("approval");
  });

  it("counts for these arguments alone, in this run alone", async () => {
    const { call } = await appsOf({ tools: [move], policy: asks });
    const oslo = await approvalIn(call("move", { text: "Oslo" }));
    const decided = { decision: "once", argumentsHash: oslo.argumentsHash };
    const rome = await approvalIn(call("move", { text: "Rome" }, decided));
    expect(rome.argumentsHash).not.toBe(oslo.argumentsHash);
    expect(await call("move", { text: "Oslo" }, { argumentsHash: oslo.argumentsHash })).toHaveProperty(
      "approval",
    );
    const other = await appsOf({ tools: [move], policy: asks });
    expect(await other.call("move", { text: "Oslo" }, decided)).toHaveProperty("approval");
    const renamed = { ...move, description: "Moves everything." };
    const changed = await appsOf({ tools: [renamed], policy: asks });
    expect(await changed.call("move", { text: "Oslo" }, decided)).toHaveProperty("approval");
  });

  it("counts once", async () => {
    const { call, madeCalls } = await appsOf({ tools: [move], policy: asks });
    const { argumentsHash } = await approvalIn(call("move", { text: "Oslo" }));
    const decided = { decision: "once", argumentsHash };
    const twice = await Promise.allSettled([
      call("move", { text: "Oslo" }, decided),
      call("move", { text: "Oslo" }, decided),
    ]);
    expect(twice.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(twice.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "CONFLICT", publicMessage: "This call was decided on already." },
    });
    expect(await call("move", { text: "Oslo" }, decided, "c2")).toHaveProperty("result");
    expect((await madeCalls()).map(({ success }) => success).sort()).toEqual([false, true, true]);
  });

  it("counts for its own app alone, because every app numbers its calls by itself", async () => {
    const { apps, call, run, store } = await appsOf({ tools: [move], policy: asks });
    const events = [
      { type: "tool_call_start", toolCallId: "other", toolName: "maps_view", arguments: {}, textOffset: 0 },
      { type: "tool_executing", toolCallId: "other", toolName: "maps_view", app: APP },
    ].map((event) => JSON.stringify(event));
    await store.commit([{ runId: run.id, epoch: run.epoch, firstSeq: 5, events, steps: [] }], {
      durable: false,
    });
    const { argumentsHash } = await approvalIn(call("move", { text: "Oslo" }));
    const decided = { decision: "once", argumentsHash } as const;
    expect(await call("move", { text: "Oslo" }, decided)).toHaveProperty("result");
    const same = { callId: "c1", name: "move", arguments: { text: "Oslo" }, ...decided };
    expect(await apps.call(ada, run.id, "other", same, CALL)).toHaveProperty("result");
  });

  it("is refused where it cannot be kept", async () => {
    const { call, store } = await appsOf({ tools: [move], policy: asks });
    const { argumentsHash } = await approvalIn(call("move", { text: "Oslo" }));
    store.keepResult = async () => false;
    await expect(call("move", { text: "Oslo" }, { decision: "once", argumentsHash })).rejects.toMatchObject({
      code: "CONFLICT",
    });
  });

  it("can be a no", async () => {
    const { call, madeCalls, audited } = await appsOf({ tools: [move], policy: asks });
    const { argumentsHash } = await approvalIn(call("move", { text: "Oslo" }));
    const denied = { code: "TOOL_DENIED", publicMessage: "The person did not allow this call." };
    await expect(call("move", { text: "Oslo" }, { decision: "deny", argumentsHash })).rejects.toMatchObject(
      denied,
    );
    expect(await madeCalls()).toMatchObject([{ success: false, error: denied.publicMessage }]);
    expect(audited).toContainEqual(
      expect.objectContaining({
        action: "approval.decided",
        subject: expect.objectContaining({ decision: "deny" }),
      }),
    );
  });

  it("can be for the rest of the session, which once is not", async () => {
    const { call, run, store, audited } = await appsOf({ tools: [move], policy: asks });
    const { argumentsHash } = await approvalIn(call("move", { text: "Oslo" }));
    await call("move", { text: "Oslo" }, { decision: "once", argumentsHash }, "c1");
    expect(await rememberedApprovals(store, run)).toEqual(new Set());
    await call("move", { text: "Oslo" }, { decision: "always", argumentsHash }, "c2");
    expect(await rememberedApprovals(store, run)).toEqual(new Set(["maps_move"]));
    expect(await call("move", { text: "Rome" }, {}, "c3")).toHaveProperty("result");
    expect(audited.at(-1)).toMatchObject({ action: "call.allowed", subject: { by: "policy" } });
  });

  it("is not asked for where the policy allows or denies the call", async () => {
    const denying = await appsOf({ tools: [move], policy: { default: { write: "deny" } } });
    await expect(denying.call("move")).rejects.toMatchObject({
      code: "TOOL_DENIED",
      publicMessage: "The policy does not allow this call of maps_move.",
    });
    const allowing = await appsOf({ tools: [move], policy: { default: { write: "allow" } } });
    expect(await allowing.call("move")).toHaveProperty("result");
  });

  it("has no preview and no offer of always where there is none", async () => {
    const must = tool("maps_must", { effect: "write", mustAsk: () => "It is dangerous." });
    const { call } = await appsOf({ tools: [must], policy: asks });
    const approval = await approvalIn(call("must"));
    expect(approval).not.toHaveProperty("preview");
    expect(approval).not.toHaveProperty("always");
  });
});
