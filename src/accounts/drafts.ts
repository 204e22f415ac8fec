import { type Draft, type Drafts, draftSetting, NEW_CHAT, storedDraft } from "../protocol/drafts.ts";
import type { Store } from "../protocol/store.ts";

const MAX_DRAFTS = 20;

/** Creates the drafts of people, which are stored with their settings: they move with a guest and are erased with an account. */
export function createDrafts(
  store: Pick<Store, "getSettings" | "putSetting" | "tellAccount" | "now">,
): Drafts {
  async function list(userId: string): Promise<Draft[]> {
    const prefix = draftSetting("");
    const found = Object.entries(await store.getSettings(userId)).flatMap(([name, value]) => {
      if (!name.startsWith(prefix)) return [];
      const read = storedDraft.safeParse(value);
      return read.success ? [{ id: name.slice(prefix.length), ...read.data }] : [];
    });
    return found.sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
  }

  return {
    list,
    async put(userId, id, { text, attachments = [] }) {
      const isEmpty = text === "" && attachments.length === 0;
      const updatedAt = new Date(await store.now()).toISOString();
      const files = attachments.map(({ fileId, mimeType, name }) => ({
        fileId,
        mimeType,
        ...(name === undefined ? {} : { name }),
      }));
      const value = { text, ...(files.length > 0 ? { attachments: files } : {}), updatedAt };
      await store.putSetting(userId, draftSetting(id), isEmpty ? undefined : value);
      for (const { id: old } of (await list(userId)).slice(MAX_DRAFTS))
        await store.putSetting(userId, draftSetting(old), undefined);
      if (id !== NEW_CHAT) await store.tellAccount(userId, { type: "draft_changed", sessionId: id });
    },
  };
}
