import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { detectSandbox } from "./detect.ts";

const folder = mkdtempSync(join(tmpdir(), "tackle-detect-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function installBubblewrap(script: string): void {
  writeFileSync(join(folder, "bwrap"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

describe.skipIf(process.platform !== "linux")("the sandbox that is found", () => {
  test("is none without bubblewrap, with a way to get it", async () => {
    const sandbox = await detectSandbox({ searchPath: "/nowhere" });
    expect(sandbox).toMatchObject({ tier: "none", detail: expect.stringContaining("not installed") });
    expect(sandbox.improve).toContain("Install the package bubblewrap");
  });

  test("is none when bubblewrap is there but cannot do it", async () => {
    installBubblewrap('echo "bwrap: No permissions to create new namespace" >&2; exit 1');
    const sandbox = await detectSandbox({ searchPath: folder });
    expect(sandbox).toMatchObject({ tier: "none", detail: expect.stringContaining("No permissions") });
    expect(sandbox.improve).toContain("Allow user namespaces");
  });

  test("is none when bubblewrap is too old", async () => {
    installBubblewrap('echo "bwrap: Unknown option --disable-userns" >&2; exit 1');
    expect((await detectSandbox({ searchPath: folder })).improve).toContain("0.8 or newer");
  });

  test("is none when bubblewrap claims to have run the command and has not", async () => {
    installBubblewrap("echo '{\"exit-code\":0}' >&4; exit 0");
    expect((await detectSandbox({ searchPath: folder })).tier).toBe("none");
  });

  test("is bare only when the operator said so", async () => {
    expect(await detectSandbox({ searchPath: "/nowhere", unsafe: true })).toMatchObject({ tier: "bare" });
  });

  test("is not bare where there is a better one, whatever the operator said", async () => {
    const best = await detectSandbox();
    if (best.tier === "none") return;
    expect((await detectSandbox({ unsafe: true })).tier).toBe(best.tier);
  });
});
