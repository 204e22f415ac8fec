import type { Config } from "./config.ts";
import type { ChatLimits } from "./http/dependencies.ts";
import type { Store } from "./protocol/store.ts";

/**
 * Limits of chat requests. A guest is counted by its own token, and a guest that is new also by its address: somebody
 * who throws the token away each time is still the same somebody.
 */
export function createChatLimits(store: Store, { requestLimits, auth }: Config): ChatLimits {
  const windowMs = requestLimits.windowMinutes * 60_000;
  return {
    async takeChat(principal, client) {
      if (auth === "none" || principal.kind === "owner") return undefined;
      const limit = requestLimits.chat[principal.kind];
      if (client.newGuest) {
        const byAddress = await store.takeLimit(addressSubject(client), "chat", limit, windowMs);
        if (!byAddress.allowed) return byAddress;
      }
      return store.takeLimit(principal.id, "chat", limit, windowMs);
    },
    async refundChat(principal, client) {
      if (auth === "none" || principal.kind === "owner") return;
      if (client.newGuest) await store.refundLimit(addressSubject(client), "chat");
      await store.refundLimit(principal.id, "chat");
    },
    async peekChat(principal) {
      if (auth === "none" || principal.kind === "owner") return undefined;
      return store.peekLimit(principal.id, "chat", requestLimits.chat[principal.kind], windowMs);
    },
  };
}

/** The name that somebody is counted by who is known by nothing else. */
export function addressSubject({ address }: { address: string }): string {
  return `address ${address}`;
}
