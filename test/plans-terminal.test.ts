import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { hasPseudoTerminal, openTerminal } from "../src/terminal/testing/pseudo-terminal.ts";
import { modelAt, temporaryFolder } from "./support/server.ts";

const PROGRAM = new URL("../src/cli.ts", import.meta.url).pathname;
const DOWN = "\u001b[B";

function folders() {
  const data = temporaryFolder();
  const workspace = temporaryFolder();
  onTestFinished(() => {
    data.remove();
    workspace.remove();
  });
  const file = (name: string) => `${workspace.path}/${name}`;
  return { data: data.path, workspace: workspace.path, file };
}

describe.skipIf(!hasPseudoTerminal())("a plan in the terminal", () => {
  it.each([80, 40])(
    "is shown, struck and changed at %i columns, and holds as it was left",
    async (columns) => {
      const { data, workspace, file } = folders();
      const settings = {
        TACKLE_ROOTS: workspace,
        TACKLE_DEMO_TOKENS_PER_SECOND: "0",
        OLLAMA_BASE_URL: "http://127.0.0.1:9",
      };
      const terminal = openTerminal(["--data", data, "--model", "demo/demo"], settings, PROGRAM, columns);
      onTestFinished(() => terminal.close());
      await terminal.shows("›");
      terminal.press("Plan to write a.txt saying one, write b.txt saying two and write c.txt saying three\r");
      await terminal.shows("Approve the plan?");
      expect(terminal.text()).toMatch(/1\. filesystem operation: write, pat\s*h: a\.txt/);
      terminal.press(DOWN);
      await terminal.shows(/▸ ✓ 2 filesystem/);
      terminal.press("x");
      await terminal.shows(/▸ ✗ 2 filesystem/);
      terminal.press(DOWN);
      await terminal.shows(/▸ ✓ 3 filesystem/);
      terminal.press("c");
      await terminal.shows("Targets (Enter to keep)");
      terminal.press("\u0015"); // ctrl-u
      terminal.press("nonsense\r");
      await terminal.shows("Write the targets as JSON");
      terminal.press("\u0015");
      terminal.press('{"operation":"write","path":"d.txt"}\r');
      await terminal.shows(/▸ ✓ 3 filesystem.*d\.txt/s);
      terminal.press("y");
      await terminal.shows(/not in\s+the approved plan\..*b\.txt.*Allow it\?/s);
      expect(readFileSync(file("a.txt"), "utf8")).toContain("one");
      expect(existsSync(file("b.txt"))).toBe(false);
      terminal.press("n\r");
      await terminal.shows(/c\.txt.*Allow it\?/s);
      expect(existsSync(file("c.txt"))).toBe(false);
    },
  );
});

it("a plan is denied by `tackle -p`, whatever --allow-tool says, and the model goes on without it", async () => {
  const { data, workspace, file } = folders();
  const write = { operation: "write", path: "a.txt" };
  const call = (name: string, args: object) => chatTurn({ calls: [{ name, arguments: args }] });
  const upstream = await startUpstream();
  onTestFinished(() => upstream.close());
  upstream.play(
    call("propose_plan", { steps: [{ tool: "filesystem", targets: write, why: "" }] }),
    call("filesystem", { ...write, content: "one" }),
    chatTurn({ text: "Done without it." }),
  );
  const args = ["-p", "write", "--data", data, "--allow-tool", "propose_plan", "--allow-tool", "filesystem"];
  const env = { PATH: process.env.PATH, HOME: data, ...modelAt(upstream.url), TACKLE_ROOTS: workspace };
  const ended = Promise.withResolvers<{ code: unknown; stdout: string; stderr: string }>();
  const child = execFile(process.execPath, [PROGRAM, ...args], { env }, (error, stdout, stderr) =>
    ended.resolve({ code: error?.code ?? 0, stdout, stderr }),
  );
  child.stdin?.end();
  const { code, stdout, stderr } = await ended.promise;
  expect(stderr).toContain("a plan needs a person who approves it");
  expect(stdout).toContain("Done without it.");
  expect(code).toBe(3);
  expect(readFileSync(file("a.txt"), "utf8")).toBe("one");
  const [, second] = upstream.requests.filter(({ method }) => method === "POST");
  expect(JSON.stringify(second?.body)).toContain("Go on without a plan");
});
