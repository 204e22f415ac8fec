import { expect, test } from "vitest";
import { quotable, readErrorBody, vendorFailure } from "./failures.ts";
import { retryAfterSeconds } from "./retry-after.ts";
import { testContext } from "./testing/replay.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

test.each([
  [{ "retry-after": "30" }, "", 30],
  [{ "retry-after": "0.5" }, "", 0.5],
  [{ "retry-after": "Thu, 01 Jan 2026 00:01:30 GMT" }, "", 90],
  [{ "retry-after": "Thu, 01 Jan 2020 00:00:00 GMT" }, "", 0],
  [{ "retry-after": "1m30s" }, "", 90],
  [{ "retry-after-ms": "250", "retry-after": "9" }, "", 0.25],
  [{ "retry-after": "soon" }, "", undefined],
  [{}, '{"error":{"details":[{"retryDelay":"13.5s"}]}}', 13.5],
  [{}, "Rate limit reached. Please try again in 1m2.5s. Visit", 62.5],
  [{}, "Please try again in 20ms.", 0.02],
  [{}, "Please retry after 7 seconds", 7],
  [{}, `{"metadata":{"headers":{"X-RateLimit-Reset":"${NOW + 5000}"}}}`, 5],
  [{}, "no idea", undefined],
])("%j %s gives a delay of %d s", (headers, body, expected) => {
  expect(retryAfterSeconds(headers, body, NOW)).toBe(expected);
});

test("a vendor's message is quoted briefly, without keys, tokens, mail addresses or secrets in URLs", () => {
  const secrets = [
    "sk-proj-abcDEF0123456789",
    "sk-proj-****************aB3d",
    "gsk_0123456789abcdefghij",
    "AIzaSyA0123456789abcdefghijklmnopqrst",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
    "someone@example.com",
  ];
  for (const secret of secrets) {
    expect(quotable(`The key ${secret} is wrong`)).toBe("The key [removed] is wrong");
  }
  expect(quotable("Authorization: Bearer abc.def")).toBe("Authorization: Bearer [removed]");
  expect(quotable("see https://user:pass@host.test/path?token=1#x now")).toBe(
    "see https://host.test/path now",
  );
  expect(quotable("model meta-llama/Llama-3.3-70B-Instruct-Turbo is gone")).toContain(
    "Llama-3.3-70B-Instruct-Turbo",
  );
  expect(Array.from(quotable("😀 ".repeat(400))).length).toBeLessThanOrEqual(300);
});

test("an error body is read in all forms that vendors use, and a web page is not quoted", () => {
  expect(readErrorBody('{"error":{"message":"m","type":"t","code":"c"}}')).toMatchObject({
    message: "m",
    kind: "t c",
  });
  expect(readErrorBody('[{"error":{"message":"m","status":"NOT_FOUND","code":404}}]')).toMatchObject({
    status: 404,
  });
  expect(readErrorBody('{"error":"m"}').message).toBe("m");
  expect(readErrorBody('{"message":"m"}').message).toBe("m");
  expect(readErrorBody('{"detail":"m"}').message).toBe("m");
  expect(readErrorBody("plain words").message).toBe("plain words");
  expect(readErrorBody("<html>").message).toBeUndefined();
  const wrapped = '{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"slow down"}}}';
  expect(readErrorBody(wrapped).message).toBe("Provider returned error: slow down");
});

test("a rate limit is not mistaken for a conversation that is too long", () => {
  const body = '{"error":{"message":"Request too large: maximum input tokens per minute"}}';
  const failure = vendorFailure(readErrorBody(body), testContext(), { status: 429, headers: {} }, body);
  expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
});
