import { isImageType } from "./protocol/file-type.ts";
import type { FileShelf, Files } from "./protocol/files.ts";
import type { Principal } from "./protocol/principal.ts";
import type { Store } from "./protocol/store.ts";

const RECENT_MESSAGES = 100;
const RECENT_FILES = 20;

/** The files of one person, for the tools of one conversation or of none. */
export function createFileShelf(
  { files, store }: { files: Files; store: Store },
  principal: Principal,
  sessionId?: string,
): FileShelf {
  return {
    async save(bytes, facts) {
      const inSession = sessionId === undefined ? {} : { sessionId };
      const file = await files.put(once(bytes), { ...facts, userId: principal.id, ...inSession });
      return { file, url: files.signedUrl(file.id) };
    },
    async load(id) {
      const file = await files.own(principal.id, id);
      return { file, bytes: await files.read(file) };
    },
    async latestImage() {
      if (sessionId === undefined) return undefined;
      const made = (await store.listFiles({ sessionId }, RECENT_FILES)).find(({ mimeType }) =>
        isImageType(mimeType),
      );
      const messages = await store.listMessages(sessionId, { limit: RECENT_MESSAGES });
      for (const { parts, createdAt } of messages.reverse()) {
        if (made && made.createdAt >= createdAt) return made.id;
        const attached = parts.findLast((part) => part.type === "image" && part.fileId !== undefined);
        if (attached?.type === "image") return attached.fileId;
      }
      return made?.id;
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
