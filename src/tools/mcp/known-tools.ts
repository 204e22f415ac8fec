import { z } from "zod";
import type { Json } from "../../protocol/json.ts";
import { toolInterface } from "./apps.ts";
import type { ListedTool } from "./listing.ts";
import type { PinStore } from "./pins.ts";
import type { ServerSettings } from "./settings.ts";

const MAX_CHARACTERS = 2_000_000;

const stored = z.object({
  /** The address that listed them. */
  of: z.string(),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      schema: z.looseObject({}),
      claims: z.object({ readOnly: z.boolean(), openWorld: z.boolean(), adds: z.boolean() }),
      interface: toolInterface.optional(),
      hash: z.string(),
      offer: z.enum(["resources", "prompts"]).exactOptional(),
      commands: z.array(z.object({ name: z.string(), description: z.string() })).exactOptional(),
    }),
  ),
});

/** The tools that somebody last saw at a server to which everybody has their own connection. */
export async function openKnownTools(store: PinStore, settings: ServerSettings) {
  const setting = `mcp:tools:${settings.name}`;
  const of = settings.kind === "remote" ? settings.url : settings.command;
  const read = stored.safeParse((await store.getSettings(""))[setting]);
  let tools: ListedTool[] = read.success && read.data.of === of ? read.data.tools : [];
  return {
    tools: () => tools,
    async keep(next: ListedTool[]): Promise<void> {
      tools = next;
      const text = JSON.stringify({ of, tools });
      if (text.length <= MAX_CHARACTERS) await store.putSetting("", setting, JSON.parse(text) as Json);
    },
  };
}
