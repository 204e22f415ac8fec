import { describe, expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import { cleanFailure, toolFailure } from "./errors.ts";
import { OWN_KEYS } from "./redact/testing/secrets.ts";

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: no, '/home/jane/x'`), { code });
}

describe("an error that is shown", () => {
  it.each([
    ["ENOSPC", "STORAGE_FULL", 507],
    ["EACCES", "FORBIDDEN", 403],
    ["ENOENT", "NOT_FOUND", 404],
    ["ETIMEDOUT", "UPSTREAM_TIMEOUT", 504],
    ["ECONNREFUSED", "UPSTREAM_ERROR", 502],
    ["ENOTFOUND", "UPSTREAM_ERROR", 502],
    ["EMFILE", "RESOURCE_EXHAUSTED", 503],
  ])("%s becomes %s with a plain sentence", (code, expected, status) => {
    const failure = cleanFailure(systemError(code));
    expect(failure).toMatchObject({ code: expected, status });
    expect(failure.publicMessage).toMatch(/^[A-Z][^/]+\.$/);
  });

  it("finds a system error that is the cause of another error", () => {
    const failure = cleanFailure(new TypeError("fetch failed", { cause: systemError("ECONNREFUSED") }));
    expect(failure.code).toBe("UPSTREAM_ERROR");
  });

  it("keeps a failure as it is when there is nothing to hide", () => {
    const failure = new Failure("RATE_LIMITED", "Too many requests.", {
      retryAfter: 3,
      details: { limit: 2 },
    });
    expect(cleanFailure(failure)).toBe(failure);
  });

  it("redacts the sentence and the details of a failure, and keeps the rest", () => {
    const failure = cleanFailure(
      new Failure("UPSTREAM_ERROR", `It said: bad key ${OWN_KEYS[0]}`, {
        retryAfter: 3,
        details: { url: "/home/jane/x" },
      }),
    );
    expect(failure).toMatchObject({
      code: "UPSTREAM_ERROR",
      publicMessage: "It said: bad key [key]",
      retryable: true,
      retryAfter: 3,
      details: { url: "[path]" },
    });
  });

  it("redacts the details of a failure whose sentence may be shown as it is", () => {
    const failure = new Failure("UPSTREAM_ERROR", "It failed.", { details: { body: `key ${OWN_KEYS[0]}` } });
    expect(cleanFailure(failure)).toMatchObject({
      publicMessage: "It failed.",
      details: { body: "key [key]" },
    });
  });

  it("keeps addresses of the person's own files, and hides their secrets", () => {
    const options = { origin: "workspace" } as const;
    const failure = new Failure("TOOL_FAILED", `jane@corp.example has ${OWN_KEYS[0]}`, options);
    expect(cleanFailure(failure).publicMessage).toBe("jane@corp.example has [key hidden]");
  });

  it.each([
    undefined,
    null,
    1,
    "text",
    {},
    Symbol("x"),
    new Proxy(
      {},
      {
        get: () => {
          throw new Error("no");
        },
      },
    ),
  ])("is INTERNAL for whatever else is thrown (%#)", (thrown) => {
    expect(cleanFailure(thrown)).toMatchObject({ code: "INTERNAL", status: 500 });
  });

  it("tells the model what a tool said, redacted", () => {
    const failure = toolFailure(
      new Error(`Cannot read /home/jane/a.txt with ${OWN_KEYS[3]}\n    at x (/a/b.js:1:2)`),
    );
    expect(failure).toMatchObject({ code: "TOOL_FAILED", publicMessage: "Cannot read [path] with [key]" });
  });

  it("keeps the failure of a cancelled call", () => {
    expect(toolFailure(new DOMException("stop", "AbortError")).code).toBe("CANCELLED");
  });
});

it("whatever begins like a vendor's key is removed from an error", () => {
  for (const key of ["sk-my-secret-key-value", "sk-abcdef", "sk-test-mysecretkey"]) {
    const refused = new Failure("UPSTREAM_ERROR", `The key ${key} is not valid.`);
    expect(cleanFailure(refused).publicMessage).toBe("The key [key] is not valid.");
    expect(toolFailure(new Error(`no such key: ${key}`)).publicMessage).toBe("no such key: [key]");
    const both = new Failure("UPSTREAM_ERROR", `Neither ${key} nor ${key}2 is valid.`);
    expect(cleanFailure(both).publicMessage).toBe("Neither [key] nor [key] is valid.");
  }
});

it("finds a system error behind up to five causes", () => {
  const reset = Object.assign(new Error("read"), { code: "ECONNRESET" });
  const wrap = (error: unknown, times: number): unknown =>
    times === 0 ? error : new Error("outer", { cause: wrap(error, times - 1) });
  expect(cleanFailure(wrap(reset, 4))).toMatchObject({
    code: "UPSTREAM_ERROR",
    publicMessage: "The connection was lost. Try again.",
  });
  expect(cleanFailure(wrap(reset, 5)).code).toBe("INTERNAL");
});

it("names a time-out, a text that was thrown, and nothing else", () => {
  const timeout = Object.assign(new Error("slow"), { name: "TimeoutError" });
  expect(cleanFailure(timeout)).toMatchObject({ code: "UPSTREAM_TIMEOUT", cause: timeout });
  expect(toolFailure("disk is full")).toMatchObject({ code: "TOOL_FAILED", publicMessage: "disk is full" });
  expect(toolFailure({ odd: true }).code).toBe("INTERNAL");
  expect(toolFailure("long ".repeat(300)).publicMessage).toHaveLength(1_000);
});
