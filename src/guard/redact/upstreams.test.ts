import { expect, it } from "vitest";
import { Failure } from "../../protocol/failure.ts";
import { cleanFailure, toolFailure } from "../errors.ts";
import { knowUpstreams, redactUpstreams } from "./upstreams.ts";

it.each([
  ["no answer from https://api.z.ai/x.", "no answer from [address]."],
  ["POST https://gateway.example/v1/chat/completions failed", "POST [address] failed"],
  ["(https://generativelanguage.googleapis.com/v1beta/models)", "([address])"],
  ["https://storage.googleapis.com/bucket failed", "[address] failed"],
  ["https://openrouter.ai/api.", "[address]."],
  ["https://gateway.example/api/chat failed", "[address] failed"],
  ["https://gateway.example/v2", "[address]"],
])("the address of an interface is removed: %s", (text, clean) => {
  expect(redactUpstreams(text)).toBe(clean);
});

it.each(["See https://platform.openai.com/account/limits.", "https://docs.z.ai/guides", "api.ts:12"])(
  "what a person can open stays: %s",
  (text) => expect(redactUpstreams(text)).toBe(text),
);

it("an address from the settings is removed with and without its path, as long as it is used", () => {
  const forget = knowUpstreams(["http://10.1.2.3:9000/models", "not an address"]);
  const text = "connect 10.1.2.3:9000 for http://10.1.2.3:9000/models/x";
  expect(redactUpstreams(text)).toBe("connect [address] for [address]");
  // Neither of the two is an address.
  expect(redactUpstreams("https://%/x")).toBe("https://%/x");
  forget();
  expect(redactUpstreams(text)).toBe(text);
});

it("an error of an upstream loses its addresses, one about the request keeps them", () => {
  const words = "Cannot use https://api.z.ai/x here.";
  const clean = (code: ConstructorParameters<typeof Failure>[0], details?: Record<string, unknown>) =>
    cleanFailure(new Failure(code, words, { details })).publicMessage;
  expect(clean("UPSTREAM_ERROR")).toBe("Cannot use [address] here.");
  expect(clean("INVALID_INPUT", { upstreamStatus: 400 })).toBe("Cannot use [address] here.");
  expect(clean("INVALID_INPUT")).toBe(words);
  expect(toolFailure(new Error(words)).publicMessage).toBe("Cannot use [address] here.");
});
