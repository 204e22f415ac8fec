import { Failure } from "../protocol/failure.ts";
import type { ChatLimits, Client, LimitSettings, PersonalLimits } from "../protocol/limits.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";

/**
 * Creates the limits of chat requests. Guests are counted by their token. New guests are also counted by IP address, so
 * that dropping the token does not reset the limit.
 */
export function createChatLimits(
  store: Store,
  { requestLimits, auth }: LimitSettings,
  personal: PersonalLimits,
): ChatLimits {
  const windowMs = requestLimits.windowMinutes * 60_000;
  const limitOf = async (id: string, kind: "guest" | "account") =>
    (await personal.applying({ id, kind })).chat ?? requestLimits.chat[kind];
  return {
    async takeChat(principal, client) {
      if (auth === "none" || principal.kind === "owner") return undefined;
      if (client.newGuest) {
        const guest = (await personal.ofRole("guest")).chat ?? requestLimits.chat.guest;
        const byAddress = await store.takeLimit(addressSubject(client), "chat", guest, windowMs);
        if (!byAddress.allowed) return byAddress;
      }
      return store.takeLimit(principal.id, "chat", await limitOf(principal.id, principal.kind), windowMs);
    },
    async refundChat(principal, client) {
      if (auth === "none" || principal.kind === "owner") return;
      if (client.newGuest) await store.refundLimit(addressSubject(client), "chat");
      await store.refundLimit(principal.id, "chat");
    },
    async peekChat(principal) {
      if (auth === "none" || principal.kind === "owner") return undefined;
      return store.peekLimit(principal.id, "chat", await limitOf(principal.id, principal.kind), windowMs);
    },
  };
}

/** Uploads per window. A quota alone would not stop guests, who can get a new token each time. */
const UPLOADS = { guest: 50, account: 500 };

/** Returns a function that counts an upload, by IP address for guests, and throws RATE_LIMITED over the limit. */
export function createUploadLimit(
  store: Store,
  { requestLimits, auth }: LimitSettings,
): (principal: Principal, client: Client) => Promise<void> {
  return async (principal, client) => {
    if (auth === "none" || principal.kind === "owner") return;
    const subject = principal.kind === "guest" ? addressSubject(client) : principal.id;
    const windowMs = requestLimits.windowMinutes * 60_000;
    const verdict = await store.takeLimit(subject, "upload", UPLOADS[principal.kind], windowMs);
    if (verdict.allowed) return;
    const { limit, remaining, resetAt, retryAfter } = verdict;
    throw new Failure("RATE_LIMITED", `You have uploaded all ${limit} files that are allowed for now.`, {
      retryAfter,
      details: { limit, remaining, resetAt },
    });
  };
}

/** The name under which requests from an IP address are counted. */
export function addressSubject({ address }: { address: string }): string {
  return `address ${address}`;
}
