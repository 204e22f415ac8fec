import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SearchStandIn, startSearch } from "../src/sim/testing/search.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";

const LIST = { title: "All lighthouses", url: "https://lighthouses.example/list" };
const LAMPS = { title: "Lamps", url: "https://museum.example/lamps?id=7" };
const LINK = `[the list](${LIST.url})`;
const TEXT = `The tallest is at Jeddah (${LINK}). See also ${LAMPS.url}. Not ${LIST.url}-of-more.`;
const citation = (page: typeof LIST, cited: string) => {
  const start_index = TEXT.indexOf(cited);
  return { type: "url_citation", ...page, start_index, end_index: start_index + cited.length };
};
const CITED = [citation(LIST, LINK), citation(LAMPS, LAMPS.url)];
const SOURCES = [LIST, LAMPS].map(({ url }) => ({ type: "url", url }));
const include = ["web_search_call.action.sources" as const];
const asked = { model: "gpt-4o", input: "The tallest?", tools: [{ type: "web_search" as const }] };

let vendor: SearchStandIn;
let api: OpenAiServer;
beforeAll(async () => {
  vendor = await startSearch("tavily", { pages: [LIST, LAMPS].map((page) => ({ ...page, text: "High." })) });
  api = await openServer(vendor.settings);
});
afterAll(async () => {
  await api?.close();
  await vendor?.close();
});

function searching(...queries: string[]) {
  const calls = queries.map((query) => ({ name: "browser_search", arguments: { query } }));
  api.play(chatTurn({ calls }), chatTurn({ text: TEXT }));
}

const searchesOf = (output: OpenAI.Responses.ResponseOutputItem[]) =>
  output.flatMap((item) => (item.type === "web_search_call" ? [item] : []));

describe("a search that runs here for a client of OpenAI's", () => {
  it("names the pages that it found if the client wants them, and the answer cites those that it names", async () => {
    searching("tall lighthouses", "old lamps");
    const response = await api.openai.responses.create({ ...asked, include });
    const [found, again, ...more] = searchesOf(response.output);
    expect(more).toEqual([]);
    expect(found).toMatchObject({
      status: "completed",
      action: { query: "tall lighthouses", sources: SOURCES },
    });
    expect(again).toMatchObject({ status: "completed", action: { query: "old lamps", sources: SOURCES } });
    const message = response.output.at(-1);
    expect(message).toMatchObject({ content: [{ text: TEXT, annotations: CITED }] });
    const later = await api.openai.responses.retrieve(response.id, { include });
    expect(later.output).toEqual(response.output);
    const { output } = await api.openai.responses.retrieve(response.id);
    expect(searchesOf(output).map(({ action }) => Object.keys(action))).not.toContain("sources");
  });

  it("does so in a stream, before the item and the text are done", async () => {
    searching("tall lighthouses", "old lamps");
    const stream = api.openai.responses.stream({ ...asked, include });
    const events: string[] = [];
    const annotations: unknown[] = [];
    const searches: unknown[] = [];
    for await (const event of stream) {
      events.push(event.type);
      if (event.type === "response.output_text.annotation.added") annotations.push(event.annotation);
      if (event.type === "response.output_item.done" && event.item.type === "web_search_call")
        searches.push(event.item);
    }
    expect(annotations).toEqual(CITED);
    expect(searches).toMatchObject([{ action: { sources: SOURCES } }, { action: { sources: SOURCES } }]);
    expect(events.indexOf("response.output_text.annotation.added")).toBeLessThan(
      events.indexOf("response.output_text.done"),
    );
    const final = await stream.finalResponse();
    expect(searchesOf(final.output)).toEqual(searches);
    expect(final.output.at(-1)).toMatchObject({ content: [{ annotations: CITED }] });
  });

  it("is failed and without pages if the search service is down", async () => {
    vendor.failAlways({ status: 400 });
    searching("nothing there");
    const { output } = await api.openai.responses.create({ ...asked, include });
    vendor.failAlways(undefined);
    expect(searchesOf(output)).toMatchObject([{ status: "failed", action: { query: "nothing there" } }]);
    expect(output.at(-1)).toMatchObject({ content: [{ text: TEXT, annotations: [] }] });
  });
});
