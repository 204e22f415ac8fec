import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spellAsDeclared } from "../src/loop/spelling.ts";
import { Failure } from "../src/protocol/failure.ts";
import { unifiedDiff } from "../src/tools/builtin/filesystem/diff.ts";
import filesystem from "../src/tools/builtin/filesystem/index.ts";
import { toolContext } from "../src/tools/builtin/testing/context.ts";
import { type EditCase, seededRandom } from "./edits/case.ts";
import { ownSources } from "./edits/generate.ts";
import { HANDWRITTEN } from "./edits/handwritten.ts";
import { KINDS } from "./edits/kinds.ts";

const DEFAULT_SEED = 17;
/** A message is helpful if it says where to look, or what to do. */
const HELPFUL =
  /was not shown|\blines? \d|already|exists|Read the file|nothing would change|Nothing in the file is like it/;

interface Count {
  cases: number;
  right: number;
  wrong: number;
  refused: number;
}

/** Measures how many edits the filesystem tool applies right, and that it never applies one wrong. */
export async function run(): Promise<void> {
  const verbose = process.argv.includes("--verbose");
  const seed = process.argv.find((flag) => flag.startsWith("--seed="))?.slice("--seed=".length);
  const random = seededRandom(seed === undefined ? DEFAULT_SEED : Number(seed));
  const sources = ownSources();
  const cases = [
    ...KINDS.flatMap(([count, make]) => Array.from({ length: count }, () => make(sources, random))),
    ...HANDWRITTEN,
  ];
  const folder = await realpath(await mkdtemp(join(tmpdir(), "edits-")));
  const counts = new Map<string, Count>();
  const began = process.cpuUsage();
  for (const one of cases) {
    const count = counts.get(one.kind) ?? { cases: 0, right: 0, wrong: 0, refused: 0 };
    const { outcome, message } = await tryCase(folder, one);
    count.cases++;
    count[outcome]++;
    counts.set(one.kind, count);
    if (verbose && outcome !== "right") show(one, outcome, message);
  }
  const { user, system } = process.cpuUsage(began);
  await rm(folder, { recursive: true });
  report(counts, (user + system) / 1_000 / cases.length);
}

function show({ kind, before, args, expected }: EditCase, outcome: Outcome, message: string): void {
  const wanted =
    expected === undefined ? "refused" : unifiedDiff("expected", String(before), String(expected));
  console.log(`\n${outcome}: ${kind}\n${JSON.stringify(args, null, 2)}\n${wanted}\n${message}`);
}

type Outcome = "right" | "wrong" | "refused";

/** Right: the file is as expected, or stays as it is with a helpful message where the edit has to be refused. */
async function tryCase(folder: string, one: EditCase): Promise<{ outcome: Outcome; message: string }> {
  const path = join(folder, "file.txt");
  await rm(path, { force: true });
  if (one.before !== undefined) await writeFile(path, one.before);
  const message = await edit(folder, one.args);
  const after = await readFile(path).catch(() => undefined);
  const isAs = (content: string | Buffer | undefined) =>
    content === undefined ? after === undefined : after?.equals(Buffer.from(content)) === true;
  if (one.expected !== undefined) {
    if (isAs(one.expected)) return { outcome: "right", message: message ?? "" };
    return {
      outcome: message !== undefined && isAs(one.before) ? "refused" : "wrong",
      message: message ?? "",
    };
  }
  const isHelpful = message !== undefined && HELPFUL.test(message);
  return { outcome: isAs(one.before) && isHelpful ? "right" : "wrong", message: message ?? "" };
}

/** Returns the message of a refusal. */
async function edit(folder: string, args: Record<string, unknown>): Promise<string | undefined> {
  const call = spellAsDeclared({ operation: "edit", path: "file.txt", ...args }, filesystem);
  const parsed = filesystem.parse(call);
  if (!parsed.ok) return JSON.stringify(parsed.issues);
  try {
    await filesystem.run(parsed.value, toolContext({ roots: [folder], sessionId: undefined }));
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.publicMessage;
    throw error;
  }
}

function report(counts: ReadonlyMap<string, Count>, milliseconds: number): void {
  const sum = (entries: Iterable<[string, Count]>, field: keyof Count) =>
    [...entries].reduce((total, [, count]) => total + count[field], 0);
  const width = Math.max(...[...counts.keys()].map((kind) => kind.length)) + 2;
  console.log(`${"kind".padEnd(width)}cases  right  refused  wrong`);
  for (const [kind, { cases, right, refused, wrong }] of counts) {
    const figures = [
      String(cases).padStart(5),
      String(right).padStart(5),
      String(refused).padStart(7),
      String(wrong).padStart(5),
    ];
    console.log(`${kind.padEnd(width)}${figures.join("  ")}`);
  }
  const possible = [...counts].filter(([kind]) => !kind.startsWith("refuse"));
  const share = sum(possible, "right") / sum(possible, "cases");
  const wrong = sum(counts, "wrong");
  console.log(`\nedits                 ${sum(counts, "cases")}`);
  console.log(
    `applied right         ${(100 * share).toFixed(1)} % of ${sum(possible, "cases")} that can be applied (goal: 97 %)`,
  );
  console.log(`applied wrong         ${wrong} (goal: 0)`);
  console.log(`CPU time for one      ${milliseconds.toFixed(2)} ms`);
  if (share < 0.97 || wrong > 0) process.exitCode = 1;
}
