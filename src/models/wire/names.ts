import type { ToolSpec } from "../../protocol/model.ts";

/** Maps tool names to the wire and back: `browser.search` becomes `browser_search`, because many vendors refuse dots. */
export interface ToolNames {
  toWire(name: string): string;
  fromWire(name: string): string;
}

const ALLOWED = /^[a-zA-Z0-9_-]{1,64}$/;

/** Maps the names that a vendor would refuse. Two tools never share a wire name. */
export function mapToolNames(tools: readonly ToolSpec[]): ToolNames {
  const wireByName = new Map<string, string>();
  const nameByWire = new Map<string, string>();
  const taken = new Set(tools.map((tool) => tool.name).filter((name) => ALLOWED.test(name)));
  for (const { name } of tools) {
    if (ALLOWED.test(name)) continue;
    const base = plain(name);
    let wire = base;
    for (let count = 2; taken.has(wire); count++) wire = `${base.slice(0, 61)}_${count}`;
    taken.add(wire);
    wireByName.set(name, wire);
    nameByWire.set(wire, name);
  }
  return {
    // A call in the history may name a tool that is no longer offered. Its name must be valid as well.
    toWire: (name) => wireByName.get(name) ?? (ALLOWED.test(name) ? name : plain(name)),
    fromWire: (wire) => nameByWire.get(wire) ?? wire,
  };
}

function plain(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "tool";
}
