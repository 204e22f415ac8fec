import { isImageType } from "../protocol/file-type.ts";
import { type Files, fileIdIn, type UserFiles } from "../protocol/files.ts";
import type { Principal } from "../protocol/principal.ts";
import { callsOf } from "../protocol/reduce.ts";
import type { Run } from "../protocol/run-records.ts";
import type { StoredMessage } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";

const RECENT_MESSAGES = 100;
const RECENT_FILES = 20;

/** Creates the files of one user for tools, in a session or without one. */
export function createUserFiles(
  { files, store }: { files: Files; store: Store },
  principal: Principal,
  sessionId?: string,
  run?: Pick<Run, "parentId" | "createdAt">,
): UserFiles {
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
      if (sessionId === undefined || !run) return undefined;
      const made = (await store.listFiles({ sessionId }, RECENT_FILES)).find(
        ({ mimeType, createdAt }) => isImageType(mimeType) && createdAt >= run.createdAt,
      );
      if (made) return made.id;
      // Earlier images count only if they are in the branch that is answered.
      const messages = await store.listMessages(sessionId, { limit: RECENT_MESSAGES, upTo: run.parentId });
      return messages.flatMap(imagesIn).at(-1);
    },
  };
}

/** Returns the images of a message in order: attached, made by the model, made by a tool. */
function imagesIn({ parts, state }: StoredMessage): string[] {
  const own = parts.flatMap((part) => (part.type === "image" && part.fileId ? [part.fileId] : []));
  const byTools = (state ? callsOf(state) : []).flatMap(({ image }) => fileIdIn(image?.imageUrl) ?? []);
  return [...own, ...byTools];
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
