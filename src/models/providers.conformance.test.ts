import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { textMessage } from "../protocol/messages.ts";
import type { Provider } from "../protocol/provider.ts";
import { DIALECTS } from "./wire/dialects.ts";
import { providerHeaders, providerUrl } from "./wire/exchange.ts";
import { describeModel } from "./wire/families.ts";

const folder = new URL("./providers/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));

test("the folder holds exactly the vendors that the settings list", () => {
  const ids = files.map((name) => name.replace(/\.ts$/, ""));
  expect(ids).toEqual(
    expect.arrayContaining(["anthropic", "demo", "gemini", "ollama", "openai", "openrouter", "zai"]),
  );
});

describe.each(files)("%s", async (file) => {
  const { default: provider } = (await import(new URL(file, folder).href)) as { default: Provider };
  const setting = provider.id.replaceAll("-", "_").toUpperCase();

  test("has the name of its file and a label", () => {
    expect(`${provider.id}.ts`).toBe(file);
    expect(provider.label.trim()).not.toBe("");
  });

  test("names its settings after itself", () => {
    expect(provider.baseUrlSetting).toBe(`${setting}_BASE_URL`);
    if (provider.keySetting !== undefined) expect(provider.keySetting).toBe(`${setting}_API_KEY`);
  });

  test("has a base URL without a trailing slash, and uses plain HTTP only if it needs no key", () => {
    if (provider.baseUrl === "") return;
    const url = new URL(provider.baseUrl);
    expect(url.protocol === "https:" || url.hostname === "127.0.0.1").toBe(true);
    expect(provider.baseUrl.endsWith("/")).toBe(false);
    expect(url.search).toBe("");
  });

  test("uses a known dialect for every model", () => {
    const dialectOf = (name: string) =>
      typeof provider.dialect === "string" ? provider.dialect : provider.dialect(name);
    for (const name of [...provider.models.map((model) => model.name), "unknown-model"]) {
      expect(Object.keys(DIALECTS)).toContain(dialectOf(name));
    }
  });

  test("encodes a request for every model, with the key in a header and never in the URL", () => {
    const messages = [textMessage("u1", "user", "A red square")];
    for (const model of [...provider.models, describeModel(provider, "unknown-model")]) {
      const id = typeof provider.dialect === "string" ? provider.dialect : provider.dialect(model.name);
      const quirks = { ...provider.quirks, ...model.quirks };
      const context = { model, modelId: `${provider.id}/${model.name}`, quirks };
      const request = DIALECTS[id]?.encode({ messages, tools: [], reasoningEffort: "low" }, context);
      expect(request?.path.startsWith("/")).toBe(true);
      const url = providerUrl(provider, "https://example.test", request?.path ?? "");
      expect(new URL(url).origin).toBe("https://example.test");
      expect(url).not.toContain("the-key");
    }
    expect(JSON.stringify(providerHeaders(provider, "the-key"))).toContain("the-key");
  });

  test("has valid models: unique names, context windows that fit an answer, plausible prices", () => {
    const names = provider.models.map((model) => model.name);
    expect(new Set(names).size).toBe(names.length);
    for (const { price, contextWindow, maxOutputTokens } of provider.models) {
      if (contextWindow !== undefined) expect(contextWindow).toBeGreaterThanOrEqual(4096);
      if (contextWindow && maxOutputTokens) expect(maxOutputTokens).toBeLessThanOrEqual(contextWindow);
      if (!price) continue;
      expect(price.input).toBeGreaterThanOrEqual(0);
      expect(price.output).toBeGreaterThanOrEqual(price.input);
      expect(price.output).toBeLessThan(1000);
      if (price.cachedInput !== undefined) expect(price.cachedInput).toBeLessThanOrEqual(price.input);
    }
  });

  test("says on which day its facts were checked", () => {
    if (provider.models.length === 0 || provider.id === "demo") return;
    expect(provider.checked).toMatch(/^20\d\d-\d\d-\d\d$/);
    const day = Date.parse(String(provider.checked));
    expect(new Date(day).toISOString().slice(0, 10)).toBe(provider.checked);
    expect(day).toBeLessThanOrEqual(Date.now());
  });

  test("names a known model as the successor of each one that is shut down", () => {
    for (const { retirement } of provider.models) {
      if (!retirement) continue;
      const successor = provider.models.find(({ name }) => name === retirement.successor);
      expect(successor?.name).toBe(retirement.successor);
      expect(successor?.retirement).toBeUndefined();
    }
  });

  test("reads a model list without trusting its content", () => {
    for (const body of [undefined, null, [], {}, { data: "no" }, { data: [null, 1, { id: 2 }] }]) {
      expect(provider.list?.read(body) ?? []).toEqual([]);
    }
  });
});
