import { expect, test } from "vitest";
import type { Provider } from "../protocol/provider.ts";
import openai from "./providers/openai.ts";
import { checkKey } from "./vendors.ts";
import type { Transport } from "./wire/transport.ts";

test.each([
  ["works", 200, '{"object":"list","data":[]}'],
  ["unreachable", 200, "<h1>Sign in to the network</h1>"],
  ["refused", 401, '{"error":{"code":"invalid_api_key"}}'],
  ["busy", 429, '{"error":{"code":"rate_limit_exceeded"}}'],
  ["exhausted", 429, '{"error":{"code":"insufficient_quota"}}'],
  ["exhausted", 402, '{"error":{"message":"Insufficient Balance"}}'],
  ["busy", 503, "down"],
] as const)("a key is %s after status %i and %s", async (result, status, said) => {
  const transport: Transport = {
    send: async () => ({ status, headers: {}, body: new Blob([said]).stream(), discard() {} }),
    close: async () => {},
  };
  const provider: Provider = openai;
  const options = { provider, key: "sk-0123456789", transport, signal: AbortSignal.timeout(5_000) };
  expect(await checkKey(options)).toEqual({ result });
});
