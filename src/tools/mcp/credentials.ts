import { createHash, timingSafeEqual, type webcrypto } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { type Json, parseObject } from "../../protocol/json.ts";

/** An authorization that a person has yet to grant. */
export interface PendingAuthorization {
  state: string;
  verifier: string;
  scope?: string;
  discovery?: OAuthDiscoveryState;
}

/** What is known about one person's authorization at one server. */
export interface Credentials {
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  discovery?: OAuthDiscoveryState;
  redirectUrl?: string;
  pending?: PendingAuthorization[];
  /** The key that tokens are bound to, if the authorization server supports that. */
  proofKey?: webcrypto.JsonWebKey;
}

/** Where credentials are kept. They are read again each time, because another process may have refreshed them. */
export interface CredentialSlot {
  read(): Promise<Credentials>;
  write(credentials: Credentials): Promise<void>;
}

/** The credentials in a slot, changed one change after the other: each reads what the last one wrote. */
export class KeptCredentials {
  private readonly slot: CredentialSlot;
  private changing: Promise<void> = Promise.resolve();

  constructor(slot: CredentialSlot) {
    this.slot = slot;
  }

  read(): Promise<Credentials> {
    return this.slot.read();
  }

  keep(change: { [Key in keyof Credentials]?: Credentials[Key] | undefined }): Promise<void> {
    return this.change((kept) => {
      const merged = Object.entries({ ...kept, ...change }).filter(([, value]) => value !== undefined);
      return Object.fromEntries(merged);
    });
  }

  change(next: (kept: Credentials) => Credentials): Promise<void> {
    const changed = this.changing.then(async () => this.slot.write(next(await this.slot.read())));
    this.changing = changed.catch(() => undefined);
    return changed;
  }

  /** The authorization under way that has this state. */
  async pendingOf(state: string): Promise<PendingAuthorization | undefined> {
    const given = Buffer.from(state);
    const { pending = [] } = await this.slot.read();
    return pending.find((one) => {
      const wanted = Buffer.from(one.state);
      return wanted.length > 0 && wanted.length === given.length && timingSafeEqual(wanted, given);
    });
  }
}

/** Credentials of one authorization server are never sent to another. */
export function forIssuer<Value extends { issuer?: string }>(
  value: Value | undefined,
  context: { issuer: string } | undefined,
): Value | undefined {
  if (context?.issuer !== undefined && value?.issuer !== undefined && value.issuer !== context.issuer)
    return undefined;
  return value;
}

/** Keeps credentials in a file that only its owner can read. */
export function fileSlot(file: string): CredentialSlot {
  return {
    async read() {
      try {
        return (parseObject(readFileSync(file, "utf8")) ?? {}) as Credentials;
      } catch {
        return {}; // Not authorized yet.
      }
    },
    async write(credentials) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const draft = `${file}.new`;
      writeFileSync(draft, JSON.stringify(credentials), { mode: 0o600 });
      chmodSync(draft, 0o600);
      renameSync(draft, file);
    },
  };
}

export interface PersonalCredentials {
  store: {
    getSettings(userId: string): Promise<Record<string, Json>>;
    putSetting(userId: string, name: string, value: Json | undefined): Promise<void>;
  };
  /** Encrypts a text so that it opens only for one user and one name. */
  vault: {
    seal(text: string, place: { userId: string; name: string }): string;
    open(sealed: string, place: { userId: string; name: string }): string | undefined;
  };
}

/** Keeps a person's credentials encrypted among their settings, so that they are erased with the person. */
export function personalSlot(
  { store, vault }: PersonalCredentials,
  userId: string,
  server: string,
): CredentialSlot {
  const name = `mcp:auth:${server}`;
  return {
    async read() {
      const sealed = (await store.getSettings(userId))[name];
      const text = typeof sealed === "string" ? vault.open(sealed, { userId, name }) : undefined;
      return (text === undefined ? {} : (parseObject(text) ?? {})) as Credentials;
    },
    async write(credentials) {
      await store.putSetting(userId, name, vault.seal(JSON.stringify(credentials), { userId, name }));
    },
  };
}

/** Tokens are stored by name and address, so that a changed address does not receive the old tokens. */
export function credentialName({ name, url }: { name: string; url: string }): string {
  return `${name}-${createHash("sha256").update(url).digest("hex").slice(0, 16)}`;
}
