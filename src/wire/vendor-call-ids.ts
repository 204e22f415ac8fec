import type { ToolCallPart } from "../protocol/messages.ts";

/** The ids under which the calls of a history go to a vendor. */
export interface VendorCallIds {
  /** Gives a call its id; `own` says that the model now asked made it, so that its own id goes back. */
  add(call: ToolCallPart, own: boolean): string;
  of(call: ToolCallPart): string;
}

const LONGEST = 64;

/** Assigns the vendor's own ids where they are known, otherwise ours made plain and short, never one twice. */
export function assignCallIds(): VendorCallIds {
  const ids = new Map<ToolCallPart, string>();
  const taken = new Set<string>();
  return {
    add(call, own) {
      const vendors = own ? call.metadata?.callId : undefined;
      const base = typeof vendors === "string" && vendors !== "" ? vendors : plain(call.id);
      let id = base.slice(0, LONGEST);
      for (let count = 2; taken.has(id); count++) id = `${base.slice(0, LONGEST - 6)}_${count}`;
      taken.add(id);
      ids.set(call, id);
      return id;
    },
    of: (call) => ids.get(call) ?? plain(call.id).slice(0, LONGEST),
  };
}

function plain(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, "_") || "call";
}
