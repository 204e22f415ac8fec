import { expect, it } from "vitest";
import { redactDeep } from "./redact.ts";

it("redacts every kind of value for a log", () => {
  const day = new Date(0);
  const value = {
    text: "password=hunter2x",
    run() {},
    mark: Symbol("x"),
    none: null,
    count: 7,
    day,
    bytes: new Uint8Array(5),
    list: ["password=hunter2x"],
    map: new Map([["text", "password=hunter2x"]]),
    set: new Set(["password=hunter2x"]),
  };
  expect(redactDeep(value)).toEqual({
    text: "password=[secret]",
    run: "[function]",
    mark: "[symbol]",
    none: null,
    count: 7,
    day,
    bytes: "[5 bytes]",
    list: ["password=[secret]"],
    map: { text: "password=[secret]" },
    set: ["password=[secret]"],
  });
});

it("removes the values of secret fields, unless there is none", () => {
  const empty = { password: undefined, token: null, secret: "", credentials: false, authorization: true };
  expect(redactDeep({ ...empty })).toStrictEqual(empty);
  expect(redactDeep({ password: 0, token: ["a"] })).toEqual({ password: "[secret]", token: "[secret]" });
});

it("keeps what an error says, its code and its cause", () => {
  const cause = new Error("password=hunter2x");
  const error = Object.assign(new TypeError("failed", { cause }), { code: "E1" });
  expect(redactDeep(error)).toStrictEqual({
    name: "TypeError",
    message: "failed",
    code: "E1",
    cause: { name: "Error", message: "password=[secret]" },
  });
  expect(redactDeep(Object.assign(new Error("failed"), { code: 1 }))).toStrictEqual({
    name: "Error",
    message: "failed",
  });
});

it("stops at a depth of twelve, at ten thousand values, and at a thousand per list", () => {
  const nest = (depth: number): unknown => (depth === 0 ? "end" : { in: nest(depth - 1) });
  expect(JSON.stringify(redactDeep(nest(12)))).toContain("end");
  expect(JSON.stringify(redactDeep(nest(13)))).not.toContain("end");
  const lists = (depth: number): unknown => (depth === 0 ? "end" : [lists(depth - 1)]);
  expect(JSON.stringify(redactDeep(lists(13)))).not.toContain("end");
  expect(redactDeep(Array.from({ length: 1_001 }, () => 1))).toHaveLength(1_000);
  const wide = Array.from({ length: 11 }, () => Array.from({ length: 999 }, () => ({})));
  const json = JSON.stringify(redactDeep(wide));
  // The list itself, and 10 lists of 1 + 999 values: 10,001.
  expect(json.match(/\{\}/g)).toHaveLength(9_989);
  expect(json.match(/"\[…\]"/g)).toHaveLength(2);
});

it("shows a value that contains itself once", () => {
  const value: Record<string, unknown> = { name: "a" };
  value.self = value;
  expect(redactDeep(value)).toEqual({ name: "a", self: "[again]" });
});
