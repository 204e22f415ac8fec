import type { JsonWebKey } from "node:crypto";
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
  proofKey?: JsonWebKey;
}

/** Where credentials are kept. They are read anew each time, because another process may have refreshed them. */
export interface CredentialSlot {
  read(): Promise<Credentials>;
  write(credentials: Credentials): Promise<void>;
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
