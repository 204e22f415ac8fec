import type { SearchHit } from "../../protocol/search.ts";
import type { Steps } from "../../protocol/slices.ts";
import { highlightsOf, snippetOf } from "./snippet.ts";
import type { Term } from "./words.ts";

export const DOCUMENT_KINDS = ["conversation", "message", "artifact", "file"] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** How many of the newest documents that match are compared, by kind. */
export const CANDIDATES: Record<DocumentKind, number> = {
  conversation: 100,
  message: 200,
  artifact: 50,
  file: 100,
};
/** Words of a title say more about a conversation than those of a message. */
const WEIGHT: Record<DocumentKind, number> = { conversation: 2, message: 1, artifact: 1.2, file: 1.5 };
/** More messages of one conversation are left out, so that they do not hide the others. */
const PER_SESSION = 3;
const MONTH_MS = 30 * 86_400_000;

/** The table with the ids of each kind. */
export const TABLES: Record<DocumentKind, string> = {
  conversation: "sessions",
  message: "messages",
  artifact: "artifacts",
  file: "files",
};

/** What a document is made of. */
export interface Source {
  id: string;
  user_id: string;
  session_id: string | null;
  title: string;
  /** What is indexed besides the title. */
  text: string;
  at: number | Date;
  role: string | null;
  archived: number | boolean | null;
}

/** A document that matches. */
export interface Candidate {
  kind: DocumentKind;
  source: string;
  session_id: string | null;
  at: number | Date;
  /** How well its words fit. */
  relevance: number;
}

const VISIBLE = "s.parent_run_id IS NULL AND s.user_id <> '' AND NOT s.temporary";
const NEWEST =
  "v.version = (SELECT max(n.version) FROM artifact_versions AS n WHERE n.artifact_id = v.artifact_id)";

/** SQL for what may be found, in the same words on both engines. `which` compares the id. */
export const SOURCES: Record<DocumentKind, (which: string) => string> = {
  conversation: (
    which,
  ) => `SELECT s.id, s.user_id, s.id AS session_id, s.title, '' AS text, s.updated_at AS at, NULL AS role, s.archived
    FROM sessions AS s WHERE s.id ${which} AND ${VISIBLE}`,
  message: (
    which,
  ) => `SELECT m.id, s.user_id, s.id AS session_id, s.title, m.text, m.created_at AS at, m.role, s.archived
    FROM messages AS m JOIN sessions AS s ON s.id = m.session_id WHERE m.id ${which} AND ${VISIBLE}`,
  artifact: (
    which,
  ) => `SELECT a.id, a.user_id, a.session_id, v.title, v.code AS text, v.created_at AS at, NULL AS role, s.archived
    FROM artifacts AS a JOIN artifact_versions AS v ON v.artifact_id = a.id LEFT JOIN sessions AS s ON s.id = a.session_id
    WHERE a.id ${which} AND ${NEWEST} AND (a.session_id IS NULL OR (${VISIBLE}))`,
  file: (
    which,
  ) => `SELECT f.id, f.user_id, coalesce(f.session_id, (SELECT min(u.session_id) FROM file_uses AS u WHERE u.file_id = f.id)) AS session_id,
      f.name AS title, '' AS text, f.created_at AS at, NULL AS role, s.archived
    FROM files AS f LEFT JOIN sessions AS s ON s.id = f.session_id
    WHERE f.id ${which} AND (f.session_id IS NULL OR (${VISIBLE}))`,
};

/** Returns the text of a document that is indexed. */
export function indexedText(kind: DocumentKind, { title, text }: Pick<Source, "title" | "text">): string {
  return kind === "message" ? text : `${title}\n${text}`;
}

/** Yields candidates, the best first: by their words, what they are, and how new they are. */
export function* ranked(candidates: readonly Candidate[], now: number): Generator<Candidate> {
  const score = ({ relevance, kind, at }: Candidate) =>
    relevance * WEIGHT[kind] * (1 + 0.5 * Math.exp(-Math.max(0, now - Number(at)) / MONTH_MS));
  const scored = candidates.map((candidate) => ({ candidate, score: score(candidate) }));
  const counts = new Map<string, number>();
  for (const { candidate } of scored.sort((one, other) => other.score - one.score)) {
    if (candidate.kind === "message" && candidate.session_id !== null) {
      const count = (counts.get(candidate.session_id) ?? 0) + 1;
      counts.set(candidate.session_id, count);
      if (count > PER_SESSION) continue;
    }
    yield candidate;
  }
}

/** Returns what a search says about a document. `isShown` tells whether its message is in the branch that is shown. */
export function* hitOf(
  kind: DocumentKind,
  source: Source,
  terms: readonly Term[],
  isShown: boolean,
): Steps<SearchHit> {
  yield;
  const { id, title, text, role } = source;
  const ids = {
    message: { messageId: id },
    artifact: { artifactId: id },
    file: { fileId: id },
    conversation: {},
  };
  return {
    kind,
    ...(source.session_id === null ? {} : { sessionId: source.session_id }),
    ...ids[kind],
    ...(role === "user" || role === "assistant" ? { role } : {}),
    title,
    titleHighlights: highlightsOf(title, terms),
    ...(text === "" ? {} : yield* snippetOf(text, terms)),
    ...(isShown ? {} : { otherBranch: true as const }),
    ...(source.archived ? { archived: true as const } : {}),
    at: new Date(source.at).toISOString(),
  };
}
