import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";
import type { Meaning } from "./meaning.ts";

export interface EmbedFilesParts {
  store: Store;
  meaning: Meaning;
  /** How long a file stays with a process that is gone. */
  leaseMs: number;
  log: { warn(facts: object, message: string): void };
}

/** Work in the background that can be woken and ended. */
export interface FileEmbedder {
  /** Looks for files that have no vectors yet. */
  wake(): void;
  close(): Promise<void>;
}

const AT_ONCE = 32;
const PATIENCE_MS = 120_000;
/** When a file is tried again that could not be embedded. */
const RETRY_MS = 5 * 60_000;

/**
 * Embeds the pieces of files in the background, a few at a time. What is done is kept, so a process that was killed
 * continues where it was. A file is not embedded again unless another model is set.
 */
export function startFileEmbedder({ store, meaning, leaseMs, log }: EmbedFilesParts): FileEmbedder {
  const { model } = meaning;
  const closing = new AbortController();
  const { signal } = closing;
  let working: Promise<void> | undefined;
  let again = false;

  async function embedFile(fileId: string, payer: Principal): Promise<void> {
    for (let after = 0; ; ) {
      const pieces = await store.unembedded(fileId, model, after, AT_ONCE);
      const last = pieces.at(-1);
      if (!last) return store.finishEmbedding(fileId, model);
      const until = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      const texts = pieces.map(({ text }) => text);
      // A slow vendor must not make another instance ask for the same pieces.
      await store.holdUnembedded(fileId, (await store.now()) + PATIENCE_MS + leaseMs);
      const vectors = await meaning.vectorsOf(payer, texts, until);
      await store.keepVectors(
        model,
        pieces.flatMap(({ id }, at) => {
          const vector = vectors[at];
          return vector ? [{ id, vector }] : [];
        }),
      );
      await store.holdUnembedded(fileId, (await store.now()) + leaseMs);
      after = last.id;
    }
  }

  async function work(): Promise<void> {
    while (!signal.aborted) {
      const now = await store.now();
      const file = await store.claimUnembedded(model, now, now + leaseMs);
      if (!file) return;
      try {
        await embedFile(file.fileId, principalOf(file.userId));
      } catch (thrown) {
        // A process that stops lets another one continue at once.
        const later = signal.aborted ? 0 : (await store.now()) + RETRY_MS;
        await store.holdUnembedded(file.fileId, later);
        if (!signal.aborted)
          log.warn({ err: thrown, fileId: file.fileId, model }, "could not embed a file of a project");
      }
    }
  }

  function wake(): void {
    again = true;
    working ??= (async () => {
      try {
        while (again) {
          again = false;
          await work();
        }
      } catch (thrown) {
        log.warn({ err: thrown, model }, "could not look for files to embed");
      } finally {
        working = undefined;
      }
    })();
  }

  const timer = setInterval(wake, leaseMs);
  timer.unref();
  wake();
  return {
    wake,
    async close() {
      clearInterval(timer);
      closing.abort();
      await working;
    },
  };
}

/** The person who added the file pays, within their budget. */
function principalOf(userId: string): Principal {
  if (userId === "local") return { id: userId, kind: "owner" };
  return { id: userId, kind: userId.startsWith("guest_") ? "guest" : "account" };
}
