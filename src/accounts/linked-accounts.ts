import { createHmac } from "node:crypto";
import type { Account, Role, SignedIn } from "../protocol/accounts.ts";
import { type Engine, SESSION_SECONDS } from "./engine.ts";
import type { ProviderIdentity } from "./oidc.ts";
import { toAccount } from "./rows.ts";

type Person = Pick<ProviderIdentity, "issuer" | "subject">;

/** Creates the part of the directory for accounts that sign in without a password. */
export function linkedAccounts({ adapter, internalAdapter, password, secret, sync }: Engine) {
  /** Ends everything by which somebody could have entered an account so far. */
  async function endAccess(userId: string): Promise<void> {
    const own = { field: "userId", value: userId };
    await adapter.deleteMany({ model: "account", where: [own] });
    await adapter.deleteMany({ model: "passkey", where: [own] });
    await adapter.deleteMany({ model: "apikey", where: [{ field: "referenceId", value: userId }] });
    await internalAdapter.deleteUserSessions(userId);
  }

  async function vouchFor(userId: string): Promise<void> {
    await internalAdapter.updateUser(userId, { emailVerified: true });
    await sync();
  }

  return {
    /** Notes that the email address of an account belongs to its owner. */
    vouchFor,
    async hasPassword(id: string): Promise<boolean> {
      const accounts = await internalAdapter.findAccounts(id);
      return accounts.some(({ providerId, password: hash }) => providerId === "credential" && hash);
    },
    /** Changes the password, or gives the account its first one. */
    async writePassword(userId: string, given: string): Promise<void> {
      const hash = await password.hash(given);
      const accounts = await internalAdapter.findAccounts(userId);
      if (accounts.some(({ providerId }) => providerId === "credential"))
        return internalAdapter.updatePassword(userId, hash);
      await internalAdapter.linkAccount({
        userId,
        providerId: "credential",
        accountId: userId,
        password: hash,
      });
    },
    /** Returns the account that this person of a provider has here. */
    async byProvider({ issuer, subject }: Person): Promise<Account | undefined> {
      const found = await internalAdapter.findAccountByProviderId(subject, issuer);
      const user = found && (await internalAdapter.findUserById(found.userId));
      return user ? toAccount(user) : undefined;
    },
    /**
     * Notes that the email address of an account was proven. Returns true if it never was before; then all access that anybody had
     * has ended.
     */
    async claim(userId: string): Promise<boolean> {
      const user = await internalAdapter.findUserById(userId);
      const isFirst = !user?.emailVerified;
      if (isFirst) await endAccess(userId);
      await vouchFor(userId);
      return isFirst;
    },
    /** Lets a person of a provider enter an account. */
    async link(userId: string, { issuer, subject }: Person): Promise<void> {
      await internalAdapter.linkAccount({ userId, providerId: issuer, accountId: subject });
      await sync();
    },
    /** Creates an account for a person of a provider. */
    async signUpLinked(
      { issuer, subject, email, name }: Person & { email: string; name: string },
      role: Role,
    ): Promise<Account> {
      const person = { email, name, emailVerified: true, role };
      const { user } = await internalAdapter.createOAuthUser(person, {
        providerId: issuer,
        accountId: subject,
      });
      await sync();
      return { ...toAccount(user), role };
    },
    /** Signs somebody in who has proven who they are. */
    async openSession(account: Account, agent = ""): Promise<SignedIn> {
      const { token } = await internalAdapter.createSession(account.id, false, { userAgent: agent });
      await sync();
      // Signed in the way of the library's own cookies: the unsigned token in the database is not accepted.
      const signature = createHmac("sha256", secret).update(token).digest("base64");
      return { account, token: `${token}.${signature}`, maxAge: SESSION_SECONDS };
    },
  };
}
