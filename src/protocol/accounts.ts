import { z } from "zod";
import type { KeyCheck, VendorListing } from "./catalogue.ts";
import type { Json } from "./json.ts";
import { oneLine } from "./one-line.ts";
import type { Passkeys } from "./passkeys.ts";
import type { KeyBudget, Principal } from "./principal.ts";

/** The cookie with the token of a signed-in user. */
export const SESSION_COOKIE = "tackle_session";
/** The prefix of our API keys. */
export const API_KEY_PREFIX = "tk_";

export type Role = "admin" | "user";

/**
 * What an API key may be used for: conversations, direct calls of tools, files, or changes of keys and settings. With `admin`,
 * the key of an administrator may also administer the server.
 */
export const keyScope = z.enum(["chat", "tools", "files", "admin"]);
export type KeyScope = z.output<typeof keyScope>;

/** The scopes of a key for which none were chosen. */
export const DEFAULT_SCOPES: readonly KeyScope[] = ["chat", "tools", "files"];

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

/** Where an account is signed in. */
export interface Device {
  id: string;
  /** What the browser or program called itself; empty if unknown. */
  userAgent: string;
  /** True for the one that asks. */
  current: boolean;
  createdAt: string;
  /** To the day. */
  lastUsedAt: string;
}

/** What visitors can do besides signing in. */
export interface SignInOptions {
  /** Whether a visitor can create an account. */
  signUp: boolean;
  /** There is no account yet: the first one needs the set-up token. */
  firstAccount: boolean;
  /** Whether a forgotten password can be reset by mail. */
  passwordReset: boolean;
  /** The provider by which people can sign in, and whether new people can. */
  provider?: { name: string; signUp: boolean };
}

/** Why nobody was signed in by the provider. */
export const PROVIDER_PROBLEMS = [
  "down",
  "failed",
  "denied",
  "expired",
  "unverified",
  "closed",
  "setup",
  "suspended",
  "throttled",
] as const;
export type ProviderProblem = (typeof PROVIDER_PROBLEMS)[number];

/** Signs people in by an outside provider (OpenID Connect). Failures name their `ProviderProblem` in `details.problem`. */
export interface ProviderSignIn {
  /** What its button says: "Continue with …". */
  readonly name: string;
  /** Whether it makes accounts for people who have none. */
  readonly signUp: boolean;
  /** Returns where to send the person, and the ticket that their browser must bring back. */
  begin(
    request: ProviderRequest,
    redirectUri: string,
    from: Visitor,
  ): Promise<{ url: string; ticket: string }>;
  finish(answer: ProviderAnswer, redirectUri: string, from: Visitor): Promise<SignedIn & { isNew: boolean }>;
}

/** What the provider sent the browser back with, and the ticket that the browser has kept. */
export interface ProviderAnswer {
  ticket: string | undefined;
  state: string | undefined;
  code: string | undefined;
  iss: string | undefined;
  error: string | undefined;
}

/** A user who has just signed in. Later requests send the token. */
export interface SignedIn {
  account: Account;
  token: string;
  /** Seconds until an unused token expires. */
  maxAge: number;
}

/** An API key without the key itself, which is shown once, when it is created. */
export interface ApiKey {
  id: string;
  name: string;
  lastFour: string;
  createdAt: string;
  expiresAt?: string;
  lastUsedAt?: string;
  scopes: readonly KeyScope[];
  /** What may be spent with it; missing if only its owner's limits apply. */
  budget?: KeyBudget;
}

/** A key with what was spent with it, within the days of its budget or ever. */
export interface ListedKey extends ApiKey {
  spentUsd: number;
}

/** Limits that an administrator set for one user instead of the default ones: uses and dollars within the window. */
export const limitOverrides = z.partialRecord(
  z.enum(["chat", "generate_artifact", "generate_image", "search", "web_fetch", "costUsd"]),
  z.number(),
);
export type LimitOverrides = z.infer<typeof limitOverrides>;

/** Accounts, with the rules about them. Methods throw `Failure`. */
export interface Accounts {
  /** Returns the token that the first account needs, or undefined if nobody can create a first account. */
  setUpToken(): Promise<string | undefined>;
  /** If a guest is given, its data moves to the account. */
  signUp(request: SignUpRequest, from: Visitor): Promise<SignedIn>;
  signIn(request: SignInRequest, from: Visitor): Promise<SignedIn>;
  signOut(token: string): Promise<void>;
  signInOptions(): Promise<SignInOptions>;
  /** Missing if the operator has set up no provider. */
  readonly provider?: ProviderSignIn;
  readonly passkeys: Passkeys;
  /** True if the account has a password. Those whom a provider signs in need none. */
  hasPassword(id: string): Promise<boolean>;
  /** Mails a link to this address. The answer does not reveal whether there is such an account. */
  requestReset(email: string, from: Visitor): Promise<void>;
  /** Sets the password with the token of such a link, which ends all other sessions, and signs in. */
  resetPassword(request: ResetRequest, from: Visitor): Promise<SignedIn>;
  rename(userId: string, name: string): Promise<void>;
  listDevices(userId: string, token: string | undefined): Promise<Device[]>;
  endDevice(userId: string, id: string): Promise<void>;
  get(id: string): Promise<Account | undefined>;
  /** Signs the caller out everywhere, and in again with the new password. API keys stay valid. */
  changePassword(principal: Principal, request: PasswordRequest, from: Visitor): Promise<SignedIn>;
  /**
   * Checks that the caller is who they were when they signed in: the session of the token has just begun, or the password is given.
   * Throws FORBIDDEN, with `confirm: "password"` in its details if that would do.
   */
  confirm(
    principal: Principal,
    proof: { password: string | undefined; token: string | undefined },
    from: Visitor,
  ): Promise<void>;
  /**
   * Deletes the caller's account with everything in it, after checking the password again. Without a password, the session of
   * the token must have just begun.
   */
  leave(
    principal: Principal,
    proof: { password: string | undefined; token: string | undefined },
    from: Visitor,
  ): Promise<void>;

  createKey(userId: string, request: NewKeyRequest): Promise<ApiKey & { key: string }>;
  listKeys(userId: string): Promise<ListedKey[]>;
  /** Renames the key or changes its budget; null removes the budget. What was spent stays counted. */
  changeKey(userId: string, keyId: string, request: KeyRequest): Promise<ListedKey>;
  revokeKey(userId: string, keyId: string): Promise<void>;

  // For administrators
  /** Returns accounts whose email address or name contains `query`, oldest first. */
  list(page: {
    limit: number;
    offset: number;
    query?: string;
  }): Promise<{ users: ListedAccount[]; total: number }>;
  create(request: NewAccountRequest): Promise<Account>;
  setRole(by: Principal, id: string, role: Role): Promise<void>;
  /** Sets a new password and signs the user out everywhere. */
  setPassword(id: string, password: string): Promise<void>;
  /** Suspends a user at once, or lifts the suspension. Guests and outside users have ids too. */
  suspend(by: Principal, id: string, suspended: boolean): Promise<void>;
  /** Completes deletions that a crash cut short. */
  finishRemovals(): Promise<void>;
  remove(by: Principal, id: string): Promise<void>;
}

/** Where a request to sign in or sign up came from. */
export interface Visitor {
  address: string;
  /** The guest who sent it. */
  guest?: Principal;
  /** What its program calls itself. */
  agent?: string;
}

/** A user's personal settings. Vendors' keys can be written but not read, except for their last four characters. */
export interface PersonalSettings {
  /** Vendors that accept a user's own key. */
  readonly vendors: readonly { id: string; label: string }[];
  /** The vendors, with what this user has of them, without models that are not offered to them. */
  listVendors(principal: Principal): Promise<VendorListing[]>;
  /** Tries a key before it is stored, or without one what is used now. */
  checkKey(userId: string, vendor: string, key: string | undefined): Promise<KeyCheck>;
  read(userId: string): Promise<SettingsListing>;
  /** Changes the given settings; null removes one. */
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
  .pipe(z.email("must be an email address"))
  .transform((text) => text.toLowerCase());
const password = z.string().min(8, "at least 8 characters").max(128, "at most 128 characters");
const name = z.string().overwrite(oneLine).max(100);

const newAccount = z.strictObject({ email, password, name: name.default("") });

/** The first account hands over the set-up token that the server printed at its start. */
export const signUpRequest = newAccount.extend({ setupToken: z.string().max(200).optional() });
export type SignUpRequest = z.output<typeof signUpRequest>;

/** A password that is too short is wrong, not malformed. */
export const signInRequest = z.strictObject({ email, password: z.string().max(128) });
export type SignInRequest = z.output<typeof signInRequest>;

export const newAccountRequest = newAccount.extend({ role: z.enum(["admin", "user"]).default("user") });
export type NewAccountRequest = z.output<typeof newAccountRequest>;

export const passwordRequest = z.strictObject({ password: z.string().max(128), newPassword: password });
export type PasswordRequest = z.output<typeof passwordRequest>;

/** `place`: the part of the address after `#`, where the person wanted to go. */
export const providerRequest = z.strictObject({
  setupToken: z.string().max(200).optional(),
  place: z
    .string()
    .max(500)
    .regex(/^#[\x21-\x7e]*$/)
    .optional(),
});
export type ProviderRequest = z.output<typeof providerRequest>;

export const forgottenRequest = z.strictObject({ email });
export const resetRequest = z.strictObject({ token: z.string().max(200), password });
export type ResetRequest = z.output<typeof resetRequest>;
export const meRequest = z.strictObject({ name });

export const newPasswordRequest = z.strictObject({ password });
export const leaveRequest = z.strictObject({ password: z.string().max(128).optional() });
export const suspendRequest = z.strictObject({ suspended: z.boolean() });
export const roleRequest = z.strictObject({ role: z.enum(["admin", "user"]) });

export const keyBudget = z.strictObject({
  usd: z.number().min(0).max(1_000_000),
  days: z.number().int().min(1).max(366).optional(),
});

export const newKeyRequest = z.strictObject({
  name: name.default(""),
  expiresInDays: z.number().int().min(1).max(3_650).optional(),
  budget: keyBudget.optional(),
  scopes: z.array(keyScope).min(1).max(4).optional(),
});
export type NewKeyRequest = z.output<typeof newKeyRequest>;

export const keyRequest = z.strictObject({
  name: name.min(1).optional(),
  budget: keyBudget.nullable().optional(),
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
/** It was parsed from JSON, so only its size is checked. */
const settingValue = z.custom<Json>(
  (value) => lengthOf(value) <= MAX_SETTING_CHARACTERS,
  `must be JSON of at most ${MAX_SETTING_CHARACTERS} characters`,
);
/** Visible characters only, because it becomes the value of a header. */
const vendorKey = z.string().regex(/^[\x21-\x7e]{8,500}$/, "must be a key of 8 to 500 visible characters");

export const settingsRequest = z.strictObject({
  settings: z.record(settingName, settingValue).default({}),
  keys: z.record(settingName, vendorKey.nullable()).default({}),
});
export const keyCheckRequest = z.strictObject({ key: vendorKey.optional() });
export type SettingsRequest = z.output<typeof settingsRequest>;

function lengthOf(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY; // Nested too deeply to be encoded.
  }
}
