import { expect, it } from "vitest";
import { tool } from "../loop/testing/scripted.ts";
import type { Registry } from "../protocol/registry.ts";
import { chooseTools } from "./choose-tools.ts";

const tools = [tool("clock", { aliases: ["time"] }), tool("search")];
const registry = {
  list: () => tools,
  expand: (names: readonly string[]) => tools.filter(({ name }) => names.includes(name)),
} as Registry;
const theirs = { name: "theirs", description: "", parameters: { type: "object" } };
const namesOf = (chosen: ReturnType<typeof chooseTools>) => chosen.tools.map(({ name }) => name);

it("offers every tool and leaves the choice to the model unless the request says otherwise", () => {
  const chosen = chooseTools(registry, {});
  expect(namesOf(chosen)).toEqual(["clock", "search"]);
  expect(chosen).toMatchObject({ clientTools: [], toolChoice: "auto" });
});

it("offers only the tools that the request names, and those of the client", () => {
  const chosen = chooseTools(registry, { tools: ["search"], clientTools: [theirs] });
  expect(namesOf(chosen)).toEqual(["search"]);
  expect(chosen.clientTools).toEqual([theirs]);
});

it.each(["auto", "none", "required"] as const)("passes the choice %s on", (toolChoice) => {
  expect(chooseTools(registry, { toolChoice }).toolChoice).toBe(toolChoice);
});

it.each([
  ["clock", "clock"],
  ["time", "clock"],
  ["theirs", "theirs"],
])("finds the tool that %s names", (toolChoice, name) => {
  expect(chooseTools(registry, { toolChoice, clientTools: [theirs] }).toolChoice).toEqual({ tool: name });
});

it("refuses a tool that the request does not offer, and lists those that it does", () => {
  const choose = (toolChoice: string, names: string[]) => () =>
    chooseTools(registry, { tools: names, toolChoice, clientTools: names.length > 0 ? [theirs] : [] });
  expect(choose("clock", ["search"])).toThrow(
    'toolChoice: there is no tool "clock" in this request. Available tools: search, theirs.',
  );
  expect(choose("clock", [])).toThrow("Available tools: none.");
  expect(choose("x".repeat(300), [])).toThrow(`"${"x".repeat(100)}"`);
});
