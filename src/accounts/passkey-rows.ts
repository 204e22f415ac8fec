import type { BetterAuthPlugin } from "better-auth";
import type { Passkey } from "../protocol/passkeys.ts";
import type { Engine } from "./engine.ts";

/** A row of the table of passkeys. */
export interface PasskeyRow {
  id: string;
  userId: string;
  credentialId: string;
  /** In base64url. */
  publicKey: string;
  counter: number;
  /** JSON. */
  transports: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** Adds the table of passkeys to those of the library. */
export const passkeyTable = {
  id: "tackle-passkeys",
  schema: {
    passkey: {
      modelName: "auth_passkeys",
      fields: {
        userId: {
          type: "string",
          required: true,
          references: { model: "auth_users", field: "id", onDelete: "cascade" },
          index: true,
        },
        credentialId: { type: "string", required: true, unique: true },
        publicKey: { type: "string", required: true },
        counter: { type: "number", required: true },
        transports: { type: "string", required: true },
        name: { type: "string", required: true },
        createdAt: { type: "date", required: true },
        lastUsedAt: { type: "date", required: false },
      },
    },
  },
} satisfies BetterAuthPlugin;

const MODEL = "passkey";
const equals = (field: keyof PasskeyRow, value: string) => ({ field, value });

/** Creates the part of the directory that stores passkeys. */
export function passkeyRows({ adapter, sync }: Pick<Engine, "adapter" | "sync">) {
  return {
    countPasskeys: (): Promise<number> => adapter.count({ model: MODEL }),
    findPasskeys: (userId: string): Promise<PasskeyRow[]> =>
      adapter.findMany<PasskeyRow>({
        model: MODEL,
        where: [equals("userId", userId)],
        sortBy: { field: "createdAt", direction: "asc" },
      }),
    passkeyBy: (credentialId: string): Promise<PasskeyRow | null> =>
      adapter.findOne<PasskeyRow>({ model: MODEL, where: [equals("credentialId", credentialId)] }),
    async addPasskey(row: Omit<PasskeyRow, "id" | "lastUsedAt">): Promise<PasskeyRow> {
      const made = await adapter.create<Record<string, unknown>, PasskeyRow>({ model: MODEL, data: row });
      await sync();
      return made;
    },
    /** Changes a passkey of the user. Returns undefined if there is none. */
    async changePasskey(
      userId: string,
      id: string,
      update: Partial<Pick<PasskeyRow, "name" | "counter" | "lastUsedAt">>,
    ): Promise<PasskeyRow | undefined> {
      const where = [equals("id", id), equals("userId", userId)];
      const changed = await adapter.update<PasskeyRow>({ model: MODEL, where, update });
      await sync();
      return changed ?? undefined;
    },
    /** Removes one passkey of a user, or all. Returns how many. */
    async removePasskeys(userId: string, id?: string): Promise<number> {
      const where = [equals("userId", userId), ...(id === undefined ? [] : [equals("id", id)])];
      const removed = await adapter.deleteMany({ model: MODEL, where });
      await sync();
      return removed;
    },
  };
}

/** Returns the passkey of a row. */
export function toPasskey({ id, name, createdAt, lastUsedAt }: PasskeyRow): Passkey {
  return {
    id,
    name,
    createdAt: new Date(createdAt).toISOString(),
    ...(lastUsedAt ? { lastUsedAt: new Date(lastUsedAt).toISOString() } : {}),
  };
}
