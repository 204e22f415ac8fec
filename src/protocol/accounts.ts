import { z } from "zod";
import type { Json } from "./json.ts";
import type { KeyBudget, Principal } from "./principal.ts";

/** Holds the token of somebody who signed in. */
export const SESSION_COOKIE = "tackle_session";
/** How every API key of ours begins. */
export const API_KEY_PREFIX = "tk_";

export type Role = "admin" | "user";

export interface Account {
  id: string;
  email: string;
  name: string;
  role: Role;
  createdAt: string;
}

export interface ListedAccount extends Account {
  suspended: boolean;
}

/** Somebody who has just shown a password; the token is what later requests come with. */
export interface SignedIn {
  account: Account;
  token: string;
  /** Seconds that the token holds without being used. */
  maxAge: number;
}

/** An API key as its user sees it again: the key itself is shown once, when it is made. */
export interface ApiKey {
  id: string;
  name: string;
  lastFour: string;
  createdAt: string;
  expiresAt?: string;
  lastUsedAt?: string;
  /** What may be spent through it; missing where only its owner's limits hold. */
  budget?: KeyBudget;
}

/** A key with what was spent through it, within the days of its budget or ever. */
export interface ListedKey extends ApiKey {
  spentUsd: number;
}

/** Limits that an administrator set for one person, in the place of the table's: uses and dollars within the window. */
export type LimitOverrides = {
  [name in "chat" | "generate_artifact" | "generate_image" | "search" | "web_fetch" | "costUsd"]?: number;
};

/** The accounts as the door sees them. Methods throw `Failure`. */
export interface Accounts {
  /** Where a guest is given, the account takes over what was the guest's. */
  signUp(request: SignUpRequest, from: Visitor): Promise<SignedIn>;
  signIn(request: SignInRequest, from: Visitor): Promise<SignedIn>;
  signOut(token: string): Promise<void>;
  get(id: string): Promise<Account | undefined>;
  /** Signs the caller out everywhere and in again, with the new password; API keys stay. */
  changePassword(principal: Principal, request: PasswordRequest, from: Visitor): Promise<SignedIn>;
  /** Deletes the caller's own account with everything in it, once the password is shown again. */
  leave(principal: Principal, password: string, from: Visitor): Promise<void>;

  createKey(userId: string, request: NewKeyRequest): Promise<ApiKey & { key: string }>;
  listKeys(userId: string): Promise<ListedKey[]>;
  /** Renames it, or gives it another budget; null takes the budget away. What was spent stays counted. */
  changeKey(userId: string, keyId: string, request: KeyRequest): Promise<ListedKey>;
  revokeKey(userId: string, keyId: string): Promise<void>;

  // For administrators
  /** Those whose e-mail address or name holds `query`, the oldest first. */
  list(page: {
    limit: number;
    offset: number;
    query?: string;
  }): Promise<{ users: ListedAccount[]; total: number }>;
  create(request: NewAccountRequest): Promise<Account>;
  setRole(by: Principal, id: string, role: Role): Promise<void>;
  /** For somebody who forgot theirs: signs them out everywhere. */
  setPassword(id: string, password: string): Promise<void>;
  /** Shuts somebody out at once, or lets them in again; any principal but the local owner has an id that can be named. */
  suspend(by: Principal, id: string, suspended: boolean): Promise<void>;
  remove(by: Principal, id: string): Promise<void>;
}

/** Where a request to sign in or up came from. */
export interface Visitor {
  address: string;
  /** The guest that it was until now. */
  guest?: Principal;
}

/** A user's own settings. Keys of vendors go in and never come out again, but for their last four characters. */
export interface PersonalSettings {
  /** Who takes a key of a user's own. */
  readonly vendors: readonly { id: string; label: string }[];
  read(userId: string): Promise<SettingsListing>;
  /** Changes what is named; null removes. */
  change(userId: string, request: SettingsRequest): Promise<SettingsListing>;
}

export interface SettingsListing {
  settings: Record<string, Json>;
  keys: Record<string, { lastFour: string }>;
}

const email = z
  .string()
  .trim()
  .max(254)
  .pipe(z.email("must be an e-mail address"))
  .transform((text) => text.toLowerCase());
const password = z.string().min(8, "at least 8 characters").max(128, "at most 128 characters");
const name = z.string().trim().max(100);

export const signUpRequest = z.strictObject({ email, password, name: name.default("") });
export type SignUpRequest = z.output<typeof signUpRequest>;

/** What is too short to be anybody's password is simply wrong, not malformed. */
export const signInRequest = z.strictObject({ email, password: z.string().max(128) });
export type SignInRequest = z.output<typeof signInRequest>;

export const newAccountRequest = signUpRequest.extend({ role: z.enum(["admin", "user"]).default("user") });
export type NewAccountRequest = z.output<typeof newAccountRequest>;

export const passwordRequest = z.strictObject({ password: z.string().max(128), newPassword: password });
export type PasswordRequest = z.output<typeof passwordRequest>;

export const newPasswordRequest = z.strictObject({ password });
export const leaveRequest = z.strictObject({ password: z.string().max(128) });
export const suspendRequest = z.strictObject({ suspended: z.boolean() });
export const roleRequest = z.strictObject({ role: z.enum(["admin", "user"]) });

const budget = z.strictObject({
  usd: z.number().min(0).max(1_000_000),
  days: z.number().int().min(1).max(366).optional(),
});

export const newKeyRequest = z.strictObject({
  name: name.default(""),
  expiresInDays: z.number().int().min(1).max(3_650).optional(),
  budget: budget.optional(),
});
export type NewKeyRequest = z.output<typeof newKeyRequest>;

export const keyRequest = z.strictObject({
  name: name.min(1).optional(),
  budget: budget.nullable().optional(),
});
export type KeyRequest = z.output<typeof keyRequest>;

const uses = z.number().int().min(0).max(1e9).nullable().optional();
export const limitsRequest = z.strictObject({
  limits: z.strictObject({
    chat: uses,
    generate_artifact: uses,
    generate_image: uses,
    search: uses,
    web_fetch: uses,
    costUsd: z.number().min(0).max(1e9).nullable().optional(),
  }),
});
export type LimitsRequest = z.output<typeof limitsRequest>;

const settingName = z.string().regex(/^[A-Za-z][\w.-]{0,63}$/, "must be a short name");
const MAX_SETTING_CHARACTERS = 10_000;
/** What was parsed from JSON is JSON; only its size is open. */
const settingValue = z.custom<Json>(
  (value) => lengthOf(value) <= MAX_SETTING_CHARACTERS,
  `must be JSON of at most ${MAX_SETTING_CHARACTERS} characters`,
);
/** Visible characters only: it will be the value of a header. */
const vendorKey = z.string().regex(/^[\x21-\x7e]{8,500}$/, "must be a key of 8 to 500 visible characters");

export const settingsRequest = z.strictObject({
  settings: z.record(settingName, settingValue).default({}),
  keys: z.record(settingName, vendorKey.nullable()).default({}),
});
export type SettingsRequest = z.output<typeof settingsRequest>;

function lengthOf(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY; // Nested too deeply to be written down.
  }
}
