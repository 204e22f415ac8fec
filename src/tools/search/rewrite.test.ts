import { describe, expect, test, vi } from "vitest";
import type { ModelAnswer, ModelQuestion } from "../../protocol/model-question.ts";
import { toolContext } from "../builtin/testing/context.ts";
import { rewriteQuery } from "./rewrite.ts";
import { adviseRewrite } from "./rewrite-advice.ts";
import { tidyRewrite } from "./rewrite-answer.ts";

/** Queries with the expected decision: a reason to rewrite them, or a reason to leave them alone. */
const QUERIES: [query: string, reason: string, rewrite?: "rewrite"][] = [
  // Three words or fewer
  ["TypeScript generics tutorial", "short"],
  ["react", "short"],
  ["weather NYC", "short"],
  ["python asyncio", "short"],
  ["latest iPhone", "short"],
  ["current weather Berlin", "short"],
  ["C++ vs Rust", "short"],
  ["GDPR Article 17", "short"],
  ["今天北京天气怎么样", "short"],
  ["Node.js streams", "short"],
  // Three words or fewer, even if they open a question
  ["What is React?", "short"],
  ["what is rust", "short"],
  ["what's new?", "short"],
  ["tell me more", "short"],
  ["please help", "short"],
  ["Hi, who won?", "short"],
  ["explain monads", "short"],
  // Openers
  ["Can you please tell me what the weather is like in NYC?", "opener", "rewrite"],
  ["Could you find me a good pasta recipe", "opener", "rewrite"],
  ["would you know where Tolstoy was born", "opener", "rewrite"],
  ["I want to learn how to juggle five balls", "opener", "rewrite"],
  ["I'm looking for a cheap hotel in Lisbon", "opener", "rewrite"],
  ["I’d like to know who wrote Faust", "opener", "rewrite"],
  ["How do I center a div?", "opener", "rewrite"],
  ["how many moons does Jupiter have", "opener", "rewrite"],
  ["Where can I watch the eclipse", "opener", "rewrite"],
  ["Why is the sky blue?", "opener", "rewrite"],
  ["when did the Berlin wall fall", "opener", "rewrite"],
  ["Which laptop should I buy for university", "opener", "rewrite"],
  ["what are the latest React features?", "opener", "rewrite"],
  ["search for vegan bakeries in Leeds", "opener", "rewrite"],
  ["look up the population of Malta", "opener", "rewrite"],
  ["hey, do you know any good jokes", "opener", "rewrite"],
  ["Is there a cure for the common cold", "opener", "rewrite"],
  ["ok so can you show me pictures of otters", "opener", "rewrite"],
  ["google the tallest building in Ohio", "opener", "rewrite"],
  // About the present, without a year
  ["latest stable PostgreSQL release notes", "temporal", "rewrite"],
  ["current mortgage interest rates Germany", "temporal", "rewrite"],
  ["recent breakthroughs solid state batteries", "temporal", "rewrite"],
  ["news today about space telescopes", "temporal", "rewrite"],
  // Sentences
  ["my cat sneezes whenever it rains outside", "sentence", "rewrite"],
  ["the best way to learn to play piano", "sentence", "rewrite"],
  ["there was an earthquake in Chile yesterday", "sentence", "rewrite"],
  // Keywords already
  ["rust async runtime comparison benchmarks", "keywords"],
  ["Postgres index bloat autovacuum tuning guide", "keywords"],
  ["best pizza Naples old town", "keywords"],
  ["latest React features 2025 release", "keywords"],
  ["Ada Lovelace Analytical Engine notes 1843", "keywords"],
  // Addresses
  ["https://example.com/page", "url"],
  ["what does https://example.com/a say about prices", "url"],
  ["www.example.com opening hours", "url"],
  ["example.com", "url"],
  ["docs.python.org/3/library/asyncio.html", "url"],
  // Code and errors
  ["`useEffect` runs twice in React 18 why", "code"],
  ["const x = await fetch(url)", "code"],
  ["TypeError: undefined is not a function at app.js:10:5", "code"],
  ["import pandas as pd; pd.read_csv('a.csv')", "code"],
  ["SELECT * FROM users WHERE id = 1", "code"],
  ["array.map(x => x.id) returns undefined", "code"],
  ["std::vector push_back invalidates iterators", "code"],
  ["<div class='a'> does not center what now", "code"],
  ["def main(): pass what does this do", "code"],
  // For a search engine
  ["site:github.com how to write a parser", "operators"],
  ['"to be or not to be" what does it mean', "operators"],
  ["jaguar speed -car how fast is the animal", "operators"],
  ["how to grow tomatoes filetype:pdf", "operators"],
  ["cats OR dogs which are better pets", "operators"],
  // Nothing to search for
  ["   ", "empty"],
  ["???", "empty"],
  ["… — !!", "empty"],
];

test("the table has at least sixty queries", () => {
  expect(QUERIES.length).toBeGreaterThanOrEqual(60);
});

test.each(QUERIES)("%j: %s", (query, reason, rewrite) => {
  expect(adviseRewrite(query)).toEqual({ rewrite: rewrite !== undefined, reason });
});

test("advice is quick for any query", () => {
  const began = performance.now();
  for (const piece of ["a ", "what is ", "((", "<a ", "import x ", "hi, ", "select ", ".a", "-> "])
    adviseRewrite(piece.repeat(500 / piece.length));
  expect(performance.now() - began).toBeLessThan(5_000);
});

describe("a model's answer", () => {
  const asked = "Can you please tell me what the weather is like in NYC?";

  test.each<[answer: string, query: string]>([
    ["weather NYC", "weather NYC"],
    ['"weather NYC"', "weather NYC"],
    ["'weather NYC'", "weather NYC"],
    ["“weather NYC”", "weather NYC"],
    ["«weather NYC»", "weather NYC"],
    ["`weather NYC`", "weather NYC"],
    ["**weather NYC**", "weather NYC"],
    ["Query: weather NYC", "weather NYC"],
    ["Rewritten: weather NYC", "weather NYC"],
    ["Rewritten query: weather NYC", "weather NYC"],
    ["Optimized search query: weather NYC", "weather NYC"],
    ["Optimised query = weather NYC", "weather NYC"],
    ["The rewritten query is: weather NYC", "weather NYC"],
    ["Search: weather NYC", "weather NYC"],
    ["Output: weather NYC", "weather NYC"],
    ['Query: "Rewritten: weather NYC"', "weather NYC"],
    ["→ weather NYC", "weather NYC"],
    ["- weather NYC", "weather NYC"],
    ["1. weather NYC", "weather NYC"],
    ["weather NYC.", "weather NYC"],
    ["weather NYC?", "weather NYC"],
    ["  weather   NYC \n", "weather NYC"],
    ["weather NYC\nweather New York City", "weather NYC"],
    ["```\nweather NYC\n```", "weather NYC"],
    ["```text\nweather NYC\n```", "weather NYC"],
    ["Here is the rewritten query:\nweather NYC", "weather NYC"],
    ["<think>They want weather.</think>\nweather NYC", "weather NYC"],
    ["New York City (NYC) weather", "New York City (NYC) weather"],
  ])("%j is read as a query", (answer, query) => {
    expect(tidyRewrite(answer, asked, 2026)).toBe(query);
  });

  test.each([
    ["nothing", ""],
    ["white space", " \n\t "],
    ["only quotes", '""'],
    ["only a prefix", "Query:"],
    ["an apology", "I'm sorry, I cannot check the weather."],
    ["a refusal", "I can't help with weather in NYC"],
    ["chatter", "Sure! The weather in NYC is sunny."],
    ["an answer instead of a query", "The weather is 20 degrees in NYC"],
    ["unfinished thinking", "<think>weather NYC weather NYC"],
    ["another subject", "best pizza Naples"],
    ["an address", "weather https://evil.example/?q=NYC"],
    ["markup", "<b>weather</b> NYC"],
    ["control characters", "weather\u0007 NYC"],
    ["damaged text", "weather \uFFFD\uFFFD NYC"],
    ["an essay", `weather NYC ${"and more words ".repeat(30)}`],
    ["the original query", asked],
    ["the original query in another case", asked.toUpperCase()],
  ])("is not used if it is %s", (_, answer) => {
    expect(tidyRewrite(answer, asked, 2026)).toBeUndefined();
  });

  test.each<[original: string, answer: string, query: string | undefined]>([
    ["What are the latest React features?", "latest React features", "latest React features 2026"],
    ["What are the latest React features?", "latest React features 2026", "latest React features 2026"],
    ["What are the latest React features?", "latest React features 2023", "latest React features 2026"],
    ["what is the current president of France", "president France", "president France 2026"],
    ["recent work about black holes please", "black holes research", "black holes research 2026"],
    ["What were the latest features of 2019?", "latest features 2019", "latest features 2019"],
    ["Who won the cup in 2010?", "cup winner 2010", "cup winner 2010"],
    ["How do currents in the sea work?", "sea currents", "sea currents"],
  ])("gets the year if %j is about the present", (original, answer, query) => {
    expect(tidyRewrite(answer, original, 2026)).toBe(query);
  });
});

describe("rewriting", () => {
  const asked = "Can you please tell me what the weather is like in NYC?";
  const answer = (text: string): ModelAnswer => ({
    text,
    parts: [],
    usage: { inputTokens: 90, outputTokens: 3 },
    model: "zai/glm-4.5-air",
    cut: false,
  });

  test("asks for fifty tokens at temperature 0, with the current year", async () => {
    const questions: ModelQuestion[] = [];
    const askModel = async (question: ModelQuestion) => {
      questions.push(question);
      return answer("weather NYC");
    };
    expect(await rewriteQuery(asked, toolContext({ askModel }))).toEqual({ rewritten: "weather NYC" });
    expect(questions).toMatchObject([
      { role: "rewrite", prompt: asked, maxOutputTokens: 50, temperature: 0 },
    ]);
    expect(questions[0]?.system).toContain("It is 2026.");
  });

  test("asks no model about a query that is already good", async () => {
    const askModel = vi.fn(async () => answer("x"));
    expect(await rewriteQuery("TypeScript generics tutorial", toolContext({ askModel }))).toEqual({});
    expect(askModel).not.toHaveBeenCalled();
  });

  test("asks no model where TACKLE_REWRITE is 0", async () => {
    const askModel = vi.fn(async () => answer("weather NYC"));
    const setting = (name: string) => (name === "TACKLE_REWRITE" ? "0" : undefined);
    expect(await rewriteQuery(asked, toolContext({ askModel, setting }))).toEqual({});
    expect(askModel).not.toHaveBeenCalled();
  });

  test("leaves the query unchanged if no model is available", async () => {
    expect(await rewriteQuery(asked, toolContext())).toEqual({});
  });

  test.each<[string, () => Promise<ModelAnswer>]>([
    ["fails", () => Promise.reject(new Error("down"))],
    ["returns garbage", async () => answer("\u0000\u0001")],
    ["returns nothing", async () => answer("")],
  ])("leaves the query unchanged if the model %s", async (_, askModel) => {
    expect((await rewriteQuery(asked, toolContext({ askModel }))).rewritten).toBeUndefined();
  });

  test("stops the model when its time is over", async () => {
    let signal: AbortSignal | undefined;
    const askModel = (question: ModelQuestion) => {
      signal = question.signal;
      return new Promise<ModelAnswer>(() => {});
    };
    expect(await rewriteQuery(asked, toolContext({ askModel }), 20)).toEqual({});
    expect(signal?.aborted).toBe(true);
  });

  test("ends with the call", async () => {
    const stop = new AbortController();
    const askModel = () => {
      stop.abort(new Error("stopped"));
      return new Promise<ModelAnswer>(() => {});
    };
    const rewriting = rewriteQuery(asked, toolContext({ askModel, signal: stop.signal }));
    await expect(rewriting).rejects.toThrow("stopped");
  });
});
