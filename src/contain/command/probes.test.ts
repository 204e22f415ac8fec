import { afterAll, describe, expect, test } from "vitest";
import { sampled } from "../../../test/support/long.ts";
import { HONEST_TASKS, tryHonest } from "./testing/honest.ts";
import { missingForProbes, openProbedHost } from "./testing/host.ts";
import { type Cell, probeTierAsOrdinaryUser, sandboxOf } from "./testing/matrix.ts";
import { isControl, type Probe, tryProbe } from "./testing/probe.ts";
import { PROBES } from "./testing/probes.ts";
import { GENERAL_PROBES } from "./testing/probes-general.ts";

/** What differs between users: an ordinary one owns the data directory, and cannot become anybody else. */
const OF_USERS = [
  ...["read the secret key", "chmod the secret key", "chmod the secret key by an open descriptor"],
  ...[
    "chmod the secret key while a link changes",
    "open the data directory to others",
    "chown the secret key",
  ],
  ...["change the times of the secret key", "set an extended attribute", "watch the data directory"],
  ...["limits of a host process", "shared memory of the host (System V)", "signal a host process"],
  ...["make 200,000 temporary files", "fork 300 processes", "change permissions", "pack and unpack"],
  ...["commit and clone", "wait for a change"],
];

// `npm run bench -- sandbox` tries all of them on both. In bubblewrap, most files and processes are not even there.
const SOME: Record<string, readonly Probe[]> = {
  bubblewrap: sampled(
    PROBES.filter((probe) => GENERAL_PROBES.includes(probe) || OF_USERS.includes(probe.name)),
    3,
  ),
  landlock: sampled(
    PROBES.filter((probe) => GENERAL_PROBES.includes(probe) || isControl(probe)),
    2,
  ),
};

const sandboxes = { bubblewrap: await sandboxOf("bubblewrap"), landlock: await sandboxOf("landlock") };
const bare = await sandboxOf("bare");

describe.each(Object.entries(sandboxes))("a command under %s", async (tier, sandbox) => {
  const missing = missingForProbes(sandbox);
  if (missing) console.log(`Commands under ${tier} are not probed: ${missing}`);
  const host = await openProbedHost();
  afterAll(() => host.close());

  test.runIf(missing && process.env.CI)("can be probed in CI", () => {
    expect(missing).toBeUndefined();
  });

  test.skipIf(missing).each(SOME[tier] ?? [])("is blocked: $name", async (probe) => {
    expect(await tryProbe(probe, host, sandbox)).toMatchObject({ open: false });
  });

  test.skipIf(missing).each(HONEST_TASKS)("works: $name", async (task) => {
    expect(await tryHonest(task, host, sandbox)).not.toMatchObject({ works: false });
  });

  const skip = missing || process.getuid?.() !== 0;
  test.skipIf(skip)("is blocked, and works, as an ordinary user", { timeout: 240_000 }, async () => {
    const cells: Cell[] = [];
    for await (const cell of probeTierAsOrdinaryUser(tier as keyof typeof sandboxes, OF_USERS))
      cells.push(cell);
    expect(cells.filter(({ kind, result }) => result !== (kind === "task"))).toEqual([]);
    expect(cells.length).toBe(OF_USERS.length);
  });
});

describe.skipIf(missingForProbes(sandboxes.bubblewrap))("a command without a sandbox", async () => {
  const host = await openProbedHost();
  afterAll(() => host.close());

  // It shows that a probe works, so one success is enough. Other tests may use up the machine's processes for a moment.
  test.each(sampled(PROBES.filter(isControl), 3))("succeeds: $name", { retry: 2 }, async (probe) => {
    expect(await tryProbe(probe, host, bare)).toMatchObject({ open: true });
  });
});
