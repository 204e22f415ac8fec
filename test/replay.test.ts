import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTackle, defineTool, readRecording, replay, streamTurn, z } from "../src/index.ts";
import { command } from "./support/server.ts";

const _root = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "tackle-replay-"));
const file = join(folder, "run.jsonl");
const ENV_KEY = "no-pattern-knows-this-one";
const TYPED_KEY = "sk-proj-Abc123Def456Ghi789Jkl012Mno345";
const READ_KEY = "ghp_0123456789abcdefABCDEF0123456789abcd";

function tackle(args: string[], input = ""): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    TACKLE_DATA: join(folder, "data"),
    OLLAMA_BASE_URL: "http://127.0.0.1:9",
    TACKLE_DEMO_TOKENS_PER_SECOND: "0",
    WEATHER_API_KEY: ENV_KEY,
  };
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [command, ...args],
      { env, cwd: join(folder, "work") },
      (failure, stdout, stderr) => done({ code: Number(failure?.code ?? 0), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

function writeTool(answer: string): void {
  writeFileSync(
    join(folder, "data/tools/look_up.mjs"),
    `export default { name: "look_up", description: "Looks something up.", effect: "read",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      run: ({ text }) => ${answer} };`,
  );
}

beforeAll(async () => {
  mkdirSync(join(folder, "work"));
  mkdirSync(join(folder, "data/tools"), { recursive: true });
  writeTool(`"found " + text + ", token ${READ_KEY}, and ${ENV_KEY}"`);
  const asked = `Use look_up with {"text":"${TYPED_KEY}"}`;
  const { code, stderr } = await tackle(["-p", asked, "--record", file]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("record and replay", () => {
  it("records no secrets, in a file that only its owner can read", () => {
    const text = readFileSync(file, "utf8");
    for (const secret of [ENV_KEY, TYPED_KEY, READ_KEY]) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/authorization|bearer|x-api-key/i);
    expect(text).toContain("found [key");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("replays a run without tools, models or the data directory, and reports no difference", async () => {
    rmSync(join(folder, "data/tools/look_up.mjs"));
    const { code, stdout } = await tackle(["replay", file, "--data", join(folder, "nothing")]);
    expect(stdout).toMatch(
      /› Use look_up[\s\S]*✓ look_up[\s\S]*The same as recorded: 1 run, 2 answers of the model, 1 call\.\n$/,
    );
    expect(code).toBe(0);
    expect(() => statSync(join(folder, "nothing"))).toThrow(/ENOENT/);
  });

  it("reports a changed tool", async () => {
    writeTool('"lost " + text');
    const { code, stdout } = await tackle(["replay", file, "--tools", "look_up"]);
    expect(code).toBe(1);
    expect(stdout).toContain("≠ result of look_up, output\n  - found [key");
    expect(stdout).toContain("  + lost [key]\n");
    const json = await tackle(["replay", file, "--tools", "live", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ same: false, differences: [{ now: "lost [key]" }] });
  });

  it("replays with another model, and compares its calls", async () => {
    const { code, stdout } = await tackle(["replay", file, "--model", "demo/demo"]);
    expect({ code, last: stdout.trimEnd().split("\n").at(-1) }).toEqual({
      code: 0,
      last: "The same as recorded: 1 run, 2 answers of the model, 1 call.",
    });
    const unknown = await tackle(["replay", file, "--model", "nobody/none"]);
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^tackle: There is no model [^\n]*\n$/),
    });
  });

  it("does not repeat calls that need an approval, unless allowed", async () => {
    const written = join(folder, "written.jsonl");
    const made = await tackle([
      "-p",
      "write hello to notes.txt",
      "--allow-tool",
      "filesystem",
      "--record",
      written,
    ]);
    expect(made.code).toBe(0);
    const notes = join(folder, "work/notes.txt");
    rmSync(notes);
    const careful = await tackle(["replay", written, "--tools", "live"]);
    expect(careful.stdout).toContain("needs an approval and was not run: --allow-tool filesystem allows it.");
    expect(() => statSync(notes)).toThrow(/ENOENT/);
    const allowed = await tackle([
      "replay",
      written,
      "--tools",
      "live",
      "--allow-tool",
      "filesystem:write notes.txt",
    ]);
    expect(allowed.code).toBe(0);
    expect(readFileSync(notes, "utf8")).toBe("hello\n");
  });

  it("records every turn of a chat", async () => {
    const chat = join(folder, "chat.jsonl");
    const { code } = await tackle(["--record", chat], "Hello\nWhat time is it in Rome?\n");
    expect(code).toBe(0);
    const { stdout } = await tackle(["replay", chat]);
    expect(stdout).toContain("› Hello\n");
    expect(stdout).toMatch(/The same as recorded: 2 runs, 3 answers of the model, 1 call\.\n$/);
  });

  it.each<[string, string[], string]>([
    ["an existing file", ["-p", "x", "--record", "FILE"], "it already exists. Use --force to replace it."],
    ["a missing folder", ["-p", "x", "--record", "no/where"], "there is no such folder."],
    [
      "a server",
      ["-p", "x", "--server", "http://127.0.0.1:9", "--record", "y"],
      "--record and --server cannot be used together.",
    ],
    ["serve", ["serve", "--record", "y"], "tackle serve has no option --record."],
    ["a file that is not a recording", ["replay", "/etc/hostname"], "The file is not a recording of tackle."],
    ["a missing file", ["replay", "nowhere.jsonl"], "nowhere.jsonl: There is no such file."],
    ["a missing file name", ["replay"], "tackle replay needs the name of a file."],
    ["a folder", ["replay", "."], "It is not a file."],
    ["an unknown tool", ["replay", "FILE", "--tools", "nobody"], "there is no tool nobody here."],
  ])("explains in one line: %s", async (_, args, sentence) => {
    const { code, stderr, stdout } = await tackle(args.map((word) => (word === "FILE" ? file : word)));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^tackle: [^\n]*\n$/);
    expect(stderr).toContain(sentence);
    expect(stdout).toBe("");
  });

  it("works from a program", async () => {
    const runs = join(folder, "program.jsonl");
    const double = (factor: number) =>
      defineTool({
        name: "double",
        description: "Doubles a number.",
        effect: "none",
        retry: "pure",
        input: z.object({ number: z.number() }),
        run: ({ number }) => String(number * factor),
      });
    const settings = { TACKLE_DEMO_TOKENS_PER_SECOND: "0" };
    const options = { dataDir: ":memory:", model: "demo/demo", settings };
    const first = await createTackle({ ...options, tools: [double(2)], record: runs });
    for await (const _ of streamTurn(first.chat, { message: 'Use double with {"number":4}' }));
    await first.close();
    const recording = await readRecording(runs);
    expect((await replay(recording)).differences).toEqual([]);
    const second = await createTackle({ ...options, tools: [double(3)] });
    const { differences } = await replay(recording, { tackle: second, tools: ["double"] });
    await second.close();
    expect(differences).toEqual([{ run: 1, where: "result of double, output", recorded: "8", now: "12" }]);
    await expect(replay(recording, { tools: "live" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});
