import { z } from "zod";
import type { LimitOverrides, LimitsRequest } from "./accounts.ts";
import type { Principal } from "./principal.ts";
import type { LimitVerdict } from "./store.ts";

/** How often a guest and an account may do something within the window. */
const allowance = z.strictObject({ guest: z.number().int().min(0), account: z.number().int().min(0) });

/** The limits that `TACKLE_LIMITS` sets, with their defaults. */
export const requestLimits = z.strictObject({
  windowMinutes: z.number().positive().default(300),
  chat: allowance.default({ guest: 20, account: 100 }),
  generate_artifact: allowance.default({ guest: 5, account: 50 }),
  generate_image: allowance.default({ guest: 2, account: 25 }),
  search: allowance.default({ guest: 20, account: 100 }),
  web_fetch: allowance.default({ guest: 20, account: 200 }),
  /** Dollars that a user's runs may cost within the window; without it, nothing is counted. */
  costUsd: z.strictObject({ guest: z.number().min(0), account: z.number().min(0) }).optional(),
  /** The global throttle; where nothing is said, 600 a minute, and none for the one local owner. */
  api: z.strictObject({ perMinute: z.number().int().positive() }).optional(),
});

export type RequestLimits = z.output<typeof requestLimits>;

/** The settings that limits depend on. */
export interface LimitSettings {
  requestLimits: RequestLimits;
  auth: "none" | "guest" | "required";
}

/** Where a request came from, for limits that count guests by address. */
export interface Client {
  /** The IPv4 address, or the /64 network of an IPv6 address. */
  address: string;
  /** True for a guest who came without a token: nothing but the address tells that it is the same one again. */
  newGuest: boolean;
}

export interface ChatLimits {
  /** Counts one chat request. Undefined: no limit applies. Throwing means no. */
  takeChat(principal: Principal, client: Client): Promise<LimitVerdict | undefined>;
  /** Gives it back when no run came of it. */
  refundChat(principal: Principal, client: Client): Promise<void>;
  /** What is left, without counting anything. */
  peekChat?(principal: Principal): Promise<LimitVerdict | undefined>;
}

/** Limits how many requests the server takes, all callers together. */
export interface Throttle {
  /** Counts one request, or says in how many seconds one will fit. */
  take(): { allowed: boolean; retryAfter: number };
}

/** What people and their API keys may spend. */
export interface Budgets {
  /** Whether anything limits what this principal spends. */
  limited(principal: Principal): Promise<boolean>;
  /** Dollars that a person may spend within the window of the limits; undefined where nothing limits that. */
  ofPerson(principal: Pick<Principal, "id" | "kind">): Promise<number | undefined>;
  /** The budget that is used up, where one is. */
  usedUp(principal: Principal): Promise<UsedUp | undefined>;
}

export interface UsedUp {
  sentence: string;
  /** Seconds after which something may be left again; missing where that takes a larger budget. */
  retryAfter?: number;
}

/** The limits that an administrator set for single people: they stand above the table. */
export interface PersonalLimits {
  of(userId: string): Promise<LimitOverrides>;
  /** Changes those that are named; null gives somebody the table's again. */
  change(userId: string, limits: LimitsRequest["limits"]): Promise<LimitOverrides>;
}
