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
import type { Store } from "../protocol/store.ts";

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

export interface BudgetParts {
  store: Pick<Store, "spentWithin" | "spentByKey">;
  config: LimitSettings;
  personal: PersonalLimits;
}

const DAY_MS = 86_400_000;
/** Costs leave the window one by one, so nobody is told to wait longer than this. */
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
