import type { EngineName, World, WorldOptions } from "./world.ts";

/** A fault on purpose, and what is promised for it. The invariants are checked after each of them, whatever it does. */
export interface Scenario {
  /** As docs/reliability.md names it. */
  name: string;
  engine: EngineName;
  /** A world of its own in the place of the common one of its engine. */
  world?: WorldOptions;
  /** Why it cannot be played here. */
  missing?(): string | undefined;
  /** Throws where the promised outcome is not there. */
  play(world: World): Promise<void>;
}

/** Looks again and again, for a minute at most. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`it never came to be: ${what}`);
}

/** The instance with this number; a world without it is a mistake of the scenario. */
export function instanceOf(world: World, number: number) {
  const instance = world.instances[number];
  if (!instance) throw new Error(`there is no instance ${number}`);
  return instance;
}

/** The address of an instance that listens. */
export function urlOf(world: World, number: number): string {
  const { url } = instanceOf(world, number);
  if (url === undefined) throw new Error(`instance ${number} does not listen`);
  return url;
}
