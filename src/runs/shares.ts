import { createHash, createHmac } from "node:crypto";
import type { ArtifactEndpoint, StoredArtifact } from "../protocol/artifacts.ts";
import { Failure } from "../protocol/failure.ts";
import type { Files } from "../protocol/files.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Session } from "../protocol/sessions.ts";
import type {
  NewCopy,
  Share,
  ShareBounds,
  SharedCopy,
  SharedMessage,
  ShareOptions,
  Shares,
  StoredShare,
} from "../protocol/shares.ts";
import type { Store } from "../protocol/store.ts";
import { newId } from "./ids.ts";
import { ownSession } from "./ownership.ts";
import { artifactsOf, copyMessages, filesIn, type HideKeys, withImages } from "./shared-copy.ts";
import { attachmentsOf, fenced } from "./transcript.ts";

export interface ShareParts {
  store: Store;
  files: Pick<Files, "get">;
  artifacts?: Pick<ArtifactEndpoint, "preview"> | undefined;
  /** Makes the tokens of links. */
  key: Uint8Array;
  hideKeys: HideKeys;
  /** The name of a person, for readers. Undefined if they have none. */
  nameOf(userId: string): Promise<string | undefined>;
  /** Throws for a suspended person. */
  admit(user: { id: string }): Promise<void>;
  /** Writes conversations of an export, as `POST /sessions/import` does. */
  importSessions(principal: Principal, document: unknown): Promise<Session[]>;
}

const DAY_MS = 24 * 60 * 60_000;
const DEFAULT_DAYS = 30;
/** What readers have to load at once stays small, and so does what a person can keep on the server. */
const MAX_COPY_BYTES = 4_000_000;
const BOUNDS: ShareBounds = { links: 100, bytes: 50_000_000 };
/** Anybody can become a guest, and again. */
const GUEST_BOUNDS: ShareBounds = { links: 5, bytes: 1_000_000 };
const TOKEN = /^[A-Za-z0-9_-]{32}$/;

/**
 * Creates the links to frozen copies of conversations. The token of a link follows from its id and the server's secret: its owner
 * can be shown it again, and the database holds only its hash.
 */
export function createShares(parts: ShareParts): Shares {
  const { store } = parts;
  const tokenOf = (id: string) =>
    createHmac("sha256", parts.key).update(`share ${id}`).digest("base64url").slice(0, 32);

  async function found(token: string): Promise<StoredShare & { copy: SharedCopy }> {
    const share = TOKEN.test(token) ? await store.findShare(hashOf(token)) : undefined;
    if (!share) throw gone();
    try {
      await parts.admit({ id: share.userId });
    } catch (thrown) {
      if (thrown instanceof Failure && thrown.code === "FORBIDDEN") throw gone();
      throw thrown;
    }
    return share;
  }

  function shown(share: StoredShare, session?: Session): Share {
    const { id, sessionId, facts, createdAt, copiedAt, expiresAt } = share;
    const outdated = session !== undefined && session.headId !== share.headId ? { outdated: true } : {};
    return {
      id,
      sessionId,
      path: `/s/${tokenOf(id)}`,
      createdAt,
      copiedAt,
      expiresAt,
      ...facts,
      ...outdated,
    };
  }

  async function copyOf(session: Session, headId: string, options: ShareOptions): Promise<NewCopy> {
    const stored = await store.listMessages(session.id, { upTo: headId });
    const { messages, keys, artifacts } = await copyMessages(stored, options, parts.hideKeys);
    const title = options.hideKeys ? await parts.hideKeys(session.title) : session.title;
    const by = await parts.nameOf(session.userId);
    const copy = { title, ...(by ? { by } : {}), messages };
    return { headId, copy, facts: { title, messages: messages.length, artifacts, keys, ...options } };
  }

  return {
    of(principal) {
      const bounds = principal.kind === "guest" ? GUEST_BOUNDS : BOUNDS;

      async function own(id: string): Promise<StoredShare> {
        const share = await store.getShare(id);
        if (!share) throw new Failure("NOT_FOUND", "There is no such link.");
        if (share.userId !== principal.id)
          throw new Failure("FORBIDDEN", "This link belongs to somebody else.");
        return share;
      }

      function checkSize({ copy }: NewCopy): void {
        if (Buffer.byteLength(JSON.stringify(copy)) <= Math.min(MAX_COPY_BYTES, bounds.bytes)) return;
        throw new Failure(
          "TOO_LARGE",
          "This conversation is too long to share. Branch from a message, and share that.",
        );
      }

      async function of(sessionId: string): Promise<Share[]> {
        const session = await ownSession(store, principal, sessionId);
        return (await store.listShares(principal.id))
          .filter((share) => share.sessionId === session.id)
          .map((share) => shown(share, session));
      }

      return {
        list: async () => (await store.listShares(principal.id)).map((share) => shown(share)),
        async get(id) {
          const share = await own(id);
          return shown(share, await store.getSession(share.sessionId));
        },
        async preview(sessionId) {
          const session = await ownSession(store, principal, sessionId);
          const stored = await store.listMessages(session.id);
          const all = { steps: true, files: false, hideKeys: true };
          const { messages, artifacts, keys } = await copyMessages(stored, all, parts.hideKeys);
          const files = stored.flatMap((message) =>
            message.role === "user" ? (attachmentsOf(message.parts, () => "").attachments ?? []) : [],
          );
          return {
            messages: messages.length,
            artifacts,
            keys,
            files: files.map(({ mimeType }) => mimeType),
            hasSteps: messages.some(({ state }) => state?.blocks.some(({ type }) => type !== "text")),
            shares: await of(session.id),
          };
        },
        async share(sessionId, { days = DEFAULT_DAYS, steps = false, files = false, hideKeys = true }) {
          const session = await ownSession(store, principal, sessionId);
          if (session.headId === undefined)
            throw new Failure("INVALID_INPUT", "This conversation is empty. There is nothing to share yet.");
          const copy = await copyOf(session, session.headId, { steps, files, hideKeys });
          checkSize(copy);
          const id = newId("shr");
          const made = { id, userId: principal.id, sessionId: session.id, tokenHash: hashOf(tokenOf(id)) };
          const added = await store.addShare({ ...made, ...copy }, days * DAY_MS, bounds);
          if (!added) throw tooMany(bounds);
          return shown(added, session);
        },
        async change(id, { days, update, ...wanted }) {
          const share = await own(id);
          const session = await ownSession(store, principal, share.sessionId);
          const { steps, files, hideKeys } = { ...share.facts, ...wanted };
          const headId = (update ? session.headId : undefined) ?? share.headId;
          const copy = await copyOf(session, headId, { steps, files, hideKeys });
          checkSize(copy);
          const endsInMs = days === undefined ? undefined : days * DAY_MS;
          const changed = await store.replaceCopy(share.id, copy, endsInMs, bounds);
          if (!changed) throw tooMany(bounds);
          return shown(changed, session);
        },
        async remove(id) {
          const share = await own(id);
          await store.removeShare(share.id);
          return shown(share);
        },
        async continue(token) {
          const { copy } = await found(token);
          const [session] = await parts.importSessions(principal, exported(copy));
          if (!session) throw gone();
          return session;
        },
      };
    },
    async read(token) {
      const { copy, createdAt, expiresAt } = await found(token);
      const messages = copy.messages.map((message) => withAddresses(message, token));
      const by = copy.by === undefined ? {} : { by: copy.by };
      return { title: copy.title, ...by, sharedAt: createdAt, expiresAt, messages };
    },
    async file(token, fileId) {
      const { copy, userId } = await found(token);
      const file = filesIn(copy).has(fileId) ? await parts.files.get(fileId) : undefined;
      if (file?.userId !== userId) throw new Failure("NOT_FOUND", "This file was deleted.");
      return file;
    },
    async artifact(token, toolCallId, origin) {
      const { copy, id, userId } = await found(token);
      const made = copy.messages.flatMap(artifactsOf).find((one) => one.toolCallId === toolCallId);
      if (!made || !parts.artifacts) throw new Failure("NOT_FOUND", "There is no such page.");
      const { artifactType: type = "code", title = "", code, issues, language, version = 1 } = made;
      // The copy's own id: the same version may say other things in another copy.
      const named = { id: `${id}-${copyKey(code)}`, userId, version, createdAt: "" };
      const artifact: StoredArtifact = {
        ...named,
        type,
        title,
        code,
        issues,
        ...(language ? { language } : {}),
      };
      return parts.artifacts.preview(artifact, origin);
    },
  };
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

function copyKey(code: string): string {
  return hashOf(code).slice(0, 16);
}

function gone(): Failure {
  return new Failure(
    "NOT_FOUND",
    "This link doesn’t work anymore. It may have ended, or somebody stopped sharing.",
  );
}

function tooMany({ links }: ShareBounds): Failure {
  return new Failure(
    "STORAGE_FULL",
    `You can share ${links} conversations at a time. Stop sharing some in Settings, Data.`,
  );
}

/** Gives files and artifacts addresses that end with the link. */
function withAddresses({ state, ...message }: SharedMessage, token: string): SharedMessage {
  if (!state) return message;
  const fresh = withImages(state, (image) =>
    image.imageUrl === undefined ? image : { ...image, imageUrl: `/s/${token}${image.imageUrl}` },
  );
  const blocks = fresh.blocks.map((block) =>
    block.type === "tool" && block.call.artifact?.complete
      ? { ...block, call: withPreview(block.call, `/s/${token}/artifacts/${block.call.toolCallId}`) }
      : block,
  );
  return { ...message, state: { ...fresh, blocks } };
}

function withPreview<Call extends { artifact?: object }>(call: Call, previewUrl: string): Call {
  return { ...call, artifact: { ...call.artifact, previewUrl } };
}

/** The copy as an export, so that it is imported as other conversations are. Artifacts become code blocks. */
function exported({ title, messages }: SharedCopy): object {
  return {
    format: "tackle.session",
    version: 1,
    session: { title, headId: String(messages.length - 1) },
    messages: messages.map((message, index) => ({
      id: String(index),
      ...(index > 0 ? { parentId: String(index - 1) } : {}),
      role: message.role,
      content: [message.content, ...artifactsOf(message).map(codeBlock)].join("\n\n"),
      createdAt: message.createdAt,
      ...(message.model ? { model: message.model } : {}),
    })),
  };
}

function codeBlock({ code, language, artifactType }: ReturnType<typeof artifactsOf>[number]): string {
  return fenced(code, language ?? (artifactType === "react" ? "tsx" : (artifactType ?? "")));
}
