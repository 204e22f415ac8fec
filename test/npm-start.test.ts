import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { expect, it, vi } from "vitest";
import { temporaryFolder } from "./support/server.ts";

const root = resolve(import.meta.dirname, "..");

it("the server stops when npm, which started it, is told to stop", async () => {
  const folder = temporaryFolder();
  const npm = spawn("npm", ["run", "-s", "tackle", "--", "serve", "--port", "0", "--data", folder.path], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    // Its own group, so that nothing is left behind if this fails.
    detached: true,
  });
  try {
    let printed = "";
    npm.stdout.on("data", (piece) => {
      printed += piece;
    });
    const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? "";
    await vi.waitFor(() => expect(address()).not.toBe(""), { timeout: 60_000, interval: 100 });
    const isUp = () =>
      fetch(`${address()}/healthz`).then(
        () => true,
        () => false,
      );
    expect(await isUp()).toBe(true);
    npm.kill("SIGTERM");
    await vi.waitFor(async () => expect(await isUp()).toBe(false), { timeout: 20_000, interval: 200 });
  } finally {
    if (npm.pid) stopGroup(npm.pid);
    folder.remove();
  }
}, 90_000);

function stopGroup(id: number): void {
  try {
    process.kill(-id, "SIGKILL");
  } catch {
    // Nothing of it is left, as it should be.
  }
}
