import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { type Cluster, findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { bearer, signUp } from "./support/accounts.ts";
import { mcpRequest, TASKS } from "./support/mcp.ts";
import { modelAt, type OwnProcess, startOwnServer, temporaryFolder } from "./support/server.ts";

const release = findRelease();
const folder = temporaryFolder();
let cluster: Cluster;
let upstream: Upstream;
let one: OwnProcess;
let two: OwnProcess;
let ada: Record<string, string>;
let bob: Record<string, string>;

/** What a client can do that shows forms and follows tasks. */
const able = { elicitation: {}, extensions: { [TASKS]: {} } };

function writeTool(name: string, fields: string): void {
  const head = 'import { appendFileSync, readFileSync } from "node:fs";';
  writeFileSync(
    `${folder.path}/tools/${name}.mjs`,
    `${head}\nexport default { name: "${name}", description: "${name}", effect: "none", ${fields} };`,
  );
}

/** Hangs on its first run, and counts its runs in a file. */
function hangingOnce(name: string, retry: "pure" | "unsafe"): string {
  const file = JSON.stringify(`${folder.path}/ran-${name}`);
  return `retry: "${retry}", run: () => {
    appendFileSync(${file}, "x");
    return readFileSync(${file}, "utf8").length === 1 ? new Promise(() => {}) : "second time";
  }`;
}

const runsOf = (name: string) => readFileSync(`${folder.path}/ran-${name}`, "utf8").length;

function startInstance(name: string): Promise<OwnProcess> {
  return startOwnServer(`${folder.path}/${name}`, {
    ...modelAt(upstream.url),
    DATABASE_URL: cluster.url,
    TACKLE_LEASE_MS: "2000",
    TACKLE_SECRET: "the same for all instances, and long enough",
    TACKLE_AUTH: "required",
    TACKLE_SIGN_UP: "open",
    TACKLE_TOOLS_DIR: `${folder.path}/tools`,
  });
}

const start = async (server: OwnProcess, name: string, args = {}) =>
  (await mcpRequest(server, "tools/call", { name, arguments: args }, { headers: ada, capabilities: able }))
    .result;

const get = async (server: OwnProcess, taskId: string, headers = ada) =>
  mcpRequest(server, "tasks/get", { taskId }, { headers, capabilities: able });

const ended = async (server: OwnProcess, taskId: string) =>
  vi.waitUntil(
    async () => {
      const { result } = await get(server, taskId);
      return ["completed", "failed", "cancelled"].includes(result?.status) ? result : undefined;
    },
    { timeout: 30_000, interval: 200 },
  );

beforeAll(async () => {
  if (!release) return;
  mkdirSync(`${folder.path}/tools`, { recursive: true });
  writeTool("hang", hangingOnce("hang", "pure"));
  writeTool("hang_unsafe", hangingOnce("hang_unsafe", "unsafe"));
  writeTool("hang_in_run", hangingOnce("hang_in_run", "pure"));
  writeTool("forever", 'retry: "pure", run: () => new Promise(() => {})');
  writeTool(
    "confirm",
    `retry: "pure", parameters: { type: "object", properties: { wait: { type: "number" } } },
     async run({ wait = 0 }, { client }) {
       await new Promise((resolve) => setTimeout(resolve, wait));
       const schema = { properties: { ok: { type: "boolean" } }, required: ["ok"] };
       return JSON.stringify(await client.elicit({ message: "Go on?", schema }));
     }`,
  );
  cluster = await startCluster(release);
  upstream = await startUpstream();
  one = await startInstance("one");
  ada = bearer((await signUp(one, "ada")).token);
  two = await startInstance("two");
  bob = bearer((await signUp(two, "bob")).token);
});
afterAll(async () => {
  await Promise.all([one?.stop(), two?.stop()]);
  await upstream?.close();
  await cluster?.dispose();
  folder.remove();
});

describe.skipIf(!release)("tasks over MCP", () => {
  it("are shown, answered and stopped on every instance", async () => {
    const { taskId, resultType, status } = await start(one, "confirm", { wait: 1_000 });
    expect({ resultType, status }).toEqual({ resultType: "task", status: "working" });
    const asked = await vi.waitUntil(
      async () => {
        const { result } = await get(two, taskId);
        return result.status === "input_required" ? result : undefined;
      },
      { timeout: 10_000, interval: 200 },
    );
    const [key = ""] = Object.keys(asked.inputRequests);
    const inputResponses = { [key]: { action: "accept", content: { ok: true } } };
    await mcpRequest(two, "tasks/update", { taskId, inputResponses }, { headers: ada, capabilities: able });
    expect((await ended(two, taskId)).result.content[0].text).toContain('"ok":true');

    const { taskId: long } = await start(one, "forever");
    await mcpRequest(two, "tasks/cancel", { taskId: long }, { headers: ada, capabilities: able });
    expect((await get(two, long)).result.status).toBe("cancelled");
    expect((await ended(one, long)).status).toBe("cancelled");
  });

  it("belong to the caller who made them", async () => {
    const { taskId } = await start(one, "forever");
    expect((await get(two, taskId, bob)).error).toMatchObject({ code: -32_602 });
    for (const method of ["tasks/cancel", "tasks/update"])
      expect(
        (await mcpRequest(one, method, { taskId, inputResponses: {} }, { headers: bob, capabilities: able }))
          .error,
      ).toMatchObject({ code: -32_602 });
    expect((await get(two, taskId)).result.status).toBe("working");
  });

  it("answers a question on another instance, for the same caller and call alone", async () => {
    const ask = (server: OwnProcess, more: object, headers: Record<string, string>) =>
      mcpRequest(
        server,
        "tools/call",
        { name: "confirm", arguments: {}, ...more },
        { headers, capabilities: { elicitation: {} } },
      );
    const { inputRequests, requestState } = (await ask(one, {}, ada)).result;
    const [key = ""] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: "accept", content: { ok: false } } };
    expect((await ask(two, { inputResponses, requestState }, bob)).error).toMatchObject({ code: -32_602 });
    const other = { inputResponses, requestState, arguments: { wait: 1 } };
    expect((await ask(two, other, ada)).error).toMatchObject({ code: -32_602 });
    const answered = await ask(two, { inputResponses, requestState }, ada);
    expect(answered.result.content[0].text).toContain('"ok":false');
  });

  it("survive kill -9: another instance goes on, and does nothing twice that must not be", async () => {
    upstream.play(
      chatTurn({ calls: [{ name: "hang_in_run", arguments: {} }] }),
      chatTurn({ text: "All is done." }),
    );
    const tasks = [
      await start(one, "hang"),
      await start(one, "hang_unsafe"),
      await start(one, "delegate", { task: "Use hang_in_run." }),
    ];
    expect(tasks.map(({ resultType }) => resultType)).toEqual(["task", "task", "task"]);
    // A call that has not begun would be made by the other instance for the first time.
    const calls = () => ["hang", "hang_unsafe", "hang_in_run"].map(runsOf);
    await expect.poll(calls).toEqual([1, 1, 1]);
    await one.kill();
    const [pure, unsafe, delegated] = await Promise.all(tasks.map(({ taskId }) => ended(two, taskId)));
    expect(pure.result.content[0].text).toBe("second time");
    expect(unsafe.result).toMatchObject({ isError: true });
    expect(unsafe.result.content[0].text).toContain("not run again");
    expect(delegated.result.content[0].text).toBe("All is done.");
    expect(calls()).toEqual([2, 1, 2]);
    expect(upstream.requests).toHaveLength(2);
  });
});
