import { afterAll, describe, expect, test } from "vitest";
import { detectSandbox } from "./detect.ts";
import { missingForProbes, openProbedHost } from "./testing/host.ts";
import { PROBES, tryProbe } from "./testing/probes.ts";

const sandbox = await detectSandbox();
const missing = missingForProbes(sandbox);
if (missing) console.log(`The sandbox is not probed: ${missing}`);
const bare = { tier: "bare", detail: "", improve: "" } as const;

test.runIf(missing && process.env.CI)("the sandbox can be probed where everything is tested", () => {
  expect(missing).toBeUndefined();
});

describe.skipIf(missing)("a command in the sandbox", async () => {
  const host = await openProbedHost();
  afterAll(() => host.close());

  test.each(PROBES)("does not get through: $name", async (probe) => {
    expect(await tryProbe(probe, host, sandbox)).toMatchObject({ open: false });
  });

  test.each(PROBES.filter(({ control }) => control))("would get through without it: $name", async (probe) => {
    expect(await tryProbe(probe, host, bare)).toMatchObject({ open: true });
  });
});
