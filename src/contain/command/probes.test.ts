import { afterAll, describe, expect, test } from "vitest";
import { detectSandbox } from "./detect.ts";
import { missingForProbes, openProbedHost } from "./testing/host.ts";
import { isControl, tryProbe } from "./testing/probe.ts";
import { PROBES } from "./testing/probes.ts";

const bare = { tier: "bare", detail: "", improve: "" } as const;
const sandboxes = {
  bubblewrap: await detectSandbox({ without: ["landlock"] }),
  landlock: await detectSandbox({ without: ["bubblewrap"] }),
};
const missing = missingForProbes(sandboxes.bubblewrap);
if (missing) console.log(`The sandbox is not probed: ${missing}`);
if (sandboxes.landlock.tier === "none") console.log("Landlock is not probed: it does not work here.");

test.runIf(missing && process.env.CI)("CI can probe the sandbox", () => {
  expect(missing).toBeUndefined();
});

describe.each(Object.entries(sandboxes))("a command under %s", async (_, sandbox) => {
  const host = await openProbedHost();
  afterAll(() => host.close());

  test.skipIf(missingForProbes(sandbox)).each(PROBES)("is blocked: $name", async (probe) => {
    expect(await tryProbe(probe, host, sandbox)).toMatchObject({ open: false });
  });
});

describe.skipIf(missing)("a command without a sandbox", async () => {
  const host = await openProbedHost();
  afterAll(() => host.close());

  // It shows that a probe works, so one success is enough. Other tests may use up the machine's processes for a moment.
  test.each(PROBES.filter(isControl))("succeeds: $name", { retry: 2 }, async (probe) => {
    expect(await tryProbe(probe, host, bare)).toMatchObject({ open: true });
  });
});
