import { isObject, type Json } from "../../protocol/json.ts";

/** Stores the server's own settings. */
export interface PinStore {
  getSettings(userId: string): Promise<Record<string, Json>>;
  putSetting(userId: string, name: string, value: Json | undefined): Promise<void>;
}

/** The hashes of one server's tools when they were approved. */
export interface Pins {
  /** Approves the first tools of a new server: the operator has just added it. */
  approveFirst(tools: readonly { name: string; hash: string }[]): Promise<void>;
  /** Why a tool needs approval; undefined if it is unchanged. */
  doubt(tool: { name: string; hash: string; offer?: string }): "changed" | "new" | undefined;
  approve(tool: { name: string; hash: string }): Promise<void>;
}

/** Reads the pins of a server, which survive restarts. */
export async function openPins(store: PinStore, server: string): Promise<Pins> {
  const setting = `mcp:pins:${server}`;
  const stored = (await store.getSettings(""))[setting];
  const pinned = new Map<string, string>();
  if (isObject(stored))
    for (const [name, hash] of Object.entries(stored)) if (typeof hash === "string") pinned.set(name, hash);
  let known = isObject(stored);

  const save = () => store.putSetting("", setting, Object.fromEntries(pinned));
  return {
    async approveFirst(tools) {
      if (known) return;
      known = true;
      for (const { name, hash } of tools) pinned.set(name, hash);
      await save();
    },
    doubt({ name, hash, offer }) {
      // The description is our own.
      if (offer !== undefined) return undefined;
      const before = pinned.get(name);
      if (before === undefined) return "new";
      return before === hash ? undefined : "changed";
    },
    async approve({ name, hash }) {
      pinned.set(name, hash);
      await save();
    },
  };
}
