import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, describe, expect, it } from "vitest";
import { openAiList } from "./sim/testing/model-lists.ts";
import { startUpstream } from "./sim/testing/upstream.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "tackle-cli-"));
}

interface Place {
  data: string;
  cwd: string;
}

function newPlace(): Place {
  return { data: newFolder(), cwd: newFolder() };
}

function start(args: string[], place: Place, env: Record<string, string> = {}): ChildProcess {
  const child = spawn(
    process.execPath,
    [process.env.TACKLE_BUNDLE ?? join(root, "bin/tackle.mjs"), ...args],
    {
      cwd: place.cwd,
      env: {
        PATH: process.env.PATH,
        HOME: place.data,
        TACKLE_DATA: place.data,
        OLLAMA_BASE_URL: "http://127.0.0.1:9",
        TACKLE_DEMO_TOKENS_PER_SECOND: "0",
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  children.push(child);
  return child;
}

async function tackle(args: string[], place = newPlace(), env: Record<string, string> = {}) {
  const child = start(args, place, env);
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (data) => {
    stdout += data;
  });
  child.stderr?.on("data", (data) => {
    stderr += data;
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { stdout, stderr, code };
}

/** Starts a server, on a free port unless one is named, and waits until it prints its address. */
async function serveAt(
  place: Place,
  port = "0",
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; url: string; said(): string; closed: Promise<unknown> }> {
  const child = start(["serve", "--port", port], place, env);
  let said = "";
  const closed = new Promise((resolve) => child.on("close", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    const look = (data: Buffer) => {
      said += data;
      const found = /ready at (http:\S+)/.exec(said)?.[1];
      if (found && said.includes("Ctrl-C")) resolve(found);
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    closed.then(() => reject(new Error(`it ended instead: ${said}`)));
  });
  return { child, url, said: () => said, closed };
}

describe("the tackle command", () => {
  it("shows its help and version, and loads no more than it needs for that", async () => {
    const help = await tackle(["--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const word of ["serve", "-p", "tools", "models", "doctor", "--allow-tool", "--server", "--resume"]) {
      expect(help.stdout).toContain(word);
    }
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect((await tackle(["--version"])).stdout).toBe(`${version}\n`);
    const loaded = await staticImports("src/cli.ts");
    expect(loaded).toContain("src/terminal/arguments.ts");
    expect(loaded.filter((path) => !/^src\/(cli|terminal\/|protocol\/)/.test(path))).toEqual([]);
    expect(loaded.length).toBeLessThan(8);
  });

  it("shows the prompt before it loads schemas, which take half of the time until then", async () => {
    const loaded = await staticImports("src/terminal/repl.ts");
    expect(loaded).toContain("src/terminal/prompt.ts");
    expect(loaded.filter((path) => /from "zod"/.test(readFileSync(join(root, path), "utf8")))).toEqual([]);
  });

  it.each([
    [["modles"], {}, "tackle: there is no command modles. Do you mean tackle models?"],
    [["--loud"], {}, "tackle: there is no option --loud."],
    [["serve"], { PORT: "many" }, "tackle: PORT: "],
    [["serve"], { HOST: "0.0.0.0", TACKLE_AUTH: "none" }, "tackle: TACKLE_AUTH: "],
    [["tools", "--server", "nowhere"], {}, 'tackle: "nowhere" is not a server address'],
  ])("rejects %j %j with one clear line and exit code 2", async (args, env, line) => {
    const { stdout, stderr, code } = await tackle(args, newPlace(), env);
    expect(stderr).toContain(line);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
  });

  it("prints what a server says without the sequences that control a terminal", async () => {
    const error = "\u001b]52;c;ZXZpbA==\u0007Not \u001b[2J\u202ehere\u009b31m.\r\nGo away.";
    const server = createServer((_, response) => response.writeHead(400).end(JSON.stringify({ error })));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    for (const args of [["models"], ["tools"], ["top", "--once"], ["-p", "Hi"]]) {
      const { stderr } = await tackle([...args, "--server", `http://127.0.0.1:${port}`]);
      expect(stderr).toBe("tackle: Not here. Go away.\n");
    }
    server.close();
  });

  it.runIf(existsSync("/dev/full"))("says that its output cannot be written, in one line", async () => {
    const program = process.env.TACKLE_BUNDLE ?? join(root, "bin/tackle.mjs");
    const { stderr, status } = spawnSync("sh", [
      "-c",
      '"$0" "$1" --help > /dev/full',
      process.execPath,
      program,
    ]);
    expect(stderr.toString()).toBe("tackle: the output cannot be written: no space left on device.\n");
    expect(status).toBe(1);
  });

  it("says in one line that the folder of own tools cannot be created", async () => {
    const { code, stderr } = await tackle(["tools"], newPlace(), { TACKLE_TOOLS_DIR: "/dev/null/tools" });
    expect(stderr).toBe("tackle: TACKLE_TOOLS_DIR: the folder /dev/null/tools cannot be created (EEXIST).\n");
    expect(code).toBe(2);
  });

  it("lists tools and models, as text and as JSON", async () => {
    const place = newPlace();
    expect((await tackle(["tools"], place)).stdout).toMatch(
      /^NAME +EFFECT +SOURCE[\s\S]*\nget_time +none +built-in +\S/,
    );
    const tools = JSON.parse((await tackle(["tools", "--json"], place)).stdout);
    expect(tools).toContainEqual(expect.objectContaining({ name: "get_time", effect: "none" }));
    const models = await tackle(["models"], place);
    expect(models.stdout).toMatch(/\* demo\/demo +\d+k/);
    expect(models.stdout).toContain("ANTHROPIC_API_KEY");
    expect(JSON.parse((await tackle(["models", "--json"], place)).stdout)[0]).toMatchObject({
      default: true,
    });
  });

  it("checks the setup and says how to get what is missing", async () => {
    const place = newPlace();
    const { stdout, code } = await tackle(["doctor"], place);
    expect(code).toBe(0);
    expect(stdout).toMatch(/! Model +demo\/demo[^\n]*\n +Add a key in the web app/);
    const report = JSON.parse((await tackle(["doctor", "--json"], place)).stdout);
    expect(report.checks).toContainEqual(expect.objectContaining({ name: "Model", ok: "warn" }));
    const broken = await tackle(["doctor"], place, { TACKLE_LIMITS: "{" });
    expect(broken.stdout).toMatch(/✗ Start +TACKLE_LIMITS/);
    expect(broken.code).toBe(1);
  });

  it("says which models will be shut down, and which ones already are", async () => {
    const list = openAiList("gpt-5.6-sol", { id: "gpt-5", shutdown_date: "2099-12-11" });
    const upstream = await startUpstream({ models: () => list });
    try {
      const vendor = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${upstream.url}/v1`, TACKLE_LOG: "silent" };
      const place = newPlace();
      const { stdout } = await tackle(["models"], place, vendor);
      expect(stdout).toMatch(/\* openai\/gpt-5\.6-sol +1\.1M/);
      expect(stdout).toMatch(/ {2}openai\/gpt-5 .*GPT-5, until 2099-12-11, then openai\/gpt-5\.6-sol/);
      expect(stdout).not.toContain("gpt-6");
      const named = { TACKLE_MODEL: "openai/o4-mini", TACKLE_ARTIFACT_MODEL: "openai/gpt-5" };
      const doctor = await tackle(["doctor"], place, { ...vendor, ...named });
      expect(doctor.stdout).toMatch(/✓ Model +openai\/gpt-5\.6-sol/);
      expect(doctor.stdout).toMatch(
        /! Model +openai\/o4-mini was shut down, so openai\/gpt-5\.6-sol answers/,
      );
      expect(doctor.stdout).toMatch(/! Model +openai\/gpt-5 will be shut down on 2099-12-11\./);
      expect(doctor.stdout).toContain("Check TACKLE_ARTIFACT_MODEL.");
    } finally {
      await upstream.close();
    }
  });
});

describe("the policy's own tests", () => {
  const policy = (expected: string) =>
    JSON.stringify({
      rules: [{ tool: "execute_command", match: { command: "^git status" }, action: "allow" }],
      tests: [{ tool: "filesystem", arguments: { operation: "write", path: "a" }, expect: expected }],
    });

  it("exit with 0 if they pass, and with 1 and the difference if not", async () => {
    const place = newPlace();
    writeFileSync(join(place.data, "policy.json"), policy("ask"));
    expect(await tackle(["policy", "test"], place)).toMatchObject({
      code: 0,
      stdout: "1 of 1 policy tests passed.\n",
    });
    writeFileSync(join(place.data, "policy.json"), policy("allow"));
    const wrong = await tackle(["policy", "test"], place);
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toContain("expected allow, the policy says ask");
    expect(wrong.stderr).toContain('! Rule 1: "^git status" allows anything that follows');
  });

  it("report in one line what is wrong with the file", async () => {
    const place = newPlace();
    writeFileSync(join(place.data, "policy.json"), '{"rules":[{"action":"maybe"}]}');
    const bad = await tackle(["policy", "test"], place);
    expect(bad.code).toBe(2);
    expect(bad.stderr).toMatch(/^tackle: TACKLE_POLICY: rules\.0\.action: .+\n$/);
  });
});

describe("one turn in this process", () => {
  it("answers, and continues the last conversation on -c", async () => {
    const place = newPlace();
    const first = await tackle(["-p", "What time is it in Tokyo?"], place);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toContain("Tokyo");
    const sessions = [];
    for (const args of [
      ["-p", "hello", "--json"],
      ["-p", "hello again", "--json", "-c"],
      ["-p", "and new", "--json"],
    ]) {
      const { stdout } = await tackle(args, place);
      sessions.push(JSON.parse(stdout.split("\n", 1)[0] ?? "").sessionId);
    }
    expect(sessions[1]).toBe(sessions[0]);
    expect(sessions[2]).not.toBe(sessions[0]);
  });

  it("writes a file only if that was allowed", async () => {
    const place = newPlace();
    const prompt = "write a file notes.txt with the text hello world";
    expect((await tackle(["-p", prompt], place)).code).toBe(3);
    expect(existsSync(join(place.cwd, "notes.txt"))).toBe(false);
    expect((await tackle(["-p", prompt, "--allow-tool", "filesystem:write notes"], place)).code).toBe(0);
    expect(readFileSync(join(place.cwd, "notes.txt"), "utf8")).toContain("hello world");
  });
});

describe("the server", () => {
  it("prints its address and model, accepts --server clients, and stops on a signal", {
    timeout: 180_000,
  }, async () => {
    const place = newPlace();
    const { child, url, said, closed } = await serveAt(place);
    expect(said()).toContain("demo/demo, the offline demo model");
    expect(said()).toContain("ANTHROPIC_API_KEY");
    const answer = await tackle(["--server", url, "-p", "What time is it in Paris?"]);
    expect(answer).toMatchObject({ code: 0, stderr: "" });
    expect(answer.stdout).toContain("Paris");
    expect((await tackle(["tools", "--server", url])).stdout).toContain("get_time");
    expect((await tackle(["doctor", "--server", url])).stdout).toMatch(/✓ Model +demo\/demo/);

    const beside = await tackle(["-p", "List the files here"], place);
    expect(beside).toMatchObject({ code: 0, stderr: "" });
    const { sessions } = (await (await fetch(`${url}/sessions`)).json()) as { sessions: { title: string }[] };
    expect(sessions.map(({ title }) => title)).toEqual([
      "List the files here",
      expect.stringMatching(/^(?:What time is it|Time) in Paris/), // Its own title, as soon as there is one.
    ]);

    const { port } = new URL(url);
    const second = await tackle(["serve", "--port", port]);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`Port ${port} of 127.0.0.1 is already in use.`);

    child.kill("SIGTERM");
    expect(await closed).toBe(0);
    const gone = await tackle(["--server", url, "-p", "hello"]);
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain(`Can't reach the server at ${url}.`);
  });

  it("may be away in the middle of an answer: -p says so, and goes on when it is back", {
    timeout: 180_000,
  }, async () => {
    const place = newPlace();
    const slow = await serveAt(place, "0", { TACKLE_DEMO_TOKENS_PER_SECOND: "4", TACKLE_GRACE_MS: "1000" });
    const client = start(["--server", slow.url, "-p", "What can you do?"], newPlace());
    const said = { stdout: "", stderr: "" };
    const heard = (name: "stdout" | "stderr", wanted: RegExp) =>
      new Promise<void>((resolve) => {
        client[name]?.on("data", (data) => {
          said[name] += data;
          if (wanted.test(said[name])) resolve();
        });
      });
    const lost = heard("stderr", /Connection lost\. Trying again …\n/);
    await heard("stdout", /\w+ \w+/);
    slow.child.kill("SIGTERM");
    await lost;
    await slow.closed;
    await serveAt(place, new URL(slow.url).port);
    expect(await new Promise((resolve) => client.on("close", resolve))).toBe(0);
    expect(said.stderr).toBe("tackle: Connection lost. Trying again …\ntackle: Connected again.\n");
    expect(said.stdout.length).toBeGreaterThan(200);
  });
});

/** The files that are loaded when one is imported. */
async function staticImports(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    splitting: true,
    write: false,
    metafile: true,
    outdir: "out",
    logLevel: "silent",
  });
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const used of metafile.inputs[path]?.imports ?? []) {
      if (used.kind === "import-statement") visit(used.path);
    }
  };
  visit(entry);
  return [...seen].filter((path) => path in metafile.inputs);
}
