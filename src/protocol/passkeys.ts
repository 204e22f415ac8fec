import { z } from "zod";
import type { SignedIn, Visitor } from "./accounts.ts";

/** A passkey of a person, without its public key. */
export interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt?: string;
}

/** Passkeys (WebAuthn). `site` is the origin that people use; a passkey belongs to its host name. Methods throw `Failure`. */
export interface Passkeys {
  /** True if anybody has one. */
  exist(): Promise<boolean>;
  list(userId: string): Promise<Passkey[]>;
  /** Returns what a browser needs in order to create one. */
  creationOptions(userId: string, site: string): Promise<object>;
  add(userId: string, request: NewPasskeyRequest, site: string): Promise<Passkey>;
  rename(userId: string, id: string, name: string): Promise<Passkey>;
  remove(userId: string, id: string): Promise<void>;
  /** Returns what a browser needs in order to sign in with one. */
  requestOptions(site: string): Promise<object>;
  signIn(assertion: PasskeyAssertion, site: string, from: Visitor): Promise<SignedIn>;
}

const encoded = z
  .string()
  .max(6_000)
  .regex(/^[A-Za-z0-9_-]*$/, "must be base64url");
const credential = z.object({
  id: encoded,
  rawId: encoded,
  type: z.literal("public-key"),
  clientExtensionResults: z.object({}).default({}),
});

const name = z.string().trim().min(1).max(60);

/** What a browser returns for a new passkey, and what the person calls it. */
export const newPasskeyRequest = z.strictObject({
  name,
  credential: credential.extend({
    response: z.object({
      clientDataJSON: encoded,
      attestationObject: encoded,
      transports: z.array(z.string().max(40)).max(10).optional(),
    }),
  }),
});
export type NewPasskeyRequest = z.output<typeof newPasskeyRequest>;

/** With the password if the caller did not just sign in. */
export const confirmation = z.strictObject({ password: z.string().max(128).optional() });

export const passkeyChange = z.strictObject({ name });

/** What a browser returns when somebody signs in with a passkey. */
export const passkeyAssertion = credential.extend({
  response: z.object({
    clientDataJSON: encoded,
    authenticatorData: encoded,
    signature: encoded,
    userHandle: encoded.nullish().transform((handle) => handle ?? undefined),
  }),
});
export type PasskeyAssertion = z.output<typeof passkeyAssertion>;
