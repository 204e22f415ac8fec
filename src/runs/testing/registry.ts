import type { Registry } from "../../protocol/registry.ts";

/** A registry with the methods that a test needs, the same for everybody. */
export function registryOf(methods: Partial<Registry>): Registry {
  const registry = { ...methods, for: () => registry } as Registry;
  return registry;
}
