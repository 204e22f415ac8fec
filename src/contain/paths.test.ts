import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Failure } from "../protocol/failure.ts";
import { makeFolders, move, remove, replaceFile } from "./paths-change.ts";
import { keepClosed } from "./paths-folder.ts";
import { inspect, openFolder, openForRead } from "./paths-open.ts";

const CANARY = "the canary outside";
const corpus = new URL("../../../shared/corpus/attacks/", import.meta.url);
const realPlatform = process.platform;

let base: string;
let root: string;
let outside: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "paths-")));
  root = join(base, "root");
  outside = join(base, "outside");
  await mkdir(join(root, "sub"), { recursive: true });
  await mkdir(outside);
  await mkdir(join(base, "root-evil"));
  await writeFile(join(root, "inside.txt"), "inside");
  for (const file of ["outside/canary.txt", "root-evil/canary.txt", "canary.txt"]) {
    await writeFile(join(base, file), CANARY);
  }
});

afterEach(async () => {
  Object.defineProperty(process, "platform", { value: realPlatform });
  await rm(base, { recursive: true });
});

async function read(path: string, roots = [root]): Promise<string> {
  const { handle } = await openForRead(roots, path);
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

const write = (path: string, roots = [root]) => replaceFile(roots, path, Buffer.from("changed"));

/** Every file outside the root with its content, to check that nothing there was created, changed or removed. */
async function snapshot(): Promise<string> {
  const files: string[] = [];
  for (const entry of await readdir(base, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (path === root || path.startsWith(`${root}/`)) continue;
    files.push(entry.isFile() ? `${path}: ${await readFile(path, "utf8")}` : path);
  }
  return files.sort().join("\n");
}

async function failureOf(attempt: Promise<unknown>): Promise<Failure> {
  const thrown = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Failure)) throw new Error(`expected a refusal, got ${String(thrown)}`);
  return thrown;
}

function attackStrings(): string[] {
  const files = ["traversal-deep.txt", "traversal-lfi.txt"].map((name) => new URL(name, corpus));
  const missing = files.find((file) => !existsSync(file));
  if (missing === undefined) return files.flatMap((file) => readFileSync(file, "latin1").split("\n"));
  if (process.env.CI) throw new Error(`${missing.href} is missing`);
  console.log("The attack strings are not here; a few of our own stand in for them.");
  return ["../{FILE}", "..\\{FILE}", "%2e%2e/{FILE}", "....//{FILE}", "/etc/passwd", "..%00/{FILE}"];
}

// Both ways to reach entries: through descriptors, and by path with a check after opening.
describe.each(["linux", "darwin"] as const)("paths as on %s", (platform) => {
  beforeEach(() => Object.defineProperty(process, "platform", { value: platform }));

  test("none of the traversal strings reads or writes anything outside", async () => {
    const before = await snapshot();
    const targets = [
      "canary.txt",
      "outside/canary.txt",
      "root-evil/canary.txt",
      `${outside}/canary.txt`.slice(1),
    ];
    const lines = attackStrings();
    const strings = lines.flatMap((line) => targets.map((target) => line.replaceAll("{FILE}", target)));
    const paths = new Set(
      strings.flatMap((text) => [
        text,
        `sub/${text}`,
        `${root}/${text}`,
        text.replaceAll("\\", "/"),
        text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
      ]),
    );
    for (const path of paths) {
      const content = await read(path).catch((error: unknown) => error);
      if (!(content instanceof Failure)) expect(content).toBe("inside");
    }
    // Each write waits for the disk, so each string is written to only once.
    for (const line of new Set(lines)) {
      const path = line.replaceAll("{FILE}", "canary.txt");
      await write(`${path}-written`).catch((error: unknown) => expect(error).toBeInstanceOf(Failure));
    }
    expect(paths.size).toBeGreaterThan(10);
    expect(await snapshot()).toBe(before);
    expect(existsSync("/etc/passwd-written")).toBe(false);
  });

  test.each([
    ["../canary.txt", "FORBIDDEN"],
    ["sub/../../canary.txt", "FORBIDDEN"],
    ["/etc/passwd", "FORBIDDEN"],
    ["inside.txt\0.png", "INVALID_INPUT"],
    ["\ud800", "INVALID_INPUT"],
    ["..\\canary.txt", "NOT_FOUND"],
    ["%2e%2e%2fcanary.txt", "NOT_FOUND"],
    ["inside.txt/below", "INVALID_INPUT"],
    ["sub", "INVALID_INPUT"],
    [".", "INVALID_INPUT"],
    ["", "INVALID_INPUT"],
  ])("reading %j is refused", async (path, code) => {
    const failure = await failureOf(read(path));
    expect(failure.code).toBe(code);
    expect(failure.publicMessage).not.toContain(base);
  });

  test("a path or a name that is too long is refused", async () => {
    expect((await failureOf(read("a".repeat(5_000)))).code).toBe("INVALID_INPUT");
    expect((await failureOf(read("b".repeat(300)))).code).toBe("INVALID_INPUT");
  });

  test("a folder whose name only begins like the root is outside", async () => {
    expect((await failureOf(read("../root-evil/canary.txt"))).code).toBe("FORBIDDEN");
    expect((await failureOf(read(join(base, "root-evil/canary.txt")))).code).toBe("FORBIDDEN");
    await expect(read("../root-evil/canary.txt", [root, join(base, "root-evil")])).resolves.toBe(CANARY);
  });

  test("absolute paths inside, names with two dots, and a root named through a link are allowed", async () => {
    await writeFile(join(root, "..hidden"), "dots");
    await symlink(root, join(base, "alias"));
    await expect(read(join(root, "inside.txt"))).resolves.toBe("inside");
    await expect(read("..hidden")).resolves.toBe("dots");
    await expect(read("sub/../inside.txt")).resolves.toBe("inside");
    await expect(read(join(base, "alias/inside.txt"), [join(base, "alias")])).resolves.toBe("inside");
    await expect(read(join(root, "inside.txt"), [join(base, "alias")])).resolves.toBe("inside");
  });

  test.each([
    ["to a file outside", "outside/canary.txt", ""],
    ["to a folder outside", "outside", "/canary.txt"],
    ["to a file inside", "root/inside.txt", ""],
    ["to a missing file", "outside/new.txt", ""],
  ])(
    "a link %s is neither read, written nor moved, and removing it removes only the link",
    async (_, target, rest) => {
      const before = await snapshot();
      await symlink(join(base, target), join(root, "link"));
      const path = `link${rest}`;
      const attempts = [
        () => read(path),
        () => write(path),
        () => write("link/sub/new.txt"),
        () => move([root], "inside.txt", "link/moved"),
      ];
      for (const attempt of attempts) expect((await failureOf(attempt())).code).toBe("FORBIDDEN");
      expect((await failureOf(move([root], path, "moved"))).code).toBe("FORBIDDEN");
      await remove([root], "link", { recursive: true });
      expect(await inspect([root], "link")).toBeUndefined();
      expect(await snapshot()).toBe(before);
    },
  );

  test("removing a folder removes the links in it, but not their targets", async () => {
    const before = await snapshot();
    await mkdir(join(root, "sub/deep"));
    await symlink(outside, join(root, "sub/deep/link"));
    await writeFile(join(root, "sub/deep/file"), "x");
    expect((await failureOf(remove([root], "sub"))).code).toBe("CONFLICT");
    await remove([root], "sub", { recursive: true });
    expect(await readdir(root)).toEqual(["inside.txt"]);
    expect(await snapshot()).toBe(before);
  });

  test("a hard link to a file outside is neither read nor written", async () => {
    await link(join(outside, "canary.txt"), join(root, "hard.txt"));
    expect((await failureOf(read("hard.txt"))).code).toBe("FORBIDDEN");
    expect((await failureOf(write("hard.txt"))).code).toBe("FORBIDDEN");
    expect(await readFile(join(outside, "canary.txt"), "utf8")).toBe(CANARY);
  });

  test("a named pipe and a socket are refused at once", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    const server = createServer().listen(join(root, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    for (const name of ["pipe", "socket"]) {
      expect((await failureOf(read(name))).code).toBe("INVALID_INPUT");
      expect((await failureOf(write(name))).code).toBe("INVALID_INPUT");
      expect(await inspect([root], name)).toMatchObject({ type: "other" });
    }
    await new Promise((resolve) => server.close(resolve));
  });

  // By path there is always a moment between check and use; only the system itself can close it.
  test.runIf(platform === realPlatform)(
    "a folder that keeps turning into a link to the outside never leaks and never accepts a write",
    async () => {
      const before = await snapshot();
      await mkdir(join(root, "flip"));
      await writeFile(join(root, "flip/canary.txt"), "inside");
      const flip = `
      const fs = require("node:fs");
      const [root, outside] = process.argv.slice(1);
      const end = Date.now() + 1000;
      fs.writeSync(1, "flipping");
      const tryTo = (work) => { try { work(); } catch {} };
      while (Date.now() < end) {
        // A write may recreate the folder while it is away, so each step may find its place taken.
        tryTo(() => fs.renameSync(root + "/flip", root + "/real"));
        tryTo(() => fs.symlinkSync(outside, root + "/flip"));
        tryTo(() => fs.unlinkSync(root + "/flip"));
        tryTo(() => fs.renameSync(root + "/real", root + "/flip"));
        if (fs.existsSync(root + "/real")) tryTo(() => fs.rmSync(root + "/flip", { recursive: true, force: true }));
      }`;
      const child = spawn(process.execPath, ["-e", flip, root, outside], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const exit = new Promise((resolve) => child.once("exit", resolve));
      await new Promise((resolve) => child.stdout.once("data", resolve));
      let refused = 0;
      for (let count = 0; child.exitCode === null; count++) {
        const content = await read("flip/canary.txt").catch((error: unknown) => error);
        if (content instanceof Failure) refused++;
        else expect(content).toBe("inside");
        if (count % 4 === 0) {
          // By path alone a file can be created outside between check and use; descriptors prevent that.
          if (platform === "linux" && realPlatform === "linux")
            await write(`flip/new-${count}.txt`).catch(() => refused++);
        }
      }
      expect(await exit).toBe(0);
      expect(refused).toBeGreaterThan(0);
      expect(await snapshot()).toBe(before);
    },
  );

  test("a write creates missing folders, keeps permissions and leaves nothing else behind", async () => {
    await write("new/deep/file.txt");
    expect(await readFile(join(root, "new/deep/file.txt"), "utf8")).toBe("changed");
    await chmod(join(root, "inside.txt"), 0o640);
    await write("inside.txt");
    expect((await stat(join(root, "inside.txt"))).mode & 0o777).toBe(0o640);
    expect((await readdir(root)).sort()).toEqual(["inside.txt", "new", "sub"]);
  });

  test("a write that expects another state is refused and changes nothing", async () => {
    const { handle, fingerprint } = await openForRead([root], "inside.txt");
    await handle.close();
    await writeFile(join(root, "inside.txt"), "somebody else's");
    const late = replaceFile([root], "inside.txt", Buffer.from("mine"), { expected: fingerprint });
    expect((await failureOf(late)).code).toBe("CONFLICT");
    const created = replaceFile([root], "inside.txt", Buffer.from("mine"), { expected: "absent" });
    expect((await failureOf(created)).code).toBe("CONFLICT");
    expect(await readFile(join(root, "inside.txt"), "utf8")).toBe("somebody else's");
    expect((await readdir(root)).sort()).toEqual(["inside.txt", "sub"]);
  });

  test("a move stays inside and replaces nothing", async () => {
    await move([root], "inside.txt", "a/b/moved.txt");
    expect(await read("a/b/moved.txt")).toBe("inside");
    await writeFile(join(root, "other.txt"), "other");
    expect((await failureOf(move([root], "other.txt", "a/b/moved.txt"))).code).toBe("CONFLICT");
    expect((await failureOf(move([root], "other.txt", "../stolen.txt"))).code).toBe("FORBIDDEN");
    expect((await failureOf(move([root], "a", "a/b/inside-itself"))).code).toBe("INVALID_INPUT");
    expect((await failureOf(move([root], "gone.txt", "x"))).code).toBe("NOT_FOUND");
  });

  test("the root itself can be listed, but not written, moved or removed", async () => {
    const folder = await openFolder([root], ".");
    const { entries } = await folder.entries(10);
    await folder.close();
    expect(entries).toContainEqual({ name: "inside.txt", type: "file" });
    const attempts = [
      () => write("."),
      () => move([root], ".", "x"),
      () => remove([root], "sub/..", { recursive: true }),
    ];
    for (const attempt of attempts) expect((await failureOf(attempt())).code).toBe("INVALID_INPUT");
    await makeFolders([root], ".");
  });
});

test("a closed folder stays closed in every root that contains it, until everybody who closed it ends that", async () => {
  await mkdir(join(root, "own/keys"), { recursive: true });
  await writeFile(join(root, "own/keys/secret"), CANARY);
  const endings = [await keepClosed(join(root, "own")), await keepClosed(join(root, "own"))];
  await symlink(join(root, "own"), join(root, "alias"));
  const attempts = [
    () => read("own/keys/secret"),
    () => read("own/keys/secret", [join(root, "own")]),
    () => write("own/tools/evil.mjs"),
    () => move([root], "own", "mine"),
    () => move([root], "own/keys/secret", "mine"),
    () => move([root], "inside.txt", "own/evil.mjs"),
    () => remove([root], "own", { recursive: true }),
    () => openFolder([root], "own"),
    () => inspect([root], "own/keys"),
  ];
  for (const attempt of attempts) expect((await failureOf(attempt())).code).toBe("FORBIDDEN");
  expect(await readFile(join(root, "own/keys/secret"), "utf8")).toBe(CANARY);
  // A root inside of it is the operator's own decision.
  await expect(read("secret", [join(root, "own/keys")])).resolves.toBe(CANARY);
  endings[0]?.();
  expect((await failureOf(read("own/keys/secret"))).code).toBe("FORBIDDEN");
  endings[1]?.();
  await expect(read("own/keys/secret")).resolves.toBe(CANARY);
});

test("without roots everything is forbidden, and a missing root is reported", async () => {
  expect((await failureOf(read("inside.txt", []))).code).toBe("FORBIDDEN");
  expect((await failureOf(read("inside.txt", [join(base, "gone")]))).code).toBe("NOT_FOUND");
});
