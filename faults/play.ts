import { checkWorld, type Violations } from "./invariants.ts";
import type { Scenario } from "./scenario.ts";
import { CLIENT_SCENARIOS } from "./scenarios/client.ts";
import { DATABASE_SCENARIOS } from "./scenarios/database.ts";
import { INSTANCE_SCENARIOS } from "./scenarios/instances.ts";
import { PROCESS_SCENARIOS } from "./scenarios/process.ts";
import { UPSTREAM_SCENARIOS } from "./scenarios/upstream.ts";
import { canHave, createWorld, type EngineName, type World } from "./world.ts";

/** All faults. */
export const SCENARIOS: readonly Scenario[] = [
  ...UPSTREAM_SCENARIOS,
  ...CLIENT_SCENARIOS,
  ...DATABASE_SCENARIOS,
  ...PROCESS_SCENARIOS,
  ...INSTANCE_SCENARIOS,
];

/** Why a scenario cannot be played here. */
export function missingFor(scenario: Scenario): string | undefined {
  return canHave(scenario.engine) ? scenario.missing?.() : `${scenario.engine} is not installed`;
}

/** Plays the scenarios of one engine one after the other, in one world unless one wants its own. */
export async function playAll(
  engine: EngineName,
  scenarios: readonly Scenario[],
  told: (name: string, outcome: Promise<void>) => void | Promise<void>,
): Promise<void> {
  let common: World | undefined;
  try {
    for (const scenario of scenarios.filter((one) => one.engine === engine)) {
      const outcome = (async () => {
        const world = scenario.world ? await createWorld(engine, scenario.world) : undefined;
        if (!world) common ??= await createWorld(engine);
        const used = world ?? common;
        if (!used) throw new Error("there is no world");
        try {
          await playOne(scenario, used);
        } finally {
          await world?.close();
        }
      })();
      outcome.catch(() => undefined); // Whoever is told waits for it.
      await told(scenario.name, outcome);
      await outcome.catch(() => undefined);
    }
  } finally {
    await common?.close();
  }
}

async function playOne(scenario: Scenario, world: World): Promise<void> {
  await Promise.all(world.instances.map((instance) => instance.restore()));
  const failure = await scenario.play(world).then(
    () => undefined,
    (thrown: unknown) => ({ thrown }),
  );
  // Also after a failure, so that the next scenario begins with a clean slate; the failure is what counts then.
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
