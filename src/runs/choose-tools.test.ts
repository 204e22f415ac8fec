import { expect, it } from "vitest";
import { tool } from "../loop/testing/scripted.ts";
import type { Project } from "../protocol/projects.ts";
import type { Tool } from "../protocol/tool.ts";
import { chooseTools, forRun } from "./choose-tools.ts";
import type { PersonalText } from "./session-instructions.ts";
import { registryOf } from "./testing/registry.ts";

const tools = [tool("clock", { aliases: ["time"] }), tool("search")];
/** A registry with these tools. */
const registryWith = (all: Tool[]) =>
  registryOf({
    list: () => all,
    expand: (names) => all.filter(({ name }) => names.includes(name)),
  });
const registry = registryWith(tools);
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

it("offers plans only beside a tool that sends or changes something", () => {
  const plan = tool("propose_plan");
  const offered = (all: Tool[], names?: string[]) =>
    namesOf(chooseTools(registryWith(all), names ? { tools: names } : {}));
  expect(offered([tool("clock"), plan])).toEqual(["clock"]);
  expect(offered([tool("clock"), plan], ["propose_plan"])).toEqual([]);
  expect(offered([plan, tool("save", { effect: "write" })])).toEqual(["save", "propose_plan"]);
  expect(offered([plan, tool("post", { effect: "network" })], ["post"])).toEqual(["post", "propose_plan"]);
});

it("offers what needs a stored session only in one, and read_result beside tools that may return much", () => {
  const read = tool("read_result", { sessionOnly: true, effect: "read" });
  const offered = registryWith([tool("clock"), tool("files", { effect: "read" }), read]);
  const messages = [{ role: "user" as const, content: "hello" }];
  expect(namesOf(chooseTools(offered, {}))).toEqual(["clock", "files", "read_result"]);
  expect(namesOf(chooseTools(offered, { messages }))).toEqual(["clock", "files"]);
  expect(namesOf(chooseTools(offered, { history: [] }))).toEqual(["clock", "files"]);
  expect(namesOf(chooseTools(offered, { tools: ["files"] }))).toEqual(["files", "read_result"]);
  expect(namesOf(chooseTools(offered, { tools: ["clock"] }))).toEqual(["clock"]);
});

it("leaves out what memory, files and the depth of a run do not allow", () => {
  const tools = ["clock", "remember", "search_files", "delegate", "propose_plan"].map((name) => tool(name));
  const nothing: PersonalText = { blocks: [], outside: [], isMemoryOn: false };
  const offered = (personal: PersonalText | undefined, depth: number) =>
    namesOf(forRun({ tools, clientTools: [], toolChoice: "auto" as const }, personal, depth, 1));
  expect(offered(undefined, 0)).toEqual(["clock", "delegate", "propose_plan"]);
  expect(offered({ ...nothing, isMemoryOn: true }, 0)).toContain("remember");
  expect(offered({ ...nothing, project: { files: 1 } as Project }, 0)).toContain("search_files");
  expect(offered(nothing, 0)).toEqual(["clock", "delegate", "propose_plan"]);
  expect(offered(nothing, 1)).toEqual(["clock"]);
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
