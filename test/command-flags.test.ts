import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { shippedCommandLine } from "../bench/load/contestant.ts";

const root = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(resolve(root, path), "utf8");
const shipped = shippedCommandLine();

/** Runs a program and returns the flags and the variable of every Node process in it. */
async function commandLinesOf(file: string, args: string[]): Promise<unknown[]> {
  const report =
    "data:text/javascript,console.error(JSON.stringify(%5Bprocess.execArgv,process.env.MALLOC_ARENA_MAX??null%5D))";
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { ...process.env, PATH: path, NODE_OPTIONS: `--import=${report}` };
  const { stderr } = await promisify(execFile)(file, args, { cwd: root, env });
  return stderr
    .split("\n")
    .filter((line) => line.startsWith("[["))
    .map((line) => JSON.parse(line));
}

describe("the flags of the tackle command", () => {
  it("are in its first line, and each has a comment with its measured gain", () => {
    const names = [...shipped.flags, ...Object.entries(shipped.env).map((entry) => entry.join("="))];
    expect(names.length).toBeGreaterThan(0);
    for (const name of names)
      expect(read("bin/tackle.mjs")).toMatch(new RegExp(`^//   ${name} .*× 1\\.\\d\\d$`, "m"));
  });

  it("are used by the command itself and by npm start", async () => {
    const expected = [shipped.flags, shipped.env.MALLOC_ARENA_MAX];
    expect(await commandLinesOf(resolve(root, "bin/tackle.mjs"), ["--version"])).toEqual([expected]);
    const start = 'import("./scripts/setup.mjs").then((setup) => setup.becomeTackle(["--version"]))';
    expect((await commandLinesOf(process.execPath, ["-e", start])).at(-1)).toEqual(expected);
  });

  it("include the file of settings of a clone that has one", async () => {
    const flagOf = async (folder: string) => {
      const program = `import("./scripts/setup.mjs").then((setup) => console.log(setup.settingsFlag(${JSON.stringify(folder)}).join()))`;
      return (await promisify(execFile)(process.execPath, ["-e", program], { cwd: root })).stdout.trim();
    };
    const folder = mkdtempSync(join(tmpdir(), "tackle-clone-"));
    expect(await flagOf(folder)).toBe("");
    writeFileSync(join(folder, ".env"), "PORT=1\n");
    expect(await flagOf(folder)).toBe(`--env-file=${join(folder, ".env")}`);
    rmSync(folder, { recursive: true });
  });

  it("are not repeated in the container image and the service file, which run the command", () => {
    expect(read("deploy/Dockerfile")).toMatch(/^ENTRYPOINT \["bin\/tackle\.mjs"\]$/m);
    expect(read("deploy/tackle.service")).toMatch(/^ExecStart=\/usr\/bin\/env tackle serve$/m);
  });
});
