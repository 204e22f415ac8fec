import { resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { EVERYTHING, NODE, type Started, startServers } from "./testing/servers.ts";

const NEWEST = resolve(import.meta.dirname, "testing/newest-server.mjs");

let started: Started | undefined;
afterEach(() => started?.close());

async function start(servers: Record<string, unknown>): Promise<Started> {
  started = await startServers(servers);
  return started;
}

describe("what a server offers besides tools", () => {
  it("is listed and read like with a tool, as text from outside", async () => {
    const { call, tool } = await start({ every: { command: NODE, args: [EVERYTHING] } });
    expect(tool("every.resources")).toMatchObject({ effect: "read", trust: "untrusted" });
    const list = await call("every.resources");
    expect(list.output).toContain("demo://resource/static/document/features.md");
    const read = await call("every.resources", { uri: "demo://resource/static/document/features.md" });
    expect(read).toMatchObject({ trust: "untrusted", output: expect.stringContaining("[resource: demo://") });
    await expect(call("every.resources", { uri: "demo://nothing" })).rejects.toThrow(/every\.resources/);

    expect((await call("every.prompts")).output).toContain("args-prompt (city, state?)");
    const prompt = await call("every.prompts", { name: "args-prompt", arguments: { city: "Oslo" } });
    expect(prompt.output).toContain("What's weather in Oslo?");
    expect(tool("every.prompts").commands).toContainEqual({
      name: "simple-prompt",
      description: "Simple Prompt: A prompt with no arguments",
    });
  });
});

describe("a local server of the newest revision", () => {
  it("gets the person's answers, the answer of a model that they allow, and the caller's folders", async () => {
    const { call, mcp } = await start({ newest: { command: NODE, args: [NEWEST] } });
    expect(mcp.status()).toMatchObject([{ state: "ready", tools: 3 }]);
    const ask = async () => "red";
    expect(JSON.parse((await call("newest.form", {}, { ask })).output)).toEqual({
      action: "accept",
      content: { color: "red" },
    });
    expect(JSON.parse((await call("newest.form")).output)).toEqual({ action: "cancel" });
    expect(JSON.parse((await call("newest.folders", {}, { roots: ["/tmp/a b"] })).output)).toEqual({
      roots: [{ uri: "file:///tmp/a%20b", name: "a b" }],
    });
  });

  it("asks a model only after the person has seen what it asks and allowed it", async () => {
    const { call, mcp } = await start({ newest: { command: NODE, args: [NEWEST] } });
    const asked: string[] = [];
    const answered: string[] = [];
    const options = (answer: string) => ({
      ask: async (question: string) => {
        asked.push(question);
        return answer;
      },
      askModel: async () => {
        answered.push(answer);
        return {
          text: "A heron.",
          parts: [],
          usage: { inputTokens: 1, outputTokens: 1 },
          model: "demo/demo",
          cut: false,
        };
      },
    });
    expect(JSON.parse((await call("newest.model", {}, options("Allow once"))).output)).toMatchObject({
      role: "assistant",
      content: { type: "text", text: "A heron." },
      model: "demo/demo",
    });
    expect(asked.join()).toContain("Name a bird.");
    await expect(call("newest.model", {}, options("Deny"))).rejects.toThrow("did not allow");
    await expect(call("newest.model")).rejects.toThrow("did not allow");
    expect(answered).toEqual(["Allow once"]);
    // A refusal concerns the call, not the server.
    expect(mcp.status()).toMatchObject([{ state: "ready" }]);
  });
});
