import { Failure } from "../protocol/failure.ts";
import type {
  Budgets,
  ChatLimits,
  Client,
  LimitSettings,
  PersonalLimits,
  Throttle,
  UsedUp,
} from "../protocol/limits.ts";
import type { Principal } from "../protocol/principal.ts";
import type { LimitVerdict, Store } from "../protocol/store.ts";

// What may be used up: requests of all callers together, chat requests and uploads of each, and money.

export interface ThrottleOptions {
  perMinute?: number;
  now?: () => number;
}

/** A throttle that other processes share. */
export interface CountedThrottle extends Throttle {
  /** Counts requests that others have let through. */
  count(requests: number): void;
}

const MINUTE_MS = 60_000;

/** Creates a sliding-window limit over all callers: at most `perMinute` requests in any minute. */
export function createThrottle({ perMinute = 600, now = Date.now }: ThrottleOptions = {}): CountedThrottle {
  const taken: number[] = [];
  return {
    count(requests) {
      const time = now();
      for (let at = 0; at < Math.min(requests, perMinute); at++) taken.push(time);
    },
    take() {
      const time = now();
      while (taken[0] !== undefined && taken[0] <= time - MINUTE_MS) taken.shift();
      if (taken.length < perMinute) {
        taken.push(time);
        return { allowed: true, retryAfter: 0 };
      }
      const freedAt = (taken[0] ?? time) + MINUTE_MS;
      return { allowed: false, retryAfter: Math.max(1, Math.ceil((freedAt - time) / 1000)) };
    },
  };
}

/**
 * Creates the limits of chat requests. Guests are counted by their token. New guests are also counted by IP address, so
 * that dropping the token does not reset the limit. Any request returns a token, so all guests at an address share a larger limit.
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
      if (client.guest) {
        const limit = (await personal.ofRole("guest")).chat ?? requestLimits.chat.guest;
        const refused = await takeAsGuest(store, client, "chat", { ...requestLimits, limit, windowMs });
        if (refused) return refused;
      }
      const limit = await limitOf(principal.id, principal.kind);
      const verdict = await store.takeLimit(principal.id, "chat", limit, windowMs);
      if (!verdict.allowed) await refundAsGuest(store, client, "chat");
      return verdict;
    },
    async refundChat(principal, client) {
      if (auth === "none" || principal.kind === "owner") return;
      await refundAsGuest(store, client, "chat");
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

interface AddressLimit {
  /** What one guest may do within the window. */
  limit: number;
  guestsPerAddress: number;
  windowMs: number;
}

/** Counts a guest's request by IP address. Returns the verdict only if it refuses; then nothing is counted. */
export async function takeAsGuest(
  store: Pick<Store, "takeLimit" | "refundLimit">,
  client: Client,
  what: string,
  { limit, guestsPerAddress, windowMs }: AddressLimit,
): Promise<LimitVerdict | undefined> {
  if (client.guest === undefined) return undefined;
  const all = await store.takeLimit(guestsSubject(client), what, limit * guestsPerAddress, windowMs);
  if (!all.allowed) return all;
  if (client.guest === "known") return undefined;
  const strangers = await store.takeLimit(addressSubject(client), what, limit, windowMs);
  if (strangers.allowed) return undefined;
  await store.refundLimit(guestsSubject(client), what);
  return strangers;
}

/** Gives back what `takeAsGuest` has counted. */
export async function refundAsGuest(
  store: Pick<Store, "refundLimit">,
  client: Client,
  what: string,
): Promise<void> {
  if (client.guest !== undefined) await store.refundLimit(guestsSubject(client), what);
  if (client.guest === "new") await store.refundLimit(addressSubject(client), what);
}

/** The name under which requests from an IP address are counted. */
function addressSubject({ address }: Client): string {
  return `address ${address}`;
}

/** The name under which all guests at an IP address are counted together. */
function guestsSubject({ address }: Client): string {
  return `guests at ${address}`;
}

export interface BudgetParts {
  store: Pick<Store, "spentWithin" | "spentByKey">;
  config: LimitSettings;
  personal: PersonalLimits;
}

const DAY_MS = 86_400_000;
/** Costs leave the window one by one, so people are told to wait at most this long. */
const LONGEST_WAIT_SECONDS = 3_600;

/** Creates the budgets: of a person per window, and of an API key per its days or in total. */
export function createBudgets({ store, config, personal }: BudgetParts): Budgets {
  const windowMs = config.requestLimits.windowMinutes * 60_000;

  async function ofPerson({ id, kind }: Pick<Principal, "id" | "kind">): Promise<number | undefined> {
    if (config.auth === "none" || kind === "owner") return undefined;
    return (await personal.applying({ id, kind })).costUsd ?? config.requestLimits.costUsd?.[kind];
  }

  async function personUsedUp(principal: Principal): Promise<UsedUp | undefined> {
    const usd = await ofPerson(principal);
    if (usd === undefined || (await store.spentWithin(principal.id, windowMs)) < usd) return undefined;
    return usedUp(`the limit of what one person in ${windowMs / 3_600_000} hours may cost`, usd, windowMs);
  }

  async function keyUsedUp({ key }: Principal): Promise<UsedUp | undefined> {
    if (!key?.budget) return undefined;
    const { usd, days } = key.budget;
    const within = days === undefined ? undefined : days * DAY_MS;
    if ((await store.spentByKey(key.id, within)) < usd) return undefined;
    const span = days === undefined ? "" : days === 1 ? " a day" : ` in ${days} days`;
    return usedUp(`the budget of this API key${span}`, usd, within);
  }

  return {
    ofPerson,
    limited: async (principal) =>
      principal.key?.budget !== undefined || (await ofPerson(principal)) !== undefined,
    usedUp: async (principal) => (await keyUsedUp(principal)) ?? personUsedUp(principal),
  };
}

function usedUp(what: string, usd: number, windowMs: number | undefined): UsedUp {
  const spent = `${what} is used up ($${usd}).`;
  if (windowMs === undefined) return { sentence: `${spent} Its owner can raise it.` };
  const retryAfter = Math.min(Math.ceil(windowMs / 1000), LONGEST_WAIT_SECONDS);
  return { sentence: `${spent} Something is left again as earlier costs leave that time.`, retryAfter };
}
