import { z } from "zod";
import {
  forgottenRequest,
  meRequest,
  providerRequest,
  resetRequest,
  signInRequest,
  signUpRequest,
} from "../../protocol/accounts.ts";
import { confirmation, newPasskeyRequest, passkeyAssertion, passkeyChange } from "../../protocol/passkeys.ts";

const time = z.iso.datetime();
const anything = z.record(z.string(), z.unknown());
const passkey = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: time,
  lastUsedAt: time.optional(),
});

/** What people send and get when they sign in. */
export const SIGN_IN_SCHEMAS = {
  SignUp: signUpRequest,
  SignIn: signInRequest,
  SignInOptions: z.object({
    signUp: z.boolean(),
    firstAccount: z
      .boolean()
      .meta({ description: "There is no account yet; the first needs the set-up token." }),
    passwordReset: z.boolean(),
    passkeys: z.boolean().meta({ description: "Whether visitors can sign in with a passkey." }),
    provider: z
      .object({ name: z.string(), signUp: z.boolean() })
      .optional()
      .meta({ description: "The OpenID provider to continue with, and whether it makes new accounts." }),
    guests: z
      .object({ questions: z.number(), minutes: z.number() })
      .optional()
      .meta({ description: "What guests may ask, and within which time. Missing if there are none." }),
    suspended: z
      .literal(true)
      .optional()
      .meta({ description: "The caller is signed in, with an account that was suspended." }),
  }),
  WebAuthnOptions: anything.meta({ description: "Options of the Web Authentication API, as JSON." }),
  Confirmation: confirmation,
  NewPasskey: newPasskeyRequest,
  PasskeyChange: passkeyChange,
  PasskeyAssertion: passkeyAssertion,
  Passkey: passkey,
  Passkeys: z.object({ passkeys: z.array(passkey) }),
  ProviderRequest: providerRequest,
  ProviderAddress: z.object({ url: z.url() }),
  Forgotten: forgottenRequest,
  Reset: resetRequest,
  MeChange: meRequest,
};
