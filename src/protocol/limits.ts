import { z } from "zod";
import type { LimitOverrides, LimitsRequest } from "./accounts.ts";
import type { Principal } from "./principal.ts";
import type { LimitVerdict } from "./store.ts";

const positive = z.number().int().min(1);

/** How often a guest and an account may do something within the window. */
const allowance = z.strictObject({ guest: z.number().int().min(0), account: z.number().int().min(0) });

/** A number for guests, and one for accounts and the owner. */
export type Allowance = z.output<typeof allowance>;

/** How far one request may go: steps, and tool calls. */
export const requestExtent = z.object({
  maxIterations: positive.optional(),
  maxToolCalls: z.number().int().min(0).optional(),
});

export type RequestExtent = Required<z.output<typeof requestExtent>>;

/** The limits that `TACKLE_LIMITS` sets, with their defaults. */
export const requestLimits = z.strictObject({
  windowMinutes: z.number().positive().default(300),
  chat: allowance.default({ guest: 20, account: 100 }),
  generate_artifact: allowance.default({ guest: 5, account: 50 }),
  generate_image: allowance.default({ guest: 2, account: 25 }),
  search: allowance.default({ guest: 20, account: 100 }),
  web_fetch: allowance.default({ guest: 20, account: 200 }),
  /** All guests at one IP address together get as much as this many. A stranger can become a new guest at any time. */
  guestsPerAddress: positive.default(25),
  /** What guests at one IP address may send within the window, besides uploads, in megabytes. */
  guestMegabytes: positive.default(500),
  /** Steps and tool calls of one request, by role. The defaults are larger in the terminal. */
  iterations: allowance.extend({ guest: positive, account: positive }).optional(),
  toolCalls: allowance.optional(),
  /** Dollars that a user's runs may cost within the window. Unlimited by default. */
  costUsd: z.strictObject({ guest: z.number().min(0), account: z.number().min(0) }).optional(),
  /** The global throttle: 600 per minute by default, and none for the local owner. */
  api: z.strictObject({ perMinute: z.number().int().positive() }).optional(),
});

export type RequestLimits = z.output<typeof requestLimits>;

/** The settings that limits depend on. */
export interface LimitSettings {
  requestLimits: RequestLimits;
  auth: "none" | "guest" | "required";
  /** The rows that the operator has set. Administrators cannot change them. */
  fixedLimits?: readonly string[];
}

/** Where a request came from, for limits that count guests by address. */
export interface Client {
  /** The IPv4 address, or the /64 network of an IPv6 address. */
  address: string;
  /** `new`: without a token, recognized only by address. Accounts are not guests. */
  guest?: "known" | "new" | undefined;
}

export interface ChatLimits {
  /** Counts one chat request. Undefined if no limit applies. If it throws, the request is refused. */
  takeChat(principal: Principal, client: Client): Promise<LimitVerdict | undefined>;
  /** Gives the request back if no run was started. */
  refundChat(principal: Principal, client: Client): Promise<void>;
  /** What is left, without counting anything. */
  peekChat?(principal: Principal): Promise<LimitVerdict | undefined>;
}

/** Limits how many requests the server takes, all callers together. */
export interface Throttle {
  /** Counts one request, or says in how many seconds the next one is allowed. */
  take(): { allowed: boolean; retryAfter: number };
}

/** What people and their API keys may spend. */
export interface Budgets {
  /** Whether anything limits what this principal spends. */
  limited(principal: Principal): Promise<boolean>;
  /** Dollars that a person may spend within the window of the limits. Undefined if unlimited. */
  ofPerson(principal: Pick<Principal, "id" | "kind">): Promise<number | undefined>;
  /** The budget that is used up, if one is. */
  usedUp(principal: Principal): Promise<UsedUp | undefined>;
}

export interface UsedUp {
  sentence: string;
  /** Seconds after which some budget may be free again. Missing if only a larger budget helps. */
  retryAfter?: number;
}

/** Whose limits administrators can set together. */
export const LIMITED_ROLES = ["guest", "account"] as const;
export type LimitedRole = (typeof LIMITED_ROLES)[number];

/** Limits that an administrator set for roles and individual people. They override the defaults. */
export interface PersonalLimits {
  of(userId: string): Promise<LimitOverrides>;
  /** The same for several people at once. Who has none is missing. */
  ofEach(userIds: readonly string[]): Promise<Map<string, LimitOverrides>>;
  /** What applies to somebody instead of the defaults: their role's limits, overridden by their own. */
  applying(who: Pick<Principal, "id" | "kind">): Promise<LimitOverrides>;
  /** What administrators have set for a role, without what the operator fixes. */
  ofRole(role: LimitedRole): Promise<LimitOverrides>;
  /** Throws CONFLICT for a limit that the operator fixes. */
  changeRole(role: LimitedRole, limits: LimitsRequest["limits"]): Promise<LimitOverrides>;
  /** Changes the given limits; null restores a default. */
  change(userId: string, limits: LimitsRequest["limits"]): Promise<LimitOverrides>;
}
