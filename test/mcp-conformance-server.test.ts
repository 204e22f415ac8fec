import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const suite = resolve(import.meta.dirname, "../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const folder = temporaryFolder();
let server: ServerProcess;

beforeAll(async () => {
  // What the suite calls is ordinary: tools, prompts and resources in a data directory.
  cpSync(resolve(import.meta.dirname, "mcp-fixtures"), folder.path, { recursive: true });
  server = await startServer(folder.path);
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

/** Runs what the official suite requires of a revision. Returns the scenarios that passed and those that did not. */
async function run(revision: string): Promise<{ passed: string[]; failed: string[]; output: string }> {
  const args = [suite, "server", "--url", `${server.url}/mcp`, "--requirements", revision];
  const child = spawn(process.execPath, args, { cwd: folder.path, stdio: ["ignore", "pipe", "inherit"] });
  const output = await text(child.stdout);
  const summary = output.slice(output.indexOf("=== SUMMARY ===")).split("Not scored")[0] ?? "";
  const named = (mark: string) =>
    [...summary.matchAll(new RegExp(`^${mark} ([\\w/-]+): `, "gm"))].map(([, name = ""]) => name);
  return { passed: named("✓"), failed: named("✗"), output };
}

describe("the official MCP suite", () => {
  it.each([
    { revision: "2026-07-28", least: 50 },
    { revision: "2025-11-25", least: 33 },
  ])("passes against our server, revision $revision", { timeout: 120_000 }, async ({ revision, least }) => {
    const { passed, failed, output } = await run(revision);
    console.info(
      `MCP ${revision}: ${passed.length} of ${passed.length + failed.length} server scenarios pass`,
    );
    expect(failed, output).toEqual([]);
    expect(passed.length).toBeGreaterThanOrEqual(least);
  });
});
