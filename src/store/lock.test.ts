import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { joinDataDirectory, lockDataDirectory } from "./lock.ts";

let directory: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tackle-lock-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) await killed(child);
  await rm(directory, { recursive: true, force: true });
});

/** A process that tries to lock the directory, prints the outcome, and stays alive. */
async function lockingProcess(): Promise<{ child: ChildProcess; said: string }> {
  const program = `
    import { lockDataDirectory } from ${JSON.stringify(new URL("./lock.ts", import.meta.url).href)};
    try { lockDataDirectory(process.argv[1]); console.log("locked"); } catch (error) { console.log(error.message); }
    setInterval(() => {}, 1_000_000);`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", program, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [said] = await once(createInterface({ input: child.stdout }), "line");
  return { child, said };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

test("a second process is told who holds the directory, and gets it once that process is killed", async () => {
  const { child, said } = await lockingProcess();
  expect(said).toBe("locked");
  expect(() => lockDataDirectory(directory)).toThrow(
    expect.objectContaining({
      code: "CONFLICT",
      message: `The data directory ${directory} is in use by process ${child.pid}. Stop it, or choose another directory.`,
    }),
  );
  await killed(child);
  const release = lockDataDirectory(directory);
  expect((await lockingProcess()).said).toContain(`process ${process.pid}`);
  release();
});

test("of many concurrent processes exactly one gets the directory", async () => {
  const said = await Promise.all(Array.from({ length: 5 }, () => lockingProcess()));
  expect(said.filter((one) => one.said === "locked")).toHaveLength(1);
});

test("the same process cannot lock twice, but can lock again after a release", () => {
  const release = lockDataDirectory(directory);
  expect(() => lockDataDirectory(directory)).toThrow(`process ${process.pid}`);
  release();
  release();
  lockDataDirectory(directory)();
});

test("other processes can share the directory with its holder, and block exclusive use meanwhile", async () => {
  const { child } = await lockingProcess();
  const [first, second] = [joinDataDirectory(directory), joinDataDirectory(directory)];
  first();
  await killed(child);
  expect(() => lockDataDirectory(directory, { whole: true })).toThrow(/in use by another tackle/);
  lockDataDirectory(directory)();
  second();
  const release = lockDataDirectory(directory, { whole: true });
  expect(() => joinDataDirectory(directory)).toThrow(/in use by a restore or a migration/);
  release();
  joinDataDirectory(directory)();
});

test("a directory that cannot be written is refused, and a backup is only mentioned if there is a database", async () => {
  await mkdir(join(directory, "lock.db"));
  expect(() => lockDataDirectory(directory)).toThrow(
    `The data directory ${directory} cannot be written. Make it writable for this user, or choose another directory with --data or TACKLE_DATA.`,
  );
  await writeFile(join(directory, "tackle.db"), "");
  expect(() => lockDataDirectory(directory)).toThrow(/cannot be written\. .*tackle restore\.$/);
});
