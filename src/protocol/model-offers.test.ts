import { expect, it } from "vitest";
import { isOffered } from "./model-offers.ts";

it("offers everything unless models are named, and then only what a name or pattern matches", () => {
  const offers = (models: string[] | undefined, id: string) => isOffered(models ? { models } : {}, id);
  expect(offers(undefined, "openai/gpt-4o")).toBe(true);
  expect(offers(["openai/gpt-4o"], "openai/gpt-4o")).toBe(true);
  expect(offers(["openai/gpt-4o"], "openai/gpt-4o-mini")).toBe(false);
  expect(offers(["openai/*"], "openrouter/openai/gpt-4o")).toBe(false);
  expect(offers(["*/claude-*-4-6"], "anthropic/claude-sonnet-4-6")).toBe(true);
  expect(offers(["a*a"], "a")).toBe(false);
  expect(offers(["*mini*"], "openai/gpt-4o-mini")).toBe(true);
  expect(offers(["openai/.*"], "openai/gpt-4o")).toBe(false);
});
