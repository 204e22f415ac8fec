import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat } from "./support/sse.ts";

const folder = temporaryFolder();
let server: ServerProcess;

beforeAll(async () => {
  server = await startServer(folder.path);
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

const metrics = async () => (await fetch(`${server.url}/metrics`)).text();

it("reports that it is ready when it can write, and names the model", async () => {
  const response = await fetch(`${server.url}/readyz`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ ok: true, checks: { store: "ok", model: "demo/demo" } });
});

it("counts runs, model requests, first tokens, tokens and tool calls", async () => {
  await chat(server.url, { message: "What time is it in Paris?" });
  const text = await metrics();
  expect(text).toContain('tackle_runs_ended_total{status="done"} 1');
  expect(text).toContain("tackle_run_takeovers_total 0");
  expect(text).toContain("tackle_run_overhead_seconds_count 1");
  expect(text).toContain('tackle_model_request_duration_seconds_count{provider="demo",outcome="finished"} 2');
  expect(text).toContain('tackle_model_first_token_seconds_count{provider="demo"} 2');
  expect(text).toMatch(/tackle_model_tokens_total\{provider="demo",kind="output"\} [1-9]/);
  expect(text).toContain('tackle_tool_call_duration_seconds_count{tool="get_time",outcome="success"} 1');
  const demo = 'gen_ai_operation_name="chat",gen_ai_provider_name="demo",gen_ai_request_model="demo"';
  expect(text).toContain(`gen_ai_client_operation_duration_seconds_count{${demo}} 2`);
  expect(text).toContain(`gen_ai_server_time_to_first_token_seconds_count{${demo}} 2`);
  expect(text).toContain('gen_ai_invoke_agent_duration_seconds_count{gen_ai_agent_name="tackle"} 1');
});

it("exports exactly the documented metrics, none of them per user", async () => {
  const manual = readFileSync(new URL("../docs/operations.md", import.meta.url), "utf8");
  const text = await metrics();
  const names = [...text.matchAll(/^# TYPE ((?:tackle|gen_ai)_\w+)/gm)].map(([, name]) => name ?? "");
  expect(names.length).toBeGreaterThan(15);
  const rows = manual.split("\n").filter((line) => /^\| `(tackle|gen_ai)_/.test(line));
  const here = rows.filter((row) => !row.includes("absent on the embedded database"));
  const promised = here.flatMap((row) =>
    [...row.matchAll(/`((?:tackle|gen_ai)_\w+)`/g)].map(([, name]) => name ?? ""),
  );
  expect(names.filter((name) => !rows.some((row) => row.includes(`\`${name}\``)))).toEqual([]);
  expect(promised.filter((name) => !names.includes(name))).toEqual([]);
  expect(promised.length).toBeGreaterThan(20);
  expect(text).not.toMatch(/\{[^}]*\b(user|subject|session|address)\w*=/i);
});
