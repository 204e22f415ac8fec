import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SearchStandIn, startSearch } from "../src/sim/testing/search.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";

const PAGE = { title: "All lighthouses", url: "https://lighthouses.example/list" };
const tools: Anthropic.ToolUnion[] = [{ type: "web_search_20250305", name: "web_search" }];
const user = (content: string) => ({ role: "user" as const, content });
const asked = { model: "gpt-4o", max_tokens: 500, messages: [user("The tallest?")], tools };

let vendor: SearchStandIn;
let api: OpenAiServer;
let anthropic: Anthropic;
beforeAll(async () => {
  vendor = await startSearch("tavily", { pages: [{ ...PAGE, text: "High." }] });
  api = await openServer(vendor.settings);
  anthropic = new Anthropic({ baseURL: api.server.url, apiKey: "anything", maxRetries: 0 });
});
afterAll(async () => {
  await api?.close();
  await vendor?.close();
});

function searching(query: string) {
  const call = { name: "browser_search", arguments: { query } };
  api.play(chatTurn({ calls: [call] }), chatTurn({ text: "At Jeddah." }));
}

const SEARCH = {
  type: "server_tool_use",
  id: expect.stringMatching(/^srvtoolu_/),
  name: "web_search",
  input: { query: "tall lighthouses" },
};
const FOUND = {
  type: "web_search_tool_result",
  tool_use_id: SEARCH.id,
  content: [{ type: "web_search_result", ...PAGE, page_age: null, encrypted_content: "" }],
};

describe("a search that runs here for a client of Anthropic's", () => {
  it("is a search of Anthropic's form with the pages that it found, complete and streamed", async () => {
    searching("tall lighthouses");
    const { content } = await anthropic.messages.create(asked);
    expect(content).toEqual([SEARCH, FOUND, { type: "text", text: "At Jeddah." }]);
    searching("tall lighthouses");
    const streamed = await anthropic.messages.stream(asked).finalMessage();
    expect(streamed.content).toEqual([SEARCH, FOUND, { type: "text", text: "At Jeddah." }]);
  });

  it("is taken back with what the model has read", async () => {
    searching("tall lighthouses");
    const { content } = await anthropic.messages.create(asked);
    const read = resultOf();
    expect(read).toContain("High.");
    const messages = [...asked.messages, { role: "assistant" as const, content }, user("Sure?")];
    api.play(chatTurn({ text: "Yes." }));
    await anthropic.messages.create({ ...asked, messages });
    expect(resultOf()).toBe(read);
    // Another server's search is only known by its blocks.
    const foreign = JSON.parse(JSON.stringify(messages).replaceAll(/srvtoolu_[\w-]+/g, "srvtoolu_1"));
    api.play(chatTurn({ text: "Yes." }));
    await anthropic.messages.create({ ...asked, messages: foreign });
    expect(JSON.stringify(api.lastRequest().messages)).toContain("At Jeddah.");
  });

  it("has an error in place of pages if it failed", async () => {
    vendor.failAlways({ status: 400 });
    searching("nothing there");
    const { content } = await anthropic.messages.create(asked);
    vendor.failAlways(undefined);
    expect(content[1]).toMatchObject({
      type: "web_search_tool_result",
      content: { type: "web_search_tool_result_error", error_code: "unavailable" },
    });
    api.play(chatTurn({ text: "Yes." }));
    const messages = [...asked.messages, { role: "assistant" as const, content }, user("Sure?")];
    expect((await anthropic.messages.create({ ...asked, messages })).stop_reason).toBe("end_turn");
  });
});

/** The result of a tool in the newest request to the vendor. */
function resultOf(): string {
  const { messages } = api.lastRequest() as { messages: { role: string; content: unknown }[] };
  return String(messages.find(({ role }) => role === "tool")?.content);
}
