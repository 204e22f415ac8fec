import { z } from "zod";
import {
  type Account,
  type ApiKey,
  DEFAULT_SCOPES,
  type Device,
  keyBudget,
  keyScope,
} from "../protocol/accounts.ts";
import { parseObject } from "../protocol/json.ts";
import type { Principal } from "../protocol/principal.ts";
import { readStored } from "../protocol/stored.ts";

/** A row of the table of users. */
export interface UserRow {
  id: string;
  email: string;
  name: string;
  createdAt: Date;
  role?: string | null;
}

/** A row of the table of API keys. */
export interface KeyRow {
  id: string;
  name: string | null;
  metadata: unknown;
  createdAt: Date;
  expiresAt: Date | null;
  lastRequest: Date | null;
}

/** Returns the account of a row. */
export function toAccount({ id, email, name, createdAt, role }: UserRow): Account {
  return {
    id,
    email,
    name,
    role: role === "admin" ? "admin" : "user",
    createdAt: new Date(createdAt).toISOString(),
  };
}

/** A row of the table of sessions. */
interface SessionRow {
  id: string;
  userAgent?: string | null | undefined;
  createdAt: Date;
  updatedAt: Date;
}

/** Returns the device of a session's row. */
export function toDevice({ id, userAgent, createdAt, updatedAt }: SessionRow, current: boolean): Device {
  return {
    id,
    userAgent: userAgent ?? "",
    current,
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: new Date(updatedAt).toISOString(),
  };
}

/** Returns the person of a row as a caller. */
export function asPrincipal(user: UserRow): Principal {
  return { id: user.id, kind: "account", ...(user.role === "admin" ? { role: "admin" } : {}) };
}

/** Returns the API key of a row. */
export function toApiKey({ id, name, metadata, createdAt, expiresAt, lastRequest }: KeyRow): ApiKey {
  const { lastFour, scopes, budget } = metadataOf(metadata);
  return {
    id,
    name: name ?? "",
    lastFour,
    createdAt: new Date(createdAt).toISOString(),
    scopes,
    ...(expiresAt ? { expiresAt: new Date(expiresAt).toISOString() } : {}),
    ...(lastRequest ? { lastUsedAt: new Date(lastRequest).toISOString() } : {}),
    budget,
  };
}

const keyMetadata = z.looseObject({
  lastFour: z.string().default(""),
  budget: keyBudget.optional(),
  // Keys of older versions have none.
  scopes: z.array(keyScope).default([...DEFAULT_SCOPES]),
});

/** Reads what we store with a key; some versions of the library return it as text. */
export function metadataOf(stored: unknown): z.output<typeof keyMetadata> {
  const value = typeof stored === "string" ? parseObject(stored) : stored;
  return readStored(keyMetadata, value ?? {}, "API key");
}
