import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { answerCheck } from "../src/sim/testing/check-vendor.ts";
import type { Vendor } from "../src/sim/testing/rules/find-problems.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { errorTurn } from "../src/sim/turns.ts";
import type { UpstreamOptions } from "../src/sim/upstream.ts";
import { command } from "./support/server.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function run(args: string[], env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tackle-check-"));
  const child = spawn(process.execPath, [command, "models", "check", ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      OLLAMA_BASE_URL: "http://127.0.0.1:9",
      TACKLE_DATA: folder,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  closers.unshift(() => child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data) => {
    stdout += data;
  });
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, folder, ended: ended.then((code) => ({ code, stdout, stderr })) };
}

async function vendor(rules: Vendor, respond: UpstreamOptions["respond"] = answerCheck) {
  const upstream = await startUpstream({ rules, respond });
  closers.unshift(() => upstream.close());
  return upstream;
}

const KEY = "sk-test-0123456789abcdefghij";

const NEWEST = [
  ["openai", "gpt-5.5", "/v1"],
  ["anthropic", "claude-opus-5-5", ""],
  ["gemini", "gemini-3.5-pro", ""],
  ["mistral", "mistral-medium-latest", "/v1"],
  ["xai", "grok-4.5", "/v1"],
  ["deepseek", "deepseek-v4-pro", ""],
  ["groq", "openai/gpt-oss-120b", "/v1"],
  ["zai", "glm-5.3", ""],
  ["openrouter", "anthropic/claude-sonnet-5.5", "/v1"],
  ["ollama", "qwen3:8b", ""],
] as const;

test("every vendor accepts every check of its model by its rules", async () => {
  const env: Record<string, string> = {};
  for (const [id, , path] of NEWEST) {
    env[`${id.toUpperCase()}_BASE_URL`] = (await vendor(id)).url + path;
    env[`${id.toUpperCase()}_API_KEY`] = KEY;
  }
  const names = NEWEST.map(([id, name]) => `${id}/${name}`);
  const { code, stdout, stderr } = await run([...names, "--yes", "--json"], env).ended;
  const { models } = JSON.parse(stdout) as {
    models: { model: string; checks: { check: string; status: string; detail: string }[] }[];
  };
  expect(models.map(({ model }) => model)).toEqual(names);
  const bad = models.flatMap(({ model, checks }) =>
    checks
      .filter(({ status }) => status === "refused" || status === "error")
      .map(({ check, detail }) => `${model}: ${check}: ${detail}`),
  );
  expect(bad, stderr).toEqual([]);
  for (const { model, checks } of models)
    expect(checks.find(({ check }) => check === "parallel tools")?.detail, model).toContain(
      "2 calls at once",
    );
  expect(code).toBe(0);
});

test("the demo model is checked if no vendor is set up, without being asked because it is free", async () => {
  const { code, stdout, stderr } = await run([], { TACKLE_DEMO_TOKENS_PER_SECOND: "0" }).ended;
  expect(stderr).toContain("No vendor is set up");
  expect(stdout).toContain("Estimated cost: free.");
  expect(stdout).toMatch(/demo\/demo\n {2}✓ streaming/);
  expect(stdout).toMatch(/\n7 accepted, 1 not offered\.\n$/);
  expect(code).toBe(0);
});

test("a wrong key or a vendor that is down ends the check at once", async () => {
  const wrong = await vendor("openai", () => errorTurn(401, { message: "Incorrect API key provided" }));
  const env = {
    DEEPSEEK_BASE_URL: wrong.url,
    DEEPSEEK_API_KEY: KEY,
    XAI_BASE_URL: "http://127.0.0.1:9/v1",
    XAI_API_KEY: KEY,
  };
  const { code, stdout } = await run(["deepseek/deepseek-flash", "xai/grok-4.5", "--yes"], env).ended;
  expect(stdout).toMatch(/! streaming +error +DeepSeek did not accept our key\. Check DEEPSEEK_API_KEY/);
  expect(stdout).toMatch(/! streaming +error +xAI cannot be reached\..* Nothing else was tried\./);
  expect(stdout).toContain("\n2 errors.\n");
  expect(wrong.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  expect(code).toBe(1);
});

test("nothing that costs money is sent without a terminal and without --yes", async () => {
  const upstream = await vendor("openai");
  const env = { OPENAI_BASE_URL: `${upstream.url}/v1`, OPENAI_API_KEY: KEY };
  const { code, stdout, stderr } = await run(["openai/gpt-5.5"], env).ended;
  expect(stdout).toMatch(/openai\/gpt-5\.5 +11 +\$0\.\d+\n\nEstimated cost: at most \$0\.\d+\./);
  expect(stderr).toContain("--yes");
  expect(code).toBe(2);
  expect(upstream.requests.filter(({ method }) => method === "POST")).toEqual([]);
});

test("a refusal is shown in the vendor's words, and the recording holds it without secrets", async () => {
  const refusal = "Images are not enabled for org-abc123def456 (owner@example.com) with key";
  const upstream = await vendor("openai", (request) =>
    JSON.stringify(request.body)?.includes("input_image")
      ? {
          ...errorTurn(400, { message: `${refusal} ${KEY}` }),
          headers: { "openai-organization": "acme-corp" },
        }
      : answerCheck(request),
  );
  const env = { OPENAI_BASE_URL: `${upstream.url}/v1`, OPENAI_API_KEY: KEY };
  const { folder, ended } = run(["openai/gpt-5.5", "--yes", "--record", "check.json"], env);
  const { code, stdout } = await ended;
  expect(stdout).toMatch(/✗ images +refused +Images are not enabled/);
  expect(code).toBe(1);
  const text = readFileSync(join(folder, "check.json"), "utf8");
  for (const secret of [KEY, "owner@example.com", "abc123def456", "acme-corp", "127.0.0.1"]) {
    expect(text).not.toContain(secret);
    expect(stdout).not.toContain(secret);
  }
  expect(text).toContain("Images are not enabled");
  writeFileSync(join(folder, "taken.json"), "");
  const again = await run(["demo/demo", "--record", join(folder, "taken.json")]).ended;
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("--force") });
});

test("Ctrl-C stops it, and what was done is in the recording", async () => {
  const asked = Promise.withResolvers<void>();
  const upstream = await vendor("openai", (request) => {
    if (!JSON.stringify(request.body)?.includes("Use the tool.")) return answerCheck(request);
    asked.resolve();
    return { frames: [], faults: { beforeHeaders: "silence" } };
  });
  const env = { OPENAI_BASE_URL: `${upstream.url}/v1`, OPENAI_API_KEY: KEY };
  const { child, folder, ended } = run(["openai/gpt-5.5", "--yes", "--record", "check.json"], env);
  await asked.promise;
  child.kill("SIGINT");
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  expect(stdout).toContain("Stopped. 1 accepted.");
  expect(readFileSync(join(folder, "check.json"), "utf8")).toContain('"check": "streaming"');
});
