import { execFile, spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { loadConfig } from "../src/app/config.ts";
import { createTackle, type EmbeddedTackle } from "../src/app/embed.ts";
import { createTackle as createApp, type Tackle } from "../src/app/tackle.ts";
import { defineTool } from "../src/protocol/define-tool.ts";
import type { ChatEvent } from "../src/protocol/events.ts";
import { temporaryFolder } from "./support/server.ts";

const folder = temporaryFolder();
const OWNER = { id: "local", kind: "owner" } as const;
const settings = { TACKLE_DEMO_TOKENS_PER_SECOND: "0", OLLAMA_BASE_URL: "http://127.0.0.1:9" };
const dataDir = join(folder.path, "data");
const change = defineTool({
  name: "change_it",
  description: "Changes something.",
  effect: "write",
  retry: "unsafe",
  input: z.object({ text: z.string() }),
  run: ({ text }) => `changed ${text}`,
});

let first: EmbeddedTackle;
let second: Tackle;
beforeAll(async () => {
  first = await createTackle({ dataDir, model: "demo/demo", settings, tools: [change] });
  second = await openTerminal(dataDir);
});
function openTerminal(data: string): Promise<Tackle> {
  const config = loadConfig({ env: settings, overrides: { data, model: "demo/demo" }, cwd: folder.path });
  return createApp(config, { beside: true, tools: [change] });
}
afterAll(async () => {
  await second?.close();
  await first?.close();
  folder.remove();
});

describe("two processes on one data directory", () => {
  it("follow each other's runs live, and can approve and cancel them", async () => {
    const [here, there] = [first.chat, second.chatFor(OWNER)];
    const { runId, sessionId } = await there.send({ message: 'Use change_it with {"text":"x"}' });
    const seen: ChatEvent[] = [];
    for await (const { event } of here.follow(runId)) {
      seen.push(event);
      if (event.type === "tool_approval_required")
        await here.decide(runId, event.toolCallId, { decision: "once" });
    }
    expect(seen).toContainEqual(expect.objectContaining({ type: "tool_result", output: "changed x" }));
    expect(seen.at(-1)).toMatchObject({ type: "done", finishReason: "stop" });
    expect((await here.listSessions()).map(({ id }) => id)).toContain(sessionId);

    const waiting = await here.send({ message: 'Use change_it with {"text":"y"}' });
    const ends: string[] = [];
    for await (const { event } of there.follow(waiting.runId)) {
      if (event.type === "tool_approval_required") await there.cancel(waiting.runId);
      if (event.type === "done") ends.push(event.finishReason);
    }
    expect(ends).toEqual(["cancelled"]);
  });

  it("write at the same time without losing anything", async () => {
    const chats = [first.chat, second.chatFor(OWNER)];
    const ended = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const chat = chats[at % 2] ?? first.chat;
        const { runId } = await chat.send({ message: `Hello ${at}` });
        let last = 0;
        for await (const { seq } of chat.follow(runId)) {
          expect(seq).toBe(last + 1);
          last = seq;
        }
        return (await first.internals.store.getRun(runId))?.status;
      }),
    );
    expect(ended).toEqual(Array.from({ length: 12 }, () => "done"));
  });

  it("do not affect each other's runs when they start and stop", async () => {
    const { runId } = await second.chatFor(OWNER).send({ message: 'Use change_it with {"text":"z"}' });
    await expect.poll(async () => (await first.internals.store.getRun(runId))?.status).toBe("waiting");
    const before = await first.internals.store.getRun(runId);
    await first.close();
    first = await createTackle({ dataDir, model: "demo/demo", settings, tools: [change] });
    expect(await first.internals.store.getRun(runId)).toMatchObject({
      owner: before?.owner,
      epoch: before?.epoch,
    });
    await first.chat.cancel(runId);
    await expect.poll(async () => (await first.internals.store.getRun(runId))?.status).toBe("cancelled");
  });

  it("block a restore", async () => {
    const said = await new Promise<string>((done) => {
      const cli = resolve(import.meta.dirname, "../src/cli.ts");
      const archive = join(folder.path, "archive");
      const run = (args: string[], next: (text: string) => void) =>
        execFile(process.execPath, [cli, ...args, "--data", dataDir], (_, stdout, stderr) =>
          next(stdout + stderr),
        );
      run(["backup", archive], () => {
        void first.close().then(() => run(["restore", archive, "--force"], done));
      });
    });
    expect(said).toContain("is in use by another tackle");
  });
});

describe("a server that starts after a terminal", () => {
  const data = join(folder.path, "terminal-first");
  const serve = () => createTackle({ dataDir: data, model: "demo/demo", settings, tools: [change] });

  it("has the directory while the terminal is open, and leaves it its runs", async () => {
    const terminal = await openTerminal(data);
    const { runId } = await terminal.chatFor(OWNER).send({ message: 'Use change_it with {"text":"x"}' });
    await expect.poll(async () => (await terminal.store.getRun(runId))?.status).toBe("waiting");
    const { owner, epoch } = (await terminal.store.getRun(runId)) ?? {};
    const server = await serve();
    expect(await server.internals.store.getRun(runId)).toMatchObject({ owner, epoch });
    await server.chat.cancel(runId);
    await expect.poll(async () => (await terminal.store.getRun(runId))?.status).toBe("cancelled");
    await server.close();
    await terminal.close();
  });

  it("goes on at once with what a terminal that was killed left behind", async () => {
    const terminal = await openTerminal(data);
    const { runId } = await terminal.chatFor(OWNER).send({ message: 'Use change_it with {"text":"y"}' });
    await expect.poll(async () => (await terminal.store.getRun(runId))?.status).toBe("waiting");
    await terminal.close();
    const database = new DatabaseSync(join(data, "tackle.db"));
    const killed = `${hostname()} ${spawnSync(process.execPath, ["--version"]).pid} killed`;
    const later = Date.now() + 3_600_000;
    database.prepare("UPDATE runs SET owner = ?, lease_until = ? WHERE id = ?").run(killed, later, runId);
    database.close();
    const server = await serve();
    await expect.poll(async () => (await server.internals.store.getRun(runId))?.owner).toBe("embedded");
    await server.chat.cancel(runId);
    await server.close();
  });
});
