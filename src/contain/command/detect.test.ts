import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { detectSandbox } from "./detect.ts";

const folder = mkdtempSync(join(tmpdir(), "tackle-detect-"));
// Root runs it as another user.
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function installBubblewrap(script: string): void {
  writeFileSync(join(folder, "bwrap"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

describe.skipIf(process.platform !== "linux")("the detected sandbox", () => {
  test("is none without bubblewrap, with instructions to install it", async () => {
    const sandbox = await detectSandbox({ searchPath: "/nowhere" });
    expect(sandbox).toMatchObject({ tier: "none", detail: expect.stringContaining("not installed") });
    expect(sandbox.improve).toContain("Install the package bubblewrap");
  });

  test("is none if bubblewrap is installed but does not work", async () => {
    installBubblewrap('echo "bwrap: No permissions to create new namespace" >&2; exit 1');
    const sandbox = await detectSandbox({ searchPath: folder });
    expect(sandbox).toMatchObject({ tier: "none", detail: expect.stringContaining("No permissions") });
    expect(sandbox.improve).toContain("Allow user namespaces");
  });

  test("is none if bubblewrap is too old", async () => {
    installBubblewrap('echo "bwrap: Unknown option --disable-userns" >&2; exit 1');
    expect((await detectSandbox({ searchPath: folder })).improve).toContain("0.8 or newer");
  });

  test("is none if bubblewrap claims to have run the command but did not", async () => {
    installBubblewrap("echo '{\"exit-code\":0}' >&4; exit 0");
    expect((await detectSandbox({ searchPath: folder })).tier).toBe("none");
  });

  test("is bare only if the operator asked for it", async () => {
    expect(await detectSandbox({ searchPath: "/nowhere", unsafe: true })).toMatchObject({ tier: "bare" });
  });

  test("is not bare if there is a better one, whatever the operator asked for", async () => {
    const best = await detectSandbox();
    if (best.tier === "none") return;
    expect((await detectSandbox({ unsafe: true })).tier).toBe(best.tier);
  });
});
