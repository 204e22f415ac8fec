import type { EngineName, World, WorldOptions } from "./world.ts";

/** A fault and the expected outcome. The guarantees are checked after every scenario. */
export interface Scenario {
  /** The name in docs/reliability.md. */
  name: string;
  engine: EngineName;
  /** Options for a separate world. Without them the scenario uses the engine's shared world. */
  world?: WorldOptions;
  /** Returns why the scenario cannot run here, if so. */
  missing?(): string | undefined;
  /** Throws if the outcome is not the expected one. */
  play(world: World): Promise<void>;
}

/** Polls until the condition holds, for at most a minute. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`timed out waiting until ${what}`);
}

/** Returns the instance with this number. Throws if there is none. */
export function instanceOf(world: World, number: number) {
  const instance = world.instances[number];
  if (!instance) throw new Error(`there is no instance ${number}`);
  return instance;
}

/** Returns the address of a running instance. */
export function urlOf(world: World, number: number): string {
  const { url } = instanceOf(world, number);
  if (url === undefined) throw new Error(`instance ${number} does not listen`);
  return url;
}
