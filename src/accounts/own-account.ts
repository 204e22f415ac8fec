import type { Account, Accounts, Visitor } from "../protocol/accounts.ts";
import { Failure } from "../protocol/failure.ts";
import type { AccountsParts } from "./accounts.ts";
import { ATTEMPTS_WINDOW_MS, takeAttempt } from "./attempts.ts";
import { claimAccount } from "./claim-account.ts";

const RESETS_PER_ADDRESS = 10;
const MAILS_PER_ACCOUNT = 3;

type OwnAccount = Pick<
  Accounts,
  "signInOptions" | "requestReset" | "resetPassword" | "rename" | "listDevices" | "endDevice"
>;

/** Creates what people do with their own accounts: name, devices, and a new password for a forgotten one. */
export function createOwnAccount(
  { store, directory, suspensions, signUp, mailReset, provider }: AccountsParts,
  adopt: (account: Account, from: Visitor) => Promise<void>,
): OwnAccount {
  /** Limits mails to one address: beyond the limit none are sent. */
  async function mailTo(account: Account): Promise<void> {
    const subject = `account ${account.id}`;
    const verdict = await store.takeLimit(subject, "reset-mail", MAILS_PER_ACCOUNT, ATTEMPTS_WINDOW_MS);
    if (!verdict.allowed || (await suspensions.has(account.id))) return;
    mailReset?.(account, await directory.createReset(account.id));
  }

  return {
    async signInOptions() {
      const firstAccount = signUp !== "closed" && (await directory.count()) === 0;
      return {
        signUp: signUp === "open" || firstAccount,
        firstAccount,
        passwordReset: mailReset !== undefined,
        ...(provider
          ? { provider: { name: provider.name, signUp: signUp === "open" || signUp === "provider" } }
          : {}),
      };
    },
    async requestReset(email, from) {
      if (!mailReset)
        throw new Failure(
          "NOT_FOUND",
          "This server can’t send mail. Ask its administrator for a new password.",
        );
      await takeAttempt(store, `address ${from.address}`, "password-reset", RESETS_PER_ADDRESS);
      const account = await directory.byEmail(email);
      // Not awaited: the time that an answer takes must not tell whether there is an account.
      if (account) void mailTo(account).catch(() => undefined); // The person asks again.
    },
    async resetPassword({ token, password }, from) {
      await takeAttempt(store, `address ${from.address}`, "password-reset", RESETS_PER_ADDRESS);
      const id = await directory.takeReset(token);
      const account = id === undefined ? undefined : await directory.get(id);
      if (!account)
        throw new Failure("FORBIDDEN", "This link was used already or has expired. Ask for a new one.");
      if (await suspensions.has(account.id)) throw suspensions.refusal();
      // The link was in their mailbox.
      await claimAccount({ store, directory }, account.id);
      await directory.setPassword(account.id, password);
      const signedIn = await directory.signIn({ email: account.email, password }, from.agent);
      if (!signedIn)
        throw new Failure("CONFLICT", "The password was changed again meanwhile. Sign in with the new one.");
      await adopt(account, from);
      return signedIn;
    },
    rename: (userId, name) => directory.setName(userId, name),
    listDevices: directory.listDevices,
    async endDevice(userId, id) {
      if (!(await directory.endDevice(userId, id)))
        throw new Failure("NOT_FOUND", "Nobody is signed in there anymore.");
    },
  };
}
