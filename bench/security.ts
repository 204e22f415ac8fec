import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { openForRead } from "../src/contain/paths-open.ts";
import { injectionLayer } from "../src/guard/injection/layer.ts";
import { createGuard } from "../src/guard/pipeline.ts";
import { policyFile } from "../src/guard/policy.ts";
import { runCall } from "../src/loop/call.ts";
import { defineTool } from "../src/protocol/define-tool.ts";
import { toolContext } from "../src/tools/builtin/testing/context.ts";
import { run as runInjection } from "./injection.ts";
import { run as runRedaction } from "./redaction.ts";
import { run as runSandbox } from "./sandbox.ts";
import { run as runSsrf } from "./ssrf.ts";

const CORPUS = new URL("../../shared/corpus/attacks/", import.meta.url);

/** Measures every class of attack: attempts, blocked attempts, allowed legitimate requests, and cost. */
export async function run(): Promise<void> {
  heading("Outbound requests");
  await runSsrf();
  heading("Paths");
  await paths();
  heading("Parameters");
  await parameters();
  heading("Commands");
  await runSandbox();
  heading("Injection (advisory)");
  await runInjection();
  heading("Secrets and personal data");
  await runRedaction();
  heading("Cost of the pipeline");
  await cost();
  console.log(
    "\nThe obedient model, ownership and browser attacks run in npm test: obedient, ownership, artifacts.",
  );
}

/** Tries to read a canary outside of the root with every listed payload in several spellings. */
async function paths(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tackle-bench-"));
  const root = join(folder, "root");
  mkdirSync(join(root, "inside"), { recursive: true });
  mkdirSync(join(folder, "root-evil"));
  for (const name of ["secret.txt", "root-evil/secret.txt"]) writeFileSync(join(folder, name), "canary");
  writeFileSync(join(root, "inside", "good.txt"), "fine");
  symlinkSync(folder, join(root, "link"));
  linkSync(join(folder, "secret.txt"), join(root, "hard.txt"));
  const own = [
    "../secret.txt",
    "../root-evil/secret.txt",
    "link/secret.txt",
    "hard.txt",
    join(folder, "secret.txt"),
    "inside/../../secret.txt",
  ];
  const listed = ["traversal-lfi.txt", "traversal-deep.txt"].flatMap((file) => lines(file));
  const attacks = [...own, ...listed.flatMap((line) => [line, `inside/${line}`, decoded(line)])];
  let outside = 0;
  for (const attack of attacks) if (await reads(root, attack)) outside++;
  const good = ["inside/good.txt", "./inside/good.txt", "inside//good.txt", join(root, "inside/good.txt")];
  const allowed = (await Promise.all(good.map((path) => reads(root, path)))).filter(Boolean).length;
  console.log(`paths tried           ${attacks.length}`);
  console.log(`reads outside         ${outside}`);
  console.log(`good paths allowed    ${allowed} of ${good.length}`);
  rmSync(folder, { recursive: true, force: true });
}

async function reads(root: string, path: string): Promise<boolean> {
  try {
    const file = await openForRead([root], path);
    await file.handle.close();
    return true;
  } catch {
    return false; // Refused or missing: nothing was read.
  }
}

const tool = defineTool({
  name: "note",
  description: "Notes.",
  effect: "none",
  retry: "pure",
  input: z.object({ text: z.string().max(10_000), tags: z.array(z.string()).optional() }),
  run: ({ text }) => text,
});
const guard = createGuard({
  policy: policyFile.parse({}),
  execution: { timeoutMs: 5_000, maxOutputCharacters: 100_000 },
  injection: [injectionLayer],
});

function call(args: string) {
  return runCall(
    { type: "tool_call", id: "call_1", name: "note", arguments: args },
    {
      guard,
      find: () => tool,
      names: () => ["note"],
      context: toolContext(),
      shorten: async () => undefined,
      now: () => performance.now(),
      approve: async () => {},
      started: async () => {},
    },
  );
}

async function parameters(): Promise<void> {
  const nested = (key: string, depth: number) =>
    `{"text":"a","tags":${'{"a":'.repeat(depth)}{"${key}":{"polluted":1}}${"}".repeat(depth)}}`;
  const attacks = ["__proto__", "constructor", "prototype"].flatMap((key) =>
    [0, 1, 5, 40].map((depth) => nested(key, depth)),
  );
  attacks.push(
    '{"text":1}',
    '{"text":"a","more":1}',
    "[]",
    "{",
    `{"text":"${"x".repeat(100_000)}"}`,
    `{"text":${"[".repeat(50_000)}`,
  );
  let stopped = 0;
  let slowest = 0;
  for (const attack of attacks) {
    const began = process.cpuUsage();
    if (!(await call(attack)).result.success) stopped++;
    const { user, system } = process.cpuUsage(began);
    slowest = Math.max(slowest, (user + system) / 1000);
  }
  const polluted = "polluted" in {};
  console.log(
    `tried ${attacks.length}, stopped ${stopped}, prototypes changed: ${polluted ? "yes" : "none"}`,
  );
  console.log(`slowest check         ${slowest.toFixed(1)} ms of CPU (figure: under 50 ms)`);
}

/** Measures the CPU time that all layers add to a call, in one run so that the machine's noise cancels out. */
async function cost(): Promise<void> {
  const args = JSON.stringify({
    text: "Remind me to call the dentist about the appointment next week.",
    tags: ["health"],
  });
  const costs: number[] = [];
  for (let round = 0; round < 40; round++) {
    const guarded = await cpu(async () => void (await call(args)));
    const bare = await cpu(async () => void (await tool.run({ text: "a" }, toolContext())));
    if (round >= 10) costs.push(guarded - bare);
  }
  const sorted = costs.toSorted((left, right) => left - right);
  console.log(
    `all layers, median    ${(sorted[15] ?? 0).toFixed(3)} ms of CPU a call (figure: under 0.3 ms)`,
  );
}

async function cpu(work: () => Promise<void>, times = 200): Promise<number> {
  const began = process.cpuUsage();
  for (let count = 0; count < times; count++) await work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000 / times;
}

function lines(file: string): string[] {
  const path = new URL(file, CORPUS);
  if (existsSync(path)) return readFileSync(path, "utf8").split("\n").filter(Boolean);
  console.log(`The list ${file} is missing from ../shared/corpus; only built-in payloads are tried.`);
  return [];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // Not percent-encoded: keep the name as it is.
  }
}

function heading(text: string): void {
  console.log(`\n${text}\n${"─".repeat(text.length)}`);
}
