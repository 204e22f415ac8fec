import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createTackle, type EmbeddedTackle, streamTurn } from "../index.ts";
import type { ChatEvent } from "../protocol/events.ts";
import { emptyFolder } from "../runs/testing/tackle.ts";
import {
  anthropicList,
  geminiList,
  groqList,
  mistralList,
  openAiList,
  openRouterList,
  xaiList,
} from "../sim/testing/model-lists.ts";
import { responsesTurn } from "../sim/testing/responses-turn.ts";
import { startUpstream } from "../sim/testing/upstream.ts";
import { bestImageModel, bestModel, offeredModels } from "./catalogue.ts";
import { oldFacts, readProviders } from "./read-providers.ts";

const TODAY = "2026-11-16";
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function vendor(list: unknown) {
  let current = list;
  const upstream = await startUpstream({
    models: () => current,
    respond: () => responsesTurn({ text: "Hello." }),
  });
  closers.unshift(() => upstream.close());
  return {
    url: upstream.url,
    upstream,
    nowLists: (next: unknown) => {
      current = next;
    },
  };
}

async function open(settings: Record<string, string>, dataDir?: string): Promise<EmbeddedTackle> {
  const tackle = await createTackle({
    dataDir: dataDir ?? (await emptyFolder()),
    settings: { TACKLE_LOG: "silent", ...settings },
  });
  closers.unshift(() => tackle.close());
  return tackle;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "tackle-lists-"));
  closers.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function ask({ chat }: EmbeddedTackle, model?: string): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of streamTurn(chat, { message: "Hi", ...(model && { model }) })) events.push(event);
  return events;
}

describe("the default model", () => {
  const LISTS: [string, string, unknown, string, string][] = [
    [
      "openai",
      "/v1",
      openAiList("gpt-4o", "gpt-5.6-sol", "gpt-5.5", "whisper-1"),
      "gpt-5.6-sol",
      "gpt-6.1-sol",
    ],
    [
      "anthropic",
      "",
      anthropicList("claude-opus-5-5", "claude-haiku-5-5"),
      "claude-opus-5-5",
      "claude-sonnet-5-5",
    ],
    ["gemini", "", geminiList("gemini-3.6-flash", "gemini-2.5-pro"), "gemini-3.6-flash", "gemini-3.8-flash"],
    ["deepseek", "/v1", openAiList("deepseek-v4-pro"), "deepseek-v4-pro", "deepseek-flash"],
    ["xai", "/v1", xaiList("grok-4.3"), "grok-4.3", "grok-4.5"],
    [
      "groq",
      "/v1",
      groqList("whisper-large-v3", "openai/gpt-oss-20b"),
      "openai/gpt-oss-20b",
      "openai/gpt-oss-120b",
    ],
    ["mistral", "/v1", mistralList("mistral-large-latest"), "mistral-large-latest", "mistral-medium-latest"],
    ["zai", "/v1", openAiList("glm-4.6", "glm-5.1"), "glm-5.1", "glm-5.3"],
    [
      "openrouter",
      "/v1",
      openRouterList("openai/gpt-5.5", "x/y"),
      "openai/gpt-5.5",
      "anthropic/claude-sonnet-5.5",
    ],
  ];

  test.each(LISTS)(
    "of %s is the best known one that the vendor's list names",
    async (id, path, list, best, first) => {
      const { url } = await vendor(list);
      const name = id.toUpperCase();
      const settings = { [`${name}_API_KEY`]: "k", [`${name}_BASE_URL`]: `${url}${path}` };
      const tackle = await open(settings);
      const models = await tackle.internals.models.list();
      expect(models.find((model) => model.default)?.id).toBe(`${id}/${best}`);
      expect(models.map((model) => model.id)).not.toContain(`${id}/${first}`);
      expect(tackle.internals.models.resolve(undefined).id).toBe(`${id}/${best}`);
    },
  );

  test.each(LISTS)("of %s exists where there is no list", async (id, _path, _list, _best, first) => {
    const provider = (await readProviders()).find((one) => one.id === id);
    if (!provider) throw new Error(`no vendor ${id}`);
    const connection = { provider, baseUrl: "", key: "k" };
    const best = bestModel(connection, TODAY);
    expect(best?.name).toBe(first);
    expect(best?.retirement).toBeUndefined();
    for (const { retirement } of offeredModels(connection, TODAY))
      if (retirement?.date) expect(retirement.date > TODAY).toBe(true);
    expect(bestImageModel(connection, TODAY)?.retirement).toBeUndefined();
  });

  test("is corrected when the list arrives after the start", async () => {
    const { url } = await vendor(openAiList("gpt-5.5"));
    const tackle = await open({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1` });
    await expect.poll(() => tackle.internals.models.defaultId()).toBe("openai/gpt-5.5");
  });

  test.each([
    [
      openAiList("gpt-7-mini", "gpt-7", "gpt-6.9", "gpt-image-9", "text-embedding-9", "gpt-7-search-preview"),
      "gpt-7",
    ],
    [openAiList("gpt-8-realtime", "gpt-image-9", "gpt-8-mini"), "gpt-8-mini"],
    [openAiList({ id: "gpt-7", shutdown_date: "2026-12-01" }, "gpt-6.8"), "gpt-6.8"],
    [openAiList({ id: "gpt-5.5", shutdown_date: "2026-12-01" }, "gpt-7"), "gpt-7"],
    [openAiList({ id: "gpt-5.5", shutdown_date: "2026-12-01" }), "gpt-5.5"],
  ])("is chosen by the name if the list names none that we know: %#", async (list, best) => {
    const { url } = await vendor(list);
    const tackle = await open({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1` });
    const models = await tackle.internals.models.list();
    expect(models.find((model) => model.default)?.id).toBe(`openai/${best}`);
  });
});

describe("a vendor's list", () => {
  test("is known after a restart without the network, but only for the same address", async () => {
    const { url, upstream } = await vendor(openAiList("gpt-5.5"));
    const dataDir = folder();
    const settings = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1` };
    const before = await open(settings, dataDir);
    await before.internals.models.list();
    await before.close();
    await upstream.close();
    const after = await open(settings, dataDir);
    expect(after.internals.models.defaultId()).toBe("openai/gpt-5.5");
    await after.close();
    const elsewhere = await open({ ...settings, OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }, dataDir);
    expect(elsewhere.internals.models.defaultId()).toBe("openai/gpt-6.1-sol");
  });

  test("is fetched with a person's own key, and kept apart from the server's", async () => {
    const { url, nowLists } = await vendor(openAiList("gpt-5.5"));
    const tackle = await open({ OPENAI_API_KEY: "server", OPENAI_BASE_URL: `${url}/v1` });
    await tackle.internals.models.list();
    nowLists(openAiList("gpt-5.4", "ft:gpt-5.4:mine"));
    const own = await tackle.internals.models.list({ openai: "mine" });
    expect(own.filter(({ id }) => id.startsWith("openai/")).map(({ id }) => id)).toEqual([
      "openai/gpt-5.4",
      "openai/ft:gpt-5.4:mine",
    ]);
    expect(tackle.internals.models.defaultId()).toBe("openai/gpt-5.5");
  });

  test("overrides windows, limits and abilities", async () => {
    const { url } = await vendor(
      anthropicList({
        id: "claude-sonnet-5-5",
        display_name: "Sonnet",
        max_input_tokens: 300_000,
        max_tokens: 9_000,
        types: ["enabled"],
        levels: [],
      }),
    );
    const tackle = await open({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url });
    await tackle.internals.models.list();
    expect(tackle.internals.models.resolve("anthropic/claude-sonnet-5-5").info).toMatchObject({
      label: "Claude Sonnet 5.5",
      contextWindow: 300_000,
      maxOutputTokens: 9_000,
      reasoning: "budget",
    });
  });

  test("that is empty or cannot be read changes nothing", async () => {
    for (const list of [{ data: [] }, "no list"]) {
      const { url } = await vendor(list);
      const tackle = await open({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1` });
      await tackle.internals.models.list();
      expect(tackle.internals.models.defaultId()).toBe("openai/gpt-6.1-sol");
    }
  });
});

describe("a model that will be shut down", () => {
  test("is marked with its date and its successor", async () => {
    const { url } = await vendor(openAiList("gpt-5.6-sol", { id: "gpt-5", shutdown_date: "2099-12-11" }));
    const tackle = await open({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1` });
    const listed = (await tackle.internals.models.list()).find(({ id }) => id === "openai/gpt-5");
    expect(listed).toMatchObject({
      deprecated: true,
      shutdownDate: "2099-12-11",
      successor: "openai/gpt-5.6-sol",
    });
  });

  test("is marked by its stage of life, and disappears when that is over", async () => {
    const { url } = await vendor(
      anthropicList(
        "claude-opus-5-5",
        { id: "claude-sonnet-5", lifecycle: "deprecated", retires_at: "2027-06-30T00:00:00Z" },
        { id: "claude-opus-5", lifecycle: "retired", retires_at: "2026-11-01T00:00:00Z" },
      ),
    );
    const tackle = await open({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url });
    const listed = (await tackle.internals.models.list()).filter(({ id }) => id.startsWith("anthropic/"));
    expect(listed.map(({ id, shutdownDate }) => [id, shutdownDate])).toEqual([
      ["anthropic/claude-opus-5-5", undefined],
      ["anthropic/claude-sonnet-5", "2027-06-30"],
    ]);
    expect(tackle.internals.models.resolve("anthropic/claude-opus-5").id).toBe("anthropic/claude-opus-5-5");
  });
});

describe("a model that was shut down", () => {
  test("is replaced by its successor, and the person is told", async () => {
    const { url, upstream } = await vendor(openAiList("gpt-5.6-terra", "gpt-5.5"));
    const tackle = await open({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1` });
    await tackle.internals.models.list();
    const events = await ask(tackle, "openai/o4-mini");
    expect(events.find(({ type }) => type === "session")).toMatchObject({ model: "openai/gpt-5.6-terra" });
    expect(events.filter(({ type }) => type === "warning")).toMatchObject([
      {
        code: "MODEL_RETIRED",
        message: "openai/o4-mini was shut down on 2026-10-23, so openai/gpt-5.6-terra answers instead.",
      },
    ]);
    expect(upstream.requests.map(({ body }) => (body as { model: string }).model)).toEqual(["gpt-5.6-terra"]);
  });

  test("in TACKLE_MODEL is replaced, instead of stopping the start", async () => {
    const { url } = await vendor(openAiList("gpt-5.6-terra"));
    const settings = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1`, TACKLE_MODEL: "openai/o4-mini" };
    const tackle = await open(settings);
    await tackle.internals.models.list();
    expect(tackle.internals.models.defaultId()).toBe("openai/gpt-5.6-terra");
  });

  test("works as long as the vendor's list names it", async () => {
    const { url } = await vendor(openAiList("o4-mini", "gpt-5.5"));
    const tackle = await open({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1` });
    await tackle.internals.models.list();
    expect(tackle.internals.models.resolve("openai/o4-mini").id).toBe("openai/o4-mini");
  });

  test("is told apart from a name that only we do not know, which is passed on", async () => {
    const { url } = await vendor(openAiList("gpt-5.5"));
    const tackle = await open({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1` });
    await tackle.internals.models.list();
    expect(tackle.internals.models.resolve("openai/ft:gpt-5.5:acme").id).toBe("openai/ft:gpt-5.5:acme");
  });
});

describe("models for side jobs", () => {
  test.each([
    [["glm-4.6", "glm-4.5-air", "glm-5.3"], "zai/glm-4.6", "zai/glm-4.5-air"],
    [["glm-5.3", "glm-5.3-flash"], "zai/glm-5.3", "zai/glm-5.3-flash"],
    [["glm-5.3"], "zai/glm-5.3", "zai/glm-5.3"],
  ])("are the vendor's own or their successors: %j", async (names, artifact, rewrite) => {
    const { url } = await vendor(openAiList(...names));
    const tackle = await open({ ZAI_API_KEY: "k", ZAI_BASE_URL: `${url}/v1` });
    await tackle.internals.models.list();
    expect(tackle.internals.models.offeredOf("zai", ["glm-4.6", "glm-4.7"], false)).toBe(artifact);
    expect(tackle.internals.models.offeredOf("zai", ["glm-4.5-air", "glm-5.3-flash"], false)).toBe(rewrite);
  });

  test("include the first model that makes images and stays", async () => {
    const { url } = await vendor(
      openAiList("gpt-5.5", { id: "gpt-image-1.5", shutdown_date: "2026-12-01" }, "gpt-image-2"),
    );
    const tackle = await open({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1` });
    await tackle.internals.models.list();
    expect(tackle.internals.models.imageModel()).toBe("openai/gpt-image-2");
    const tools = await tackle.chat.tools();
    expect(tools.find(({ name }) => name === "generate_image")?.model).toBe("openai/gpt-image-2");
  });
});

test("facts that nobody has checked for 120 days are named", async () => {
  const providers = (await readProviders()).filter(({ id }) => id === "xai");
  const checked = new Date(`${providers[0]?.checked}T00:00:00Z`);
  const after = (days: number) => new Date(checked.getTime() + days * 86_400_000);
  expect(oldFacts(providers, after(120))).toEqual([]);
  expect(oldFacts(providers, after(121))).toEqual([
    `The facts in providers/xai.ts were last checked on ${providers[0]?.checked}, 121 days ago.`,
  ]);
});
