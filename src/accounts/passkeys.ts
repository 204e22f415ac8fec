import { createHash, createHmac, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Account, Visitor } from "../protocol/accounts.ts";
import { Failure } from "../protocol/failure.ts";
import { loadOptional } from "../protocol/optional-package.ts";
import type { Passkeys } from "../protocol/passkeys.ts";
import type { AccountsParts } from "./accounts.ts";
import { takeAttempt } from "./attempts.ts";
import { type PasskeyRow, toPasskey } from "./passkey-rows.ts";
import { isSameSecret } from "./same-secret.ts";

const CHALLENGE_MS = 10 * 60_000;
const MOST_PASSKEYS = 20;
const ATTEMPTS_PER_ADDRESS = 30;
const SIGN_IN = "sign-in";
const transportList = z.array(z.string());

/**
 * Creates sign-in with passkeys. Challenges are signed instead of stored, so that visitors cannot fill the database; each can be
 * used once.
 */
export function createPasskeys(
  { store, directory, suspensions, passkeyKey: key }: AccountsParts,
  adopt: (account: Account, from: Visitor) => Promise<void>,
): Passkeys {
  const seal = (text: string) => createHmac("sha256", key).update(text).digest("base64url");

  function newChallenge(purpose: string): string {
    const text = `${Date.now().toString(36)}-${randomBytes(18).toString("base64url")}`;
    return `${text}.${seal(`${purpose} ${text}`)}`;
  }

  /** Takes the challenge as the browser signed it, in base64url. */
  async function isOurs(challenge: string, purpose: string): Promise<boolean> {
    const [text = "", signature = ""] = Buffer.from(challenge, "base64url").toString().split(".");
    const age = Date.now() - Number.parseInt(text, 36);
    if (!(age >= 0 && age <= CHALLENGE_MS) || !isSameSecret(signature, seal(`${purpose} ${text}`)))
      return false;
    const used = createHash("sha256").update(challenge).digest("base64url");
    return (await store.takeLimit(`challenge ${used}`, "passkey", 1, CHALLENGE_MS)).allowed;
  }

  async function assertionIsValid(
    assertion: Parameters<Passkeys["signIn"]>[0],
    known: PasskeyRow,
    site: string,
  ): Promise<{ newCounter: number } | undefined> {
    const { verifyAuthenticationResponse } = await loadLibrary();
    const checked = await verifyAuthenticationResponse({
      response: assertion,
      expectedChallenge: (challenge) => isOurs(challenge, SIGN_IN),
      expectedOrigin: site,
      expectedRPID: new URL(site).hostname,
      requireUserVerification: true,
      credential: {
        id: known.credentialId,
        publicKey: new Uint8Array(Buffer.from(known.publicKey, "base64url")),
        counter: known.counter,
      },
    }).catch(() => undefined); // It throws for whatever is wrong with what was sent.
    return checked?.verified ? checked.authenticationInfo : undefined;
  }

  return {
    exist: async () => (await directory.countPasskeys()) > 0,
    list: async (userId) => (await directory.findPasskeys(userId)).map(toPasskey),

    async creationOptions(userId, site) {
      const account = await directory.get(userId);
      if (!account) throw new Failure("NOT_FOUND", "There is no such user.");
      const own = await directory.findPasskeys(userId);
      const { generateRegistrationOptions } = await loadLibrary();
      return generateRegistrationOptions({
        rpName: "Tackle",
        rpID: new URL(site).hostname,
        userID: new Uint8Array(Buffer.from(userId)),
        userName: account.email,
        userDisplayName: account.name || account.email,
        challenge: newChallenge(`add ${userId}`),
        timeout: CHALLENGE_MS,
        attestationType: "none",
        excludeCredentials: own.map((row) => ({
          id: row.credentialId,
          transports: transportList.parse(JSON.parse(row.transports)),
        })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      });
    },
    async add(userId, { name, credential }, site) {
      if ((await directory.findPasskeys(userId)).length >= MOST_PASSKEYS)
        throw new Failure("CONFLICT", `You have ${MOST_PASSKEYS} passkeys. Remove one first.`);
      const { verifyRegistrationResponse } = await loadLibrary();
      const checked = await verifyRegistrationResponse({
        response: credential,
        expectedChallenge: (challenge) => isOurs(challenge, `add ${userId}`),
        expectedOrigin: site,
        expectedRPID: new URL(site).hostname,
        requireUserVerification: true,
      }).catch((cause: unknown) => {
        throw new Failure("INVALID_INPUT", "This passkey could not be checked. Try again.", { cause });
      });
      if (!checked.verified) throw new Failure("INVALID_INPUT", "This passkey is not valid. Try again.");
      const { id, publicKey, counter } = checked.registrationInfo.credential;
      if (await directory.passkeyBy(id)) throw new Failure("CONFLICT", "This passkey is in use already.");
      const added = await directory.addPasskey({
        userId,
        credentialId: id,
        publicKey: Buffer.from(publicKey).toString("base64url"),
        counter,
        transports: JSON.stringify(credential.response.transports ?? []),
        name,
        createdAt: new Date(),
      });
      return toPasskey(added);
    },
    async rename(userId, id, name) {
      const changed = await directory.changePasskey(userId, id, { name });
      if (!changed) throw noSuchPasskey();
      return toPasskey(changed);
    },
    async remove(userId, id) {
      if ((await directory.removePasskeys(userId, id)) === 0) throw noSuchPasskey();
    },

    async requestOptions(site) {
      const { generateAuthenticationOptions } = await loadLibrary();
      return generateAuthenticationOptions({
        rpID: new URL(site).hostname,
        challenge: newChallenge(SIGN_IN),
        timeout: CHALLENGE_MS,
        userVerification: "required",
      });
    },
    async signIn(assertion, site, from) {
      const subject = `address ${from.address}`;
      await takeAttempt(store, subject, "sign-in", ATTEMPTS_PER_ADDRESS);
      const known = await directory.passkeyBy(assertion.id);
      const valid = known && (await assertionIsValid(assertion, known, site));
      const account = valid ? await directory.get(known.userId) : undefined;
      if (!known || !valid || !account)
        throw new Failure("UNAUTHORIZED", "This passkey is not valid here. Sign in another way.");
      await store.refundLimit(subject, "sign-in");
      if (await suspensions.has(account.id)) throw suspensions.refusal();
      const used = { counter: valid.newCounter, lastUsedAt: new Date() };
      await directory.changePasskey(account.id, known.id, used);
      const signedIn = await directory.openSession(account, from.agent);
      await adopt(account, from);
      return signedIn;
    },
  };
}

/** Loaded with the first passkey, so that a server starts faster. */
function loadLibrary() {
  return loadOptional("Signing in with passkeys", import("@simplewebauthn/server"));
}

function noSuchPasskey(): Failure {
  return new Failure("NOT_FOUND", "There is no such passkey.");
}
