import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { VULNERABILITIES } from "./support/vulnerabilities.ts";

const root = resolve(import.meta.dirname, "..");

describe("every known class of vulnerability", () => {
  it.each(VULNERABILITIES)("is covered by existing tests: $name", ({ proofs }) => {
    expect(proofs.length).toBeGreaterThan(0);
    for (const [file, title] of proofs) {
      const text = readFileSync(join(root, file), "utf8");
      expect(text.includes(JSON.stringify(title)) || text.includes(`'${title}'`), `${file}: ${title}`).toBe(
        true,
      );
    }
  });

  it("is listed in docs/security.md", () => {
    const page = readFileSync(join(root, "docs/security.md"), "utf8");
    expect(VULNERABILITIES.filter(({ name }) => !page.includes(name)).map(({ name }) => name)).toEqual([]);
  });
});

/** A repository's settings can make git start programs. These calls read no repository, or with such settings off. */
const READS_WITH_GIT = {
  "contain/command/person.ts": '"git", [ "config", "--global", "--includes", "--list", "-z", ]',
  "terminal/completions.ts": '"-c", "core.fsmonitor=false"',
};

it("only known files start programs, and git only where it starts none itself", () => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/\.test\.ts$|\btesting\b|\bconformance\b/.test(file),
  );
  const starters = files.filter((file) =>
    /node:child_process|node:worker_threads|process\.binding/.test(source(file)),
  );
  const programs = starters.filter((file) => source(file).includes("node:child_process"));
  expect(programs.sort()).toEqual([
    "contain/command/become-user.ts",
    "contain/command/child.ts",
    "contain/command/network.ts",
    "contain/command/person.ts",
    "contain/command/pipes.ts",
    "terminal/clipboard-image.ts",
    "terminal/completions.ts",
    "terminal/external-editor.ts",
    "tools/artifacts/worker.ts",
    "tools/mcp/local-transport.ts",
  ]);
  for (const file of programs) {
    expect(source(file)).not.toMatch(/(?<!\.)\bexec\(|\bexecSync\(|shell: true/);
    if (!(file in READS_WITH_GIT)) expect(source(file)).not.toMatch(/["'`](?:\/usr\/bin\/)?git["'`]/);
  }
  for (const [file, safe] of Object.entries(READS_WITH_GIT)) {
    expect(source(file).match(/["'`]git["'`]/g)).toHaveLength(1);
    expect(source(file).replace(/\s+/g, " ")).toContain(safe);
  }
});

function source(file: string): string {
  return readFileSync(join(root, "src", file), "utf8");
}
