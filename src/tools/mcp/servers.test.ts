import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ToolContext } from "../../protocol/tool.ts";
import { EVERYTHING, FILESYSTEM, NODE, type Started, startServers } from "./testing/servers.ts";

let started: Started | undefined;
const start = async (...given: Parameters<typeof startServers>) => {
  started = await startServers(...given);
  return started;
};
const everything = { command: NODE, args: [EVERYTHING, "stdio"] };

beforeEach(() => {
  process.env.TACKLE_TEST_SECRET = "sk-do-not-pass-on";
});
afterEach(async () => {
  delete process.env.TACKLE_TEST_SECRET;
  await started?.close();
  started = undefined;
});

describe("the official “everything” server", () => {
  it("has its tools listed as server.tool, untrusted, with the effect write", async () => {
    const { registry, mcp } = await start({ everything });
    expect(mcp.status()).toMatchObject([{ name: "everything", state: "ready" }]);
    const echo = registry.listings().find(({ name }) => name === "everything.echo");
    expect(echo).toMatchObject({ source: "everything", effect: "write" });
    expect(echo?.parameters).toMatchObject({ properties: { message: { type: "string" } } });
    expect(registry.get("everything.echo")?.trust).toBe("untrusted");
  });

  it("gets the arguments unchanged", async () => {
    const { call } = await start({ everything });
    const message = '"; touch /tmp/x; $(id) `id` \u0000 ünï';
    expect(await call("everything.echo", { message })).toMatchObject({
      output: `Echo: ${message}`,
      trust: "untrusted",
    });
    expect((await call("everything.get-sum", { a: 2, b: 40 })).output).toContain("42");
  });

  it("gets only the basic environment and the variables that its entry names", async () => {
    const { call } = await start({ everything: { ...everything, env: { ITS_OWN: "yes" } } });
    const { output } = await call("everything.get-env");
    const names = Object.keys(JSON.parse(output));
    expect(names).toContain("ITS_OWN");
    expect(names.filter((name) => !["PATH", "HOME", "LANG", "TMPDIR", "ITS_OWN"].includes(name))).toEqual([]);
    expect(output).not.toContain("sk-do-not-pass-on");
  });

  it("asks the person what it wants to know during a call, and hears what they decline", async () => {
    const { call } = await start({ everything });
    const asked: string[] = [];
    const answers: Record<string, string | string[]> = {
      "Your full, legal name": "Ada",
      "Agree to the terms": "Yes",
      "favorite integer": "7",
      "favorite friend": "Joey",
      instruments: ["Piano", "Bass"],
    };
    const ask: ToolContext["ask"] = async (question) => {
      asked.push(question);
      const found = Object.entries(answers).find(([words]) => question.includes(words));
      return found?.[1] ?? "Skip";
    };
    const { output } = await call("everything.trigger-elicitation-request", {}, { ask });
    expect(asked[0]).toContain("The MCP server “everything” asks: Please provide inputs");
    expect(output).toContain('"action": "accept"');
    expect(output).toContain('"name": "Ada"');
    expect(output).toContain('"integer": 7');
    const declined = await call("everything.trigger-elicitation-request", {}, { ask: async () => "Decline" });
    expect(declined.output).toContain('"action": "decline"');
    const nobody = await call("everything.trigger-elicitation-request");
    expect(nobody.output).toContain('"action": "cancel"');
  });

  it("shows its progress", async () => {
    const { call } = await start({ everything });
    const shown: unknown[] = [];
    const args = { duration: 0.6, steps: 3 };
    await call("everything.trigger-long-running-operation", args, { progress: (one) => shown.push(one) });
    expect(shown[0]).toEqual({ message: "Step 1 of 3", percent: 33 });
  });

  it("returns the text of a result, notes binary parts, and passes structured data on", async () => {
    const { call } = await start({ everything });
    const image = await call("everything.get-tiny-image");
    expect(image.output).toMatch(/\[image: image\/png, \d+ bytes, follows if the model sees images\]/);
    expect(image.output.length).toBeLessThan(500);
    expect(image.images).toEqual([{ mimeType: "image/png", base64: expect.stringMatching(/^iVBOR/) }]);
    const weather = await call("everything.get-structured-content", { location: "New York" });
    expect(weather.data).toMatchObject({ conditions: expect.any(String) });
  });

  it("refuses arguments that do not match its schema before they are sent", async () => {
    const { tool } = await start({ everything });
    const { parse } = tool("everything.get-sum");
    expect(parse({ a: 1, b: 2 })).toMatchObject({ ok: true });
    expect(parse({ a: "one", b: 2 })).toMatchObject({ ok: false, issues: [{ path: "a" }] });
    expect(parse({ a: 1, b: 2, c: 3 })).toMatchObject({ ok: false });
  });
});

describe("the official file server", () => {
  it("reads, writes, and refuses paths outside of its folder, with its message marked as untrusted", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tackle-mcp-"));
    writeFileSync(join(folder, "a.txt"), "hello");
    const { call, tool } = await start(
      { files: { command: NODE, args: [FILESYSTEM, folder], trust: true, effects: { move_file: "none" } } },
      { folder },
    );
    expect((await call("files.read_text_file", { path: join(folder, "a.txt") })).output).toBe("hello");
    await call("files.write_file", { path: join(folder, "b.txt"), content: "written" });
    expect((await call("files.read_text_file", { path: join(folder, "b.txt") })).output).toBe("written");
    const refused = call("files.read_text_file", { path: "/etc/passwd" });
    await expect(refused).rejects.toMatchObject({ code: "TOOL_FAILED", untrusted: true });
    await expect(refused).rejects.toThrow("files.read_text_file reports an error: Access denied");
    // Its annotations count because the operator trusts this server, and the operator's own entry overrides them.
    expect(tool("files.read_text_file").effect).toBe("read");
    expect(tool("files.write_file").effect).toBe("write");
    expect(tool("files.move_file").effect).toBe("none");
  });
});

describe("the MCP settings file", () => {
  it("is watched: servers are added, changed and removed while we run", async () => {
    const { write, registry, mcp } = await start({});
    expect(registry.get("everything.echo")).toBeUndefined();
    write({ everything });
    await vi.waitFor(() => expect(registry.get("everything.echo")).toBeDefined());
    write({ again: everything });
    await vi.waitFor(() => expect(registry.get("again.echo")).toBeDefined());
    expect(registry.get("everything.echo")).toBeUndefined();
    write({});
    await vi.waitFor(() => expect(mcp.status()).toEqual([]));
    expect(registry.list().some(({ name }) => name.startsWith("again."))).toBe(false);
  });

  it("reports a missing program, and everything else keeps running", async () => {
    const { mcp, problems, registry } = await start({
      gone: { command: "no-such-program-anywhere" },
      everything,
    });
    // It is briefly in the starting state between two attempts.
    await vi.waitFor(
      () => expect(mcp.status().map(({ state }) => state)).toEqual(["waiting", "ready"]),
      10_000,
    );
    expect(problems.join()).toContain('there is no program "no-such-program-anywhere" on the PATH');
    expect(registry.get("everything.echo")).toBeDefined();
  });
});
