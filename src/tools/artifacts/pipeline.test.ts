import { describe, expect, test } from "vitest";
import { sampled } from "../../../test/support/long.ts";
import { processArtifact } from "./pipeline.ts";
import { BROKEN_MEANING } from "./testing/broken-meaning.ts";
import { CORRECT } from "./testing/correct.ts";
import { longComponent } from "./testing/long-component.ts";
import { MUTATED, REPORTED, UNMUTATED } from "./testing/state-cases.ts";
import { processInWorker } from "./worker.ts";

const react = (code: string) => processArtifact({ type: "react", code });

describe("the pipeline", () => {
  test.each(CORRECT.filter(({ type, code }) => type === undefined && !code.includes("\r")))(
    "leaves $name unchanged",
    async ({ code }) => {
      expect(await react(code)).toMatchObject({ code, ok: true });
    },
  );

  test("changes nothing in its own output", async () => {
    for (const { code } of [...BROKEN_MEANING, ...MUTATED]) {
      const once = await react(code);
      expect((await react(once.code)).code).toBe(once.code);
    }
  });

  test.each(MUTATED)("repairs and says so: $name", async ({ code }) => {
    const { code: changed, issues, ok } = await react(code);
    expect(changed).not.toBe(code);
    expect({ ok, severities: new Set(issues.map(({ severity }) => severity)) }).toEqual({
      ok: true,
      severities: new Set(["fixed"]),
    });
  });

  test.each(REPORTED)("reports without a change: $name", async ({ code, about }) => {
    const found = await react(code);
    expect(found).toMatchObject({ code, ok: true });
    expect(found.issues).toMatchObject([
      { severity: "warning", line: expect.any(Number), message: expect.stringContaining(`“${about}”`) },
    ]);
  });

  test.each(UNMUTATED)("leaves correct code as it is: $name", async ({ code }) => {
    expect(await react(code)).toEqual({ code, issues: [], ok: true });
  });

  test("reports the position of an error that it cannot repair", async () => {
    const { ok, issues } = await react("export default function App() {\n  return <p>{if}</p>;\n}");
    expect(ok).toBe(false);
    expect(issues.at(-1)).toMatchObject({ severity: "error", line: 2, column: expect.any(Number) });
  });

  test("refuses unavailable modules, and names the available ones", async () => {
    const { ok, issues } = await react('import x from "left-pad";\nexport default () => <p>{x}</p>;');
    expect(ok).toBe(false);
    expect(issues.find(({ severity }) => severity === "error")?.message).toMatch(/left-pad.*recharts/);
  });

  test("warns if code uses storage, but not if it only mentions storage", async () => {
    const used = await react('export default () => <p>{localStorage.getItem("a")}</p>;');
    expect(used.issues).toMatchObject([{ severity: "warning", line: 1 }]);
    const mentioned = await react('// localStorage\nexport default () => <p>{"localStorage"}</p>;');
    expect(mentioned.issues).toEqual([]);
  });

  test("handles hostile input quickly", async () => {
    const texts = [
      "(".repeat(50_000),
      "<div>".repeat(20_000),
      "{".repeat(100_000),
      "`${".repeat(20_000),
      "a.b(".repeat(20_000),
      "<".repeat(100_000),
      "/*".repeat(50_000),
      "x;\n.y".repeat(10_000),
      "import {".repeat(20_000),
      "\\n".repeat(100_000),
      "&lt;".repeat(50_000),
      "```\n".repeat(20_000),
      "<svg ".repeat(20_000),
    ];
    const inputs = (["react", "html", "svg", "markdown"] as const).flatMap((type) =>
      texts.map((code) => ({ type, code })),
    );
    // Every text and every type is among them.
    for (const { type, code } of sampled(inputs, 3)) {
      const began = performance.now();
      await processInWorker({ type, code });
      expect(performance.now() - began, `${type} ${code.slice(0, 10)}`).toBeLessThan(17_000);
    }
  });

  test("says that code is nested too deeply, whichever part of it overflows the stack", async () => {
    for (const depth of [10_000, 30_000]) {
      const { ok, issues } = await processInWorker({
        type: "react",
        code: `export default () => ${"<b>".repeat(depth)}`,
      });
      expect({ ok, issues }).toMatchObject({
        ok: false,
        issues: [{ message: expect.stringContaining("nested too deeply") }],
      });
    }
  });

  test("repairs a component of 300 lines", async () => {
    const code = longComponent();
    expect(code.split("\n").length).toBeGreaterThanOrEqual(300);
    expect(await react(code)).toMatchObject({ ok: true });
  });
});

describe("code that is written to be slow", () => {
  const long = 390_000;
  test.each([
    ["svg", `${" ".repeat(long)}x`],
    ["html", `${"\n".repeat(long)}x`],
    ["svg", `${"<!---->".repeat(40)}x`],
    ["html", `${"<!---->".repeat(40)}x`],
    ["html", `<p>${"\r".repeat(long)}`],
    ["code", "~".repeat(long)],
    ["mermaid", `graph TD\nA --${" ".repeat(4_000)}x`],
  ] as const)("of type %s keeps others waiting for a moment at most", async (type, code) => {
    const before = process.threadCpuUsage();
    await processArtifact({ type, code });
    const { user, system } = process.threadCpuUsage(before);
    // The worker is stopped after eight seconds, and works for everybody.
    expect((user + system) / 1000).toBeLessThan(5_000);
  });
});
