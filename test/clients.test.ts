import { afterAll, expect, it } from "vitest";
import { CLIENTS } from "../clients/catalogue.ts";
import type { Outcome } from "../clients/client.ts";
import { type Lab, openLab } from "../clients/lab.ts";
import { callFor } from "../clients/model/tools.ts";
import { root } from "./support/pages.ts";

// `npm run clients` installs the newest programs. Here one of its rows runs with the packages that tests have anyway.

const labs: Lab[] = [];
afterAll(() => Promise.all(labs.map((lab) => lab.close())));

it("the program of OpenAI's library passes everything", async () => {
  const client = CLIENTS.find(({ name }) => name === "openai");
  const lab = await openLab();
  labs.push(lab);
  const outcomes: Record<string, Outcome> = {};
  await client?.play({ folder: root, versions: [] }, lab, (cell, outcome) => {
    outcomes[cell] = outcome;
  });
  const states = Object.values(outcomes).map(({ state }) => state);
  expect(outcomes).toMatchObject({ shell: { state: "passed" }, edit: { state: "passed" } });
  expect(new Set(states), JSON.stringify(outcomes)).toEqual(new Set(["passed"]));
});

it("the scripted model calls tools as the client declares them", () => {
  const tool = (name: string, properties: object, required: string[] = []) => ({
    name,
    parameters: { type: "object", properties, required },
    custom: false,
  });
  const text = { type: "string" };
  const texts = { type: "array", items: text };
  const run = { do: "run", command: "ls" } as const;
  expect(callFor(run, [tool("other", {}), tool("Bash", { command: text, description: text })])).toEqual({
    name: "Bash",
    arguments: { command: "ls" },
  });
  expect(
    callFor(run, [tool("run_commands", { commands: texts, wait: { type: "boolean" } }, ["wait"])]),
  ).toEqual({ name: "run_commands", arguments: { commands: ["ls"], wait: false } });
  const files = { type: "array", items: { type: "object", required: ["path"] } };
  expect(callFor({ do: "read", path: "a" }, [tool("read_files", { files })])).toEqual({
    name: "read_files",
    arguments: { files: [{ path: "a" }] },
  });
  const replace = { do: "replace", path: "a", before: "<b>", after: "&" } as const;
  const edit = tool("edit", { filePath: text, oldString: text, newString: text });
  expect(callFor(replace, [edit])).toEqual({
    name: "edit",
    arguments: { filePath: "a", oldString: "<b>", newString: "&" },
  });
  expect(callFor(replace, [{ name: "apply_patch", parameters: {}, custom: true }])).toMatchObject({
    arguments: expect.stringContaining("-<b>\n+&\n"),
    custom: true,
  });
  expect(callFor(replace, [tool("exec_command", { cmd: text })])).toMatchObject({ name: "exec_command" });
  expect(callFor(run, [tool("other", {})])).toBeUndefined();
});
