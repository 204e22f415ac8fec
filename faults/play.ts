import { checkWorld, type Violations } from "./invariants.ts";
import type { Scenario } from "./scenario.ts";
import { CLIENT_SCENARIOS } from "./scenarios/client.ts";
import { CONTINUE_SCENARIOS } from "./scenarios/continue.ts";
import { DATABASE_SCENARIOS } from "./scenarios/database.ts";
import { INSTANCE_SCENARIOS } from "./scenarios/instances.ts";
import { JOURNAL_SCENARIOS } from "./scenarios/journal.ts";
import { PROCESS_SCENARIOS } from "./scenarios/process.ts";
import { UPGRADE_SCENARIOS } from "./scenarios/upgrades.ts";
import { UPSTREAM_SCENARIOS } from "./scenarios/upstream.ts";
import { canHave, createWorld, type EngineName, type World } from "./world.ts";

/** All fault scenarios. */
export const SCENARIOS: readonly Scenario[] = [
  ...UPSTREAM_SCENARIOS,
  ...CLIENT_SCENARIOS,
  ...DATABASE_SCENARIOS,
  ...PROCESS_SCENARIOS,
  ...INSTANCE_SCENARIOS,
  ...CONTINUE_SCENARIOS,
  ...UPGRADE_SCENARIOS,
  ...JOURNAL_SCENARIOS,
];

/** Returns why a scenario cannot run here, if so. */
export function missingFor(scenario: Scenario): string | undefined {
  return canHave(scenario.engine) ? scenario.missing?.() : `${scenario.engine} is not installed`;
}

/** Runs the scenarios of one engine in sequence, in a shared world unless a scenario needs its own. */
export async function playAll(
  engine: EngineName,
  scenarios: readonly Scenario[],
  onOutcome: (name: string, outcome: Promise<void>) => void | Promise<void>,
): Promise<void> {
  let shared: World | undefined;
  try {
    for (const scenario of scenarios.filter((one) => one.engine === engine)) {
      const outcome = (async () => {
        const world = scenario.world ? await createWorld(engine, scenario.world) : undefined;
        if (!world) shared ??= await createWorld(engine);
        const used = world ?? shared;
        if (!used) throw new Error("the world is missing");
        try {
          await playOne(scenario, used);
        } finally {
          await world?.close();
        }
      })();
      outcome.catch(() => undefined); // `onOutcome` handles the failure.
      await onOutcome(scenario.name, outcome);
      await outcome.catch(() => undefined);
    }
  } finally {
    await shared?.close();
  }
}

async function playOne(scenario: Scenario, world: World): Promise<void> {
  await Promise.all(world.instances.map((instance) => instance.restore()));
  const failure = await scenario.play(world).then(
    () => undefined,
    (thrown: unknown) => ({ thrown }),
  );
  // Runs after a failure too, so that the next scenario starts clean. The scenario's own failure takes precedence.
  const checked = checkWorld(world);
  if (failure) {
    await checked.catch(() => undefined);
    throw failure.thrown;
  }
  const violations = await checked;
  if (count(violations) > 0)
    throw new Error(["lost or doubled:", ...violations.lost, ...violations.doubled].join("\n"));
}

function count({ lost, doubled }: Violations): number {
  return lost.length + doubled.length;
}
