import type { ResponseInput, ResponseInputItem } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anthropicTurn } from "../src/sim/testing/anthropic-turn.ts";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { bearer, signUp } from "./support/accounts.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const model = "gpt-4o";
const include = ["reasoning.encrypted_content" as const];
const SECRET = "The heron is hiding behind the reeds.";

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

const user = (content: string) => ({ role: "user" as const, content });
/** Asks with a stream, and returns the items that are done. */
async function streamed(input: ResponseInput): Promise<ResponseInputItem[]> {
  const items: ResponseInputItem[] = [];
  const stream = await api.openai.responses.create({ model, input, include, store: false, stream: true });
  for await (const event of stream)
    if (event.type === "response.output_item.done") items.push(event.item as ResponseInputItem);
  return items;
}

describe("reasoning that a client keeps", () => {
  it("is sealed, in a stream and in a complete response, and nobody can read it", async () => {
    const turn = () => chatTurn({ reasoning: SECRET, text: "Gone." });
    api.play(turn());
    const asked = { model, input: "Where is it?", store: false };
    const { output } = await api.openai.responses.create({ ...asked, include });
    api.play(turn());
    for (const [item] of [output, await streamed([user("Where is it?")])]) {
      if (item?.type !== "reasoning") throw new Error("there is no reasoning");
      const content = item.encrypted_content ?? "";
      expect(content.length).toBeGreaterThan(20);
      for (const encoding of ["base64", "base64url", "hex"] as const)
        expect(Buffer.from(content, encoding).toString("latin1")).not.toContain("heron");
    }
    api.play(turn());
    const plain = await api.openai.responses.create(asked);
    expect(plain.output[0]).not.toHaveProperty("encrypted_content");
  });

  it("comes with a stored response if it is asked for", async () => {
    api.play(chatTurn({ reasoning: SECRET, text: "Gone." }));
    const { id } = await api.openai.responses.create({ model, input: "Where?" });
    const [kept] = (await api.openai.responses.retrieve(id, { include })).output;
    expect(kept).toMatchObject({ type: "reasoning", encrypted_content: expect.any(String) });
    const [bare] = (await api.openai.responses.retrieve(id)).output;
    expect(bare).not.toHaveProperty("encrypted_content");
  });
});

describe("a vendor of Responses", () => {
  it("is told how to reason, and nothing about breakpoints of its cache, which it does not get", async () => {
    const ask = (more: object) =>
      api.openai.responses.create({ model: "gpt-5.5", input: "Where?", ...more } as { input: string });
    for (const [reasoning, sent] of [
      [
        { effort: "low", summary: "detailed", context: "all_turns" },
        { effort: "low", summary: "detailed", context: "all_turns" },
      ],
      [{ generate_summary: "concise", summary: null }, { summary: "concise" }],
      [
        { effort: "low", summary: "auto", context: null },
        { effort: "low", summary: "auto" },
      ],
    ]) {
      api.play(responsesTurn({ text: "There." }));
      await ask({ reasoning, prompt_cache_options: { mode: "explicit" } });
      expect(api.lastRequest().reasoning).toEqual(sent);
      expect(api.lastRequest()).not.toHaveProperty("prompt_cache_options");
    }
    api.play(chatTurn({ text: "There." }));
    await ask({ model, reasoning: { summary: "detailed" } });
    expect(api.lastRequest()).not.toHaveProperty("reasoning");
  });
});

describe("with a vendor that signs its reasoning", () => {
  let upstream: Upstream;
  let server: ServerProcess;
  const folder = temporaryFolder();
  beforeAll(async () => {
    upstream = await startUpstream();
    server = await startServer(folder.path, {
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: upstream.url,
      TACKLE_MODEL: "anthropic/claude-sonnet-4-5",
      TACKLE_AUTH: "guest",
    });
  });
  afterAll(async () => {
    await server?.stop();
    await upstream?.close();
    folder.remove();
  });

  it("the signature goes back, and only unchanged and for the person that it belongs to", async () => {
    const ada = bearer((await signUp(server, "ada")).token);
    const eve = bearer((await signUp(server, "eve")).token);
    const ask = async (input: unknown[], headers: Record<string, string>) => {
      const body = JSON.stringify({ input, store: false, include, reasoning: { effort: "low" } });
      const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
      const response = await fetch(`${server.url}/v1/responses`, init);
      expect(response.status).toBe(200);
      return (await response.json()).output as { id: string; type: string; encrypted_content?: string }[];
    };
    upstream.play(anthropicTurn({ reasoning: SECRET, signature: "signed-by-vendor", text: "Gone." }));
    const output = await ask([user("Where?")], ada);
    const { encrypted_content } = output[0] ?? {};
    const sent = [
      user("Where?"),
      { type: "reasoning", summary: [], encrypted_content },
      output[1],
      user("Sure?"),
    ];
    upstream.play(anthropicTurn({ text: "Yes." }));
    await ask(sent, ada);
    const told = () => JSON.stringify(upstream.requests.findLast(({ method }) => method === "POST")?.body);
    expect(told()).toContain("signed-by-vendor");
    const changed = `${encrypted_content?.slice(0, -4)}AAAA`;
    for (const content of [changed, "gAAAAABforeign"]) {
      upstream.play(anthropicTurn({ text: "Yes." }));
      const item = { type: "reasoning", summary: [], encrypted_content: content };
      await ask([user("Where?"), item, output[1], user("Sure?")], ada);
      expect(told()).not.toContain("signed-by-vendor");
    }
    upstream.play(anthropicTurn({ text: "Yes." }));
    await ask(sent, eve);
    expect(told()).not.toContain("signed-by-vendor");
    expect(told()).not.toContain("heron");
    upstream.play(anthropicTurn({ text: "Yes." }));
    await ask([user("Where?"), { ...output[0], encrypted_content: "" }, output[1], user("Sure?")], eve);
    expect(told()).not.toContain("signed-by-vendor");
  });
});

describe("a search that the client asked for", () => {
  it("is shown as its own kind, and is taken back with its result", async () => {
    const tools = [{ type: "web_search" as const }];
    const turn = () => chatTurn({ calls: [{ name: "browser_search", arguments: { query: "herons" } }] });
    api.play(turn(), chatTurn({ text: "Found." }));
    const input = [user("Search.")];
    const events: string[] = [];
    const output: ResponseInputItem[] = [];
    for await (const event of await api.openai.responses.create({ model, input, tools, stream: true })) {
      if (event.type.startsWith("response.web_search_call")) events.push(event.type.split(".")[2] ?? "");
      if (event.type === "response.output_item.done") output.push(event.item as ResponseInputItem);
    }
    expect(events).toEqual(["in_progress", "searching", "completed"]);
    expect(output).toMatchObject([
      {
        type: "web_search_call",
        id: expect.stringMatching(/^ws_/),
        action: { type: "search", query: "herons" },
      },
      { type: "message", content: [{ text: "Found." }] },
    ]);
    const { messages } = api.lastRequest();
    const result = JSON.stringify((messages as { role: string }[]).findLast(({ role }) => role === "tool"));
    api.play(chatTurn({ text: "Again." }));
    await api.openai.responses.create({ model, input: [...input, ...output, user("And?")], tools });
    const sent = api.lastRequest().messages as { role: string }[];
    expect(JSON.stringify(sent.find(({ role }) => role === "tool"))).toBe(result);
  });
});
