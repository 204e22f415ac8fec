import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runContained } from "../command.ts";
import { canBeMapped } from "./become-user.ts";
import { sandboxOf } from "./testing/matrix.ts";
import { userFor } from "./user.ts";

let folder = "";
let workspace = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tackle-user-")));
  workspace = join(folder, "closed", "work");
  mkdirSync(workspace, { recursive: true });
  chmodSync(join(folder, "closed"), 0o700);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const user = userFor({ uid: 0, gid: 0 }, tmpdir());
const mapped = user !== undefined && (await canBeMapped([realpathSync(tmpdir())], user));
if (!mapped)
  console.log("Folders of root's are not mapped here: that takes root, Python and the right to mount.");

describe.each([
  { name: "bubblewrap", sandbox: await sandboxOf("bubblewrap") },
  { name: "Landlock", sandbox: await sandboxOf("landlock") },
])("under $name, in a folder of root's", ({ sandbox }) => {
  const run = (command: string, cwd = workspace) =>
    runContained(command, {
      cwd,
      roots: [workspace],
      timeoutMs: 30_000,
      signal: new AbortController().signal,
      sandbox,
    });
  const it = test.skipIf(!mapped || sandbox.tier === "none");

  it("a command works though a folder above is closed, and sees nothing else in that", async () => {
    writeFileSync(join(workspace, "mine"), "a\n", { mode: 0o600 });
    writeFileSync(join(folder, "closed", "secret"), "secret", { mode: 0o644 });
    mkdirSync(join(workspace, "deep"));
    const command = `cat ../mine && echo b >> ../mine && chmod 640 ../mine && echo c > new; cat ${folder}/closed/secret; id -u`;
    const { stdout } = await run(command, join(workspace, "deep"));
    expect(stdout).toMatch(/^a\n[1-9]\d*\n$/);
    expect(readFileSync(join(workspace, "mine"), "utf8")).toBe("a\nb\n");
    expect(lstatSync(join(workspace, "mine"))).toMatchObject({ uid: 0, gid: 0, mode: 0o100640 });
    expect(lstatSync(join(workspace, "deep", "new"))).toMatchObject({ uid: 0, gid: 0 });
  });

  it("what runs later and exists can be neither changed nor replaced", async () => {
    mkdirSync(join(workspace, ".git", "hooks"), { recursive: true });
    writeFileSync(join(workspace, ".git", "config"), "[core]\n");
    const { stdout } = await run(
      `echo x > .git/hooks/pre-commit && echo planted; echo x >> .git/config && echo changed
       mv .git/hooks .git/away && echo moved; mv .git away && echo moved; rm -rf .git && echo removed
       ln -sf /dev/null .git/config && echo linked; echo ok > .git/HEAD && cat .git/HEAD`,
    );
    expect(stdout).toBe("ok\n");
    expect(readFileSync(join(workspace, ".git", "config"), "utf8")).toBe("[core]\n");
  });

  it("a set-user-id program of root's gives a command nothing", async () => {
    writeFileSync(join(workspace, "id"), readFileSync("/usr/bin/id"), { mode: 0o755 });
    chmodSync(join(workspace, "id"), 0o4755);
    const { stdout } = await run("./id -u");
    expect(Number(stdout)).toBeGreaterThan(0);
  });
});
