import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lend } from "./lend.ts";
import type { Cell } from "./testing/matrix.ts";
import { sandboxOf } from "./testing/matrix.ts";
import { isLentId, userFor } from "./user.ts";

const isRoot = process.getuid?.() === 0;
const SETPRIV = "/usr/bin/setpriv";

let folder = "";
let root = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tackle-lend-")));
  root = join(folder, "work");
  mkdirSync(join(root, "deep"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ownerOf = (...names: string[]) => {
  const { uid, gid } = lstatSync(join(...names));
  return { uid, gid };
};

describe.skipIf(!isRoot)("a folder of root's", () => {
  const rootUser = { uid: 0, gid: 0 };
  const user = () => userFor(rootUser, root) ?? rootUser;

  test("is used under an id that nobody else has, and each folder has its own", () => {
    expect(isLentId(user().uid)).toBe(true);
    expect(userFor(user(), root)).toEqual(user());
    const others = Array.from({ length: 20 }, (_, index) => userFor(rootUser, `${root}-${index}`)?.uid);
    expect(new Set(others).size).toBeGreaterThan(15);
  });

  test("is lent as long as a command runs, and is root's again afterwards", async () => {
    for (const name of ["file", "deep/ünï"]) writeFileSync(join(root, name), "");
    chownSync(join(root, "file"), 0, 12);
    const first = await lend(root, user());
    const second = await lend(root, user());
    expect(ownerOf(root, "file")).toEqual({ uid: user().uid, gid: 12 });
    expect(ownerOf(root, "deep/ünï").uid).toBe(user().uid);
    writeFileSync(join(root, "deep", "new"), "");
    chownSync(join(root, "deep", "new"), user().uid, user().gid);
    await first();
    expect(ownerOf(root).uid).toBe(user().uid);
    await second();
    expect(ownerOf(root)).toEqual(rootUser);
    expect(ownerOf(root, "file")).toEqual({ uid: 0, gid: 12 });
    expect(ownerOf(root, "deep", "new")).toEqual(rootUser);
    expect(ownerOf(root, "deep/ünï")).toEqual(rootUser);
  });

  test("keeps what belongs to others, what has a set-user-id bit, and what links lead to", async () => {
    const outside = join(folder, "outside");
    for (const path of [outside, join(root, "theirs"), join(root, "privileged")]) writeFileSync(path, "");
    chownSync(join(root, "theirs"), 1234, 1234);
    chmodSync(join(root, "privileged"), 0o4755);
    symlinkSync(outside, join(root, "link"));
    symlinkSync(folder, join(root, "deep", "up"));
    const giveBack = await lend(root, user());
    expect(ownerOf(root, "theirs").uid).toBe(1234);
    expect(lstatSync(join(root, "privileged"))).toMatchObject({ uid: 0, mode: 0o104755 });
    expect(ownerOf(root, "link").uid).toBe(user().uid);
    expect(ownerOf(outside)).toEqual(rootUser);
    expect(ownerOf(folder)).toEqual(rootUser);
    await giveBack();
    expect(ownerOf(root, "theirs").uid).toBe(1234);
    expect(ownerOf(root, "link")).toEqual(rootUser);
  });

  test("is given back after the process that lent it has crashed", async () => {
    writeFileSync(join(root, "file"), "");
    linkSync(join(root, "file"), join(root, "hard"));
    for (const path of [root, join(root, "file")]) lchownSync(path, user().uid, 0);
    const giveBack = await lend(root, user());
    await giveBack();
    expect(ownerOf(root)).toEqual(rootUser);
    expect(ownerOf(root, "hard")).toEqual(rootUser);
  });
});

// In a container, root usually cannot mount anything, so that folders are lent instead of mapped.
test.skipIf(!isRoot || !existsSync(SETPRIV)).each(["bubblewrap", "landlock"] as const)(
  "under %s, root without the right to mount runs commands as another user",
  { timeout: 120_000 },
  async (tier) => {
    if ((await sandboxOf(tier)).tier !== tier) return;
    const script = new URL("testing/matrix-main.ts", import.meta.url).pathname;
    const names = [
      ...[
        "keep root's id",
        "keep root's id, as the host sees it",
        "chmod the secret key",
        "read the secret key",
      ],
      ...["commit and clone", "pack and unpack", "change permissions"],
    ];
    const words = ["--bounding-set=-sys_admin,-sys_ptrace", "--", process.execPath, script, tier, ...names];
    const printed = execFileSync(SETPRIV, words, { encoding: "utf8", cwd: "/" });
    const cells = printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Cell);
    expect(cells.filter(({ kind, result }) => result !== (kind === "task"))).toEqual([]);
    expect(cells.length).toBe(names.length);
  },
);
