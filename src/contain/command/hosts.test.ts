import { expect, test } from "vitest";
import { allowedBy, parseHostRule } from "./hosts.ts";

const rules = (...entries: string[]) => entries.flatMap((entry) => parseHostRule(entry) ?? []);

test("an entry is a host, the names below one, or a host with a port", () => {
  expect(parseHostRule("Registry.Example")).toEqual({ host: "registry.example", below: false });
  expect(parseHostRule("*.example.org")).toEqual({ host: "example.org", below: true });
  expect(parseHostRule(" [::1]:80 ")).toEqual({ host: "::1", below: false, port: 80 });
  for (const wrong of [
    "",
    "*",
    "*.",
    "a b",
    "http://a.example",
    "a.example/x",
    "u@a.example",
    "a.example:0",
    "*.1.2.3.4",
    "a.*",
  ])
    expect(parseHostRule(wrong), wrong).toBeUndefined();
});

test("only the named host and the usual ports are allowed", () => {
  const one = rules("registry.example", "*.example.org");
  expect(allowedBy(one, "registry.example", 443)).toEqual({ private: false });
  expect(allowedBy(one, "a.b.example.org", 80)).toEqual({ private: false });
  for (const [host, port] of [
    ["registry.example", 22],
    ["registry.example", 8080],
    ["x.registry.example", 443],
    ["example.org", 443],
    ["badexample.org", 443],
    ["registry.example.evil", 443],
  ] as const)
    expect(allowedBy(one, host, port), `${host}:${port}`).toBeUndefined();
});

test("a private address needs the exact host and port", () => {
  expect(allowedBy(rules("localhost:4873"), "localhost", 4873)).toEqual({ private: true });
  expect(allowedBy(rules("localhost:4873"), "localhost", 443)).toBeUndefined();
  expect(allowedBy(rules("localhost", "*.local:80"), "localhost", 443)).toEqual({ private: false });
  expect(allowedBy(rules("*.local:80"), "a.local", 80)).toEqual({ private: false });
});
