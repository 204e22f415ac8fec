import { expect, it } from "vitest";
import type { JsonSchema } from "../protocol/json.ts";
import { fitsName, isAddress, isContent, leavesOf, wordsOf } from "./leaves.ts";
import { leadsElsewhere, standsIn, textBefore, wordsStandIn } from "./person-words.ts";

const leaf = (name: string, value: string | number | boolean) => ({
  path: name,
  name,
  value,
  isDefault: false,
});

it.each([
  ["email", "ada@h.example", true],
  ["mails", "ada@h.example", true],
  ["userEmail", "ada", false],
  ["mail", "ada", false],
  ["mailbox", "inbox", true],
  ["voicemail", "hello", true],
  ["url", "h.example", true],
  ["uri", "a/b", true],
  ["links", "home", false],
  ["website", "home", false],
  ["hyperlink", "home", true],
  ["linkage", "home", true],
  ["date", "today", false],
  ["date", "2026-01-01", true],
  ["update", "soon", true],
  ["endpoint", "soon", true],
])("whether the argument %s can be %j: %s", (name, value, fits) => {
  expect(fitsName(name, value)).toBe(fits);
});

it("a text for people to read is known by its name", () => {
  for (const name of ["body", "emailBody", "new_text", "noteText"])
    expect(isContent(leaf(name, "x"))).toBe(true);
  for (const name of ["accountNote", "bodyId", "to"]) expect(isContent(leaf(name, "x"))).toBe(false);
  expect(isContent(leaf("body", 7))).toBe(false);
});

it("an address is known by its name or its beginning", () => {
  expect(isAddress(leaf("to", "https://h.example"))).toBe(true);
  expect(isAddress(leaf("webhook", "x"))).toBe(true);
  expect(isAddress(leaf("to", "bob"))).toBe(false);
  expect(isAddress(leaf("url", 7))).toBe(false);
});

it("names are split between words, and capitals stay together", () => {
  expect(wordsOf("replyTo")).toEqual(["reply", "to"]);
  expect(wordsOf("URLList")).toEqual(["urllist"]);
  expect(wordsOf("part2Name")).toEqual(["part2", "name"]);
});

it("defaults are found behind references and in lists, eight levels deep", () => {
  const isDefault = (schema: JsonSchema, args: unknown) =>
    leavesOf(args, schema).every((one) => one.isDefault);
  const low = { default: "low" };
  expect(isDefault({ properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: low } }, { a: "low" })).toBe(true);
  expect(isDefault({ properties: { a: { $ref: "x" } }, x: low }, { a: "low" })).toBe(false);
  expect(isDefault({ properties: { a: { $ref: "#/$defs/y/z" } }, $defs: {} }, { a: "low" })).toBe(false);
  expect(isDefault({ properties: { a: { items: low } } }, { a: ["low"] })).toBe(true);
  const deep = (depth: number): JsonSchema => (depth === 0 ? low : { anyOf: [deep(depth - 1)] });
  expect(isDefault({ properties: { a: deep(8) } }, { a: "low" })).toBe(true);
  expect(isDefault({ properties: { a: deep(9) } }, { a: "low" })).toBe(false);
});

it.each([
  ["1,000.50 euros", 1000.5, true],
  ["1,000,000 euros", 1_000_000, true],
  ["1.000,50 Euro", 1000.5, true],
  ["12.000.000 Euro", 12_000_000, true],
  ["1.000 km", 1, true],
  ["−5 degrees", -5, true],
  ["pay 10...", 10, true],
  ["pay 10,.", 10, true],
  ["1,000,00 euros", 100_000, false],
  ["10:30", 10, false],
  ["10,000", 10, false],
])("whether %j holds the number %d: %s", (text, number, holds) => {
  expect(standsIn([text], number)).toBe(holds);
  expect(standsIn(["nothing", text], number)).toBe(holds);
});

it.each([
  ["for Bob's party", "Bob", true],
  ["for Bob’s party", "bob", true],
  ["for Bob'sx party", "Bob", false],
  ["the 's Bob", "Bob", true],
  ["a Bob, 3", "Bob", true],
  ["x,Bob", "Bob", true],
  ["a 3,5", "3", false],
  ["me@example.org", "example.org", false],
  ["see http://h.example/a now", "http://h.example/a", true],
  ["see h.example/a now", "http://h.example/a", true],
  ["see h.example/a now", "https://h.example/a/", true],
  ["see h.example/ab now", "https://h.example/a", false],
  ["file A.b", "a.b", false],
  ["Hello There", "hello there", true],
  ["Hello #There", "hello #there", false],
  ["7 agents", "007", false],
  ["7 agents", "7", true],
])("whether in %j stands %j: %s", (text, value, stands) => {
  expect(standsIn([text], value)).toBe(stands);
});

it("each word of a text has to appear in one of the texts", () => {
  expect(wordsStandIn("a c", ["a b", "c"])).toBe(true);
  expect(wordsStandIn("a c", ["ab c"])).toBe(false);
});

it("a text leads elsewhere with an address that nobody has named", () => {
  expect(leadsElsewhere("Go to https://h.example/a...", ["https://h.example/a"])).toBe(false);
  expect(leadsElsewhere("Go to https://h.example/b.", ["https://h.example/a"])).toBe(true);
  expect(leadsElsewhere("See notes.txt", [])).toBe(false);
});

it("the text before a value ends where it is first", () => {
  expect(textBefore("pay 5 and 5", 5)).toBe("pay ");
  expect(textBefore("pay 5 and 7", 7)).toBe("pay 5 and ");
});
