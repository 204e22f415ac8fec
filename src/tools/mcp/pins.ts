import { isObject, type Json } from "../../protocol/json.ts";

/** Where the server's own settings are kept. */
export interface PinStore {
  getSettings(userId: string): Promise<Record<string, Json>>;
  putSetting(userId: string, name: string, value: Json | undefined): Promise<void>;
}

/** What the tools of one server looked like when a person let them in: tool → hash. */
export interface Pins {
  /** The first tools of a server are let in with it: the operator has just entered it. */
  letIn(tools: readonly { name: string; hash: string }[]): Promise<void>;
  /** Why a tool has to be approved; undefined where it is as it was. */
  doubt(tool: { name: string; hash: string }): "changed" | "new" | undefined;
  approve(tool: { name: string; hash: string }): Promise<void>;
}

/** The pins of a server, kept over restarts. */
export async function openPins(store: PinStore, server: string): Promise<Pins> {
  const setting = `mcp:pins:${server}`;
  const stored = (await store.getSettings(""))[setting];
  const pinned = new Map<string, string>();
  if (isObject(stored))
    for (const [name, hash] of Object.entries(stored)) if (typeof hash === "string") pinned.set(name, hash);
  let known = isObject(stored);

  const save = () => store.putSetting("", setting, Object.fromEntries(pinned));
  return {
    async letIn(tools) {
      if (known) return;
      known = true;
      for (const { name, hash } of tools) pinned.set(name, hash);
      await save();
    },
    doubt({ name, hash }) {
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
