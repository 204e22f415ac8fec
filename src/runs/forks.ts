import type { BranchNode } from "../protocol/chat.ts";
import { fileIdIn } from "../protocol/files.ts";
import { textOf } from "../protocol/messages.ts";
import type { Principal } from "../protocol/principal.ts";
import { callsOf } from "../protocol/reduce.ts";
import type { ArtifactCopy, NewSession, Session, StoredMessage } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";
import { noSuchMessage } from "./branch-point.ts";
import { checkGuestSessions } from "./guest-sessions.ts";
import { newId } from "./ids.ts";

const SHOWN_CHARACTERS = 120;

/**
 * Makes a new session from a branch up to a message. Its files are shared, so they stay until both are gone. Its artifacts are
 * copies: what is changed here or deleted there has no effect on the other. A temporary one is for comparing answers: no person
 * sees it elsewhere until it is kept.
 */
export async function forkSession(
  store: Store,
  principal: Principal,
  session: Session,
  messageId: string,
  temporary = false,
): Promise<Session> {
  const last = await store.getMessage(messageId);
  if (last?.sessionId !== session.id) throw noSuchMessage();
  await checkGuestSessions(store, principal);
  const branch = await store.listMessages(session.id, { upTo: messageId });
  const artifacts = await copiesOf(store, branch, session.userId);
  const fork = copyOf(
    branch.map((message) => withCopies(message, artifacts)),
    session,
    principal.id,
    new Date(await store.now()).toISOString(),
  );
  const made = await store.importSession({
    ...fork,
    artifacts,
    // A fork of a temporary chat knows as little about the person as the chat.
    ...(temporary ? { temporary, compared: session.temporary !== true } : {}),
  });
  const { projectId, parameters } = session;
  if (projectId !== undefined) await store.moveSession(made.id, projectId);
  if (parameters) await store.setParameters(made.id, parameters);
  return { ...made, ...(projectId === undefined ? {} : { projectId }), ...(parameters && { parameters }) };
}

/** Gives every artifact of a branch that still exists a new id. */
async function copiesOf(
  store: Store,
  branch: readonly StoredMessage[],
  ownerId: string,
): Promise<ArtifactCopy[]> {
  const newest = new Map<string, number>();
  for (const { state } of branch)
    for (const { artifact } of state ? callsOf(state) : [])
      if (artifact?.complete)
        newest.set(
          artifact.artifactId,
          Math.max(artifact.version ?? 1, newest.get(artifact.artifactId) ?? 1),
        );
  const copies: ArtifactCopy[] = [];
  for (const [id, version] of newest)
    if ((await store.getArtifact(id))?.userId === ownerId)
      copies.push({ id: newId("art"), copyOf: id, ownerId, version });
  return copies;
}

/** Names the copies wherever a message names the originals. Addresses lose their key; the server gives their owner a new one. */
function withCopies(message: StoredMessage, artifacts: readonly ArtifactCopy[]): StoredMessage {
  if (artifacts.length === 0) return message;
  let text = JSON.stringify({ parts: message.parts, state: message.state });
  for (const { id, copyOf: original } of artifacts) text = text.replaceAll(original, id);
  text = text.replace(/(\/artifacts\/[\w-]+\/preview\?version=\d+)&key=[\w-]+/g, "$1");
  return { ...message, ...(JSON.parse(text) as Pick<StoredMessage, "parts" | "state">) };
}

function copyOf(branch: readonly StoredMessage[], session: Session, userId: string, now: string): NewSession {
  const id = newId("ses");
  const files = new Set<string>();
  let parentId: string | undefined;
  const messages = branch.map(({ role, parts, model, state, createdAt }) => {
    const message = {
      id: newId("msg"),
      parentId,
      role,
      parts,
      createdAt,
      model,
      ...(state ? { state: { ...withoutVersions(state), sessionId: id } } : {}),
    };
    for (const file of filesOf({ parts, state })) files.add(file);
    parentId = message.id;
    return message.role === "assistant" && message.state
      ? { ...message, state: { ...message.state, messageId: message.id } }
      : message;
  });
  return { id, userId, title: session.title, createdAt: now, updatedAt: now, messages, files: [...files] };
}

function withoutVersions<State extends { parentId?: string; siblings?: string[] }>(state: State) {
  const { parentId: _, siblings: __, ...rest } = state;
  return rest;
}

function filesOf({ parts, state }: Pick<StoredMessage, "parts" | "state">): string[] {
  const images = [...(state?.images ?? []), ...(state ? callsOf(state).map(({ image }) => image) : [])];
  return [
    ...parts.flatMap((part) => {
      if (part.type === "image") return part.fileId ?? [];
      return part.type === "text" ? (part.file?.id ?? []) : [];
    }),
    ...images.flatMap((image) => fileIdIn(image?.imageUrl) ?? []),
  ];
}

/** Returns all messages of a session with the beginning of what they say, each after the one before it. */
export async function treeOf(store: Store, session: Session): Promise<BranchNode[]> {
  const messages = await store.listAllMessages(session.id);
  const parents = new Map(messages.map(({ id, parentId }) => [id, parentId]));
  const shown = new Set<string>();
  for (let id = session.headId; id !== undefined && !shown.has(id); id = parents.get(id)) shown.add(id);
  return messages.flatMap((message) => {
    const { id, parentId, role, model, createdAt, state } = message;
    if (role === "system") return [];
    const text = (state?.text ?? textOf(message))
      .replace(/[*_`#|]+/g, " ")
      .replace(/\s+/g, " ")
      .trim();
    return {
      id,
      ...(parentId === undefined ? {} : { parentId }),
      role,
      text: [...text].slice(0, SHOWN_CHARACTERS).join(""),
      ...(model === undefined ? {} : { model }),
      createdAt,
      ...(shown.has(id) ? { shown: true as const } : {}),
    };
  });
}
