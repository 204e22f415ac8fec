import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../app/config.ts";
import { type Connections, connectProviders } from "../app/connect-providers.ts";
import { createSanitizer } from "../guard/injection/sanitize.ts";
import { startUpstream } from "../sim/testing/upstream.ts";
import { chatTurn, errorTurn } from "../sim/turns.ts";
import type { Upstream } from "../sim/upstream.ts";
import { createModelCatalogue } from "./catalogue.ts";
import { readProviders } from "./read-providers.ts";
import { createSideModels } from "./side-models.ts";

const principal = { id: "owner", kind: "owner" } as const;
const { signal } = new AbortController();
const opened: Connections[] = [];
let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterAll(async () => {
  for (const connections of opened) await connections.close();
  await upstream.close();
});

async function sideModels(env: Record<string, string>, keys: Record<string, string> = {}) {
  const config = loadConfig({
    env: {
      TACKLE_DATA: "/nowhere",
      OLLAMA_BASE_URL: "http://127.0.0.1:9",
      TACKLE_DEMO_TOKENS_PER_SECOND: "0",
      ...env,
    },
    cwd: "/",
  });
  const connections = await connectProviders(config, await readProviders());
  opened.push(connections);
  const models = createModelCatalogue({ ...connections, preferred: config.model, prices: config.prices });
  return createSideModels({
    settings: config.settings,
    models,
    keysOf: async () => keys,
    sanitizer: createSanitizer,
  });
}

const question = {
  role: "artifact",
  system: "Answer with code only.",
  prompt: "an html page",
  signal,
} as const;

describe("side models", () => {
  it("are the specialized models if their vendor is configured", async () => {
    const models = await sideModels({ ZAI_API_KEY: "k", ZAI_BASE_URL: `${upstream.url}/v1` });
    upstream.play(chatTurn({ text: "one" }), chatTurn({ text: "two" }));
    expect((await models.askFor(principal)(question)).model).toBe("zai/glm-4.6");
    expect((await models.askFor(principal)({ ...question, role: "rewrite" })).model).toBe("zai/glm-4.5-air");
  });

  it("fall back to the chat's model, unless the user's own key configures the vendor", async () => {
    const asked = await (await sideModels({})).askFor(principal, "demo/demo")(question);
    expect(asked.model).toBe("demo/demo");
    expect(asked.text).toContain("<html");
    const own = await sideModels({ ZAI_BASE_URL: `${upstream.url}/v1` }, { zai: "mine" });
    upstream.play(chatTurn({ text: "one" }));
    expect((await own.askFor(principal, "demo/demo")(question)).model).toBe("zai/glm-4.6");
  });

  it("can be set in the settings", async () => {
    const models = await sideModels({
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: `${upstream.url}/v1`,
      TACKLE_ARTIFACT_MODEL: "openai/gpt-4o",
    });
    upstream.play(chatTurn({ text: "fine" }));
    expect((await models.askFor(principal, "demo/demo")(question)).model).toBe("openai/gpt-4o");
  });

  it("stop the start if a setting does not name a model", async () => {
    await expect(sideModels({ TACKLE_IMAGE_MODEL: "gemini" })).rejects.toThrow(/TACKLE_IMAGE_MODEL/);
  });

  it("stream, and retry only until something was shown", async () => {
    const models = await sideModels({ ZAI_API_KEY: "k", ZAI_BASE_URL: `${upstream.url}/v1` });
    upstream.play(errorTurn(503, { message: "busy" }), chatTurn({ reasoning: "hm", text: "a b c" }));
    const heard: string[] = [];
    const spending = { usage: { inputTokens: 0, outputTokens: 0 } };
    const answer = await models.askFor(
      principal,
      undefined,
      spending,
    )({
      ...question,
      onText: (delta) => heard.push(delta),
      onReasoning: (delta) => heard.push(delta),
    });
    expect(answer).toMatchObject({ text: "a b c", cut: false });
    expect(spending).toMatchObject({ retryCount: 1 });
    expect(heard.join("")).toBe("hma b c");
    upstream.play(errorTurn(401, { message: "no" }));
    await expect(models.askFor(principal)(question)).rejects.toMatchObject({
      name: "Failure",
      details: { upstream: "zai/glm-4.6" },
    });
  });

  it("count every repeated request, even if none succeeds", async () => {
    const models = await sideModels({ ZAI_API_KEY: "k", ZAI_BASE_URL: `${upstream.url}/v1` });
    const before = upstream.requests.length;
    upstream.play(...[1, 2, 3].map(() => errorTurn(503, { message: "busy" })));
    const spending = { usage: { inputTokens: 0, outputTokens: 0 } };
    await expect(models.askFor(principal, undefined, spending)(question)).rejects.toThrow();
    expect(upstream.requests.length - before).toBe(3);
    expect(spending).toMatchObject({ retryCount: 2 });
  });

  it("have names for the list of tools: the setting, the vendor's model, or the chat's", async () => {
    const { namesFor } = await sideModels({
      ZAI_API_KEY: "k",
      TACKLE_IMAGE_MODEL: "nobody/knows",
      TACKLE_REWRITE: "0",
    });
    const nameOf = await namesFor(principal);
    expect(nameOf("artifact")).toBe("zai/glm-4.6");
    expect(nameOf("image")).toBeUndefined();
    expect(nameOf("rewrite")).toBeUndefined();
  });

  it("are sent no control tokens or hidden characters, and the tokens of code survive", async () => {
    const models = await sideModels({ ZAI_API_KEY: "k", ZAI_BASE_URL: `${upstream.url}/v1` });
    const code = 'const OPEN = "<|im_start|>"; // [INST] <system> 👩‍👧';
    upstream.play(chatTurn({ text: code.replaceAll("<", "⟨").replaceAll(">", "⟩") }));
    const heard: string[] = [];
    const answer = await models.askFor(principal)({
      ...question,
      prompt: `Change\u200b this: ${code}`,
      onText: (delta) => heard.push(delta),
    });
    const sent = JSON.stringify(upstream.requests.at(-1)?.body);
    expect(sent).toContain("Change this");
    expect(sent).toContain("⟦INST⟧ ⟨system⟩ 👩‍👧");
    expect(sent).not.toMatch(/<\||\[INST\]|<system>|\u200b/);
    expect([answer.text, heard.join("")]).toEqual([code, code]);
  });
});
