import type { Highlight, SearchAnswer, SearchHit } from "../../protocol/search.ts";
import { goTo } from "../shell/address.ts";
import { jumpTo } from "../state/jump.ts";
import { attempt } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { sessions } from "../state/sessions.ts";
import { t } from "../text/palette.ts";
import type { IconName } from "../ui/icons.tsx";
import { type Action, actions } from "./actions.ts";

export interface Entry {
  id: string;
  icon: IconName;
  title: string;
  titleHighlights: Highlight[];
  snippet?: string;
  highlights?: Highlight[];
  /** Where it is, if that is not in the list: the archive, or another version of the conversation. */
  place?: string;
  keys?: string;
  run(): void;
}

export type Group = { name: string; entries: Entry[] };

const MOST_RECENT = 8;

/** Asks the server. */
export function findOnServer(query: string, signal: AbortSignal): Promise<SearchAnswer> {
  return ask<SearchAnswer>("GET", `/search?limit=20&q=${encodeURIComponent(query)}`, undefined, { signal });
}

/** Returns the groups to show: what was found, then what can be done. Without words, the newest conversations. */
export function groupsOf(query: string, hits: readonly SearchHit[], askInNewChat: () => void): Group[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = actions().flatMap((action) => entryOfAction(action, words) ?? []);
  const own: Entry[] =
    words.length === 0
      ? []
      : [
          {
            id: "ask",
            icon: "compose",
            title: t("askInNewChat", { words: query.trim() }),
            titleHighlights: [],
            keys: "⌘↵",
            run: askInNewChat,
          },
        ];
  // Who types the name of an action wants the action, not an answer about it.
  const meant = fitting.filter(({ title }) => isNameOf(title.toLowerCase(), words.join(" ")));
  const others = fitting.filter((entry) => !meant.includes(entry));
  const groups: Group[] = [
    { name: t("sessions"), entries: words.length === 0 ? recent() : conversationsIn(hits) },
    { name: t("artifacts"), entries: othersIn(hits, "artifact") },
    { name: t("files"), entries: othersIn(hits, "file") },
    { name: t("actions"), entries: [...meant, ...own, ...others] },
  ];
  return groups.filter(({ entries }) => entries.length > 0);
}

/** Returns true if somebody types the name of an action: its beginning, or most of it. */
function isNameOf(name: string, typed: string): boolean {
  return name.startsWith(typed) || (name.endsWith(` ${typed}`) && typed.length * 2 > name.length);
}

function entryOfAction({ id, label, icon, keys, run }: Action, words: readonly string[]): Entry | undefined {
  const text = label.toLowerCase();
  const places = words.map((word) => text.indexOf(word));
  if (places.includes(-1)) return undefined;
  const titleHighlights = words
    .map((word, at) => ({ start: places[at] ?? 0, end: (places[at] ?? 0) + word.length }))
    .sort((one, other) => one.start - other.start);
  return { id, icon, title: label, titleHighlights, ...(keys ? { keys } : {}), run };
}

function recent(): Entry[] {
  return sessions
    .getState()
    .sessions.slice(0, MOST_RECENT)
    .map(({ id, title }) => ({ id, icon: "chat", title, titleHighlights: [], run: () => goTo(id) }));
}

/** One entry for each conversation, with the line of its best message. */
function conversationsIn(hits: readonly SearchHit[]): Entry[] {
  const found = new Map<string, SearchHit>();
  for (const hit of hits) {
    if (hit.sessionId === undefined || (hit.kind !== "conversation" && hit.kind !== "message")) continue;
    const known = found.get(hit.sessionId);
    if (!known) found.set(hit.sessionId, hit);
    else if (known.messageId === undefined && hit.messageId !== undefined)
      found.set(hit.sessionId, { ...hit, titleHighlights: known.titleHighlights });
  }
  return [...found].map(([sessionId, hit]) => ({
    ...shownOf(hit),
    id: `session-${sessionId}`,
    icon: "chat",
    ...placeOf(hit),
    run: () => void jumpTo(sessionId, hit),
  }));
}

/** Names the project of a conversation, and says if it is not in the list as it is shown. */
function placeOf({ project, archived, otherBranch }: SearchHit): { place?: string } {
  const hidden = archived ? [t("inArchive")] : otherBranch ? [t("inOtherVersion")] : [];
  const places = [...(project ? [project.name] : []), ...hidden];
  return places.length === 0 ? {} : { place: places.join(" · ") };
}

function othersIn(hits: readonly SearchHit[], kind: "artifact" | "file"): Entry[] {
  return hits
    .filter((hit) => hit.kind === kind)
    .map((hit) => ({
      ...shownOf(hit),
      id: `${kind}-${hit.artifactId ?? hit.fileId}`,
      icon: kind,
      run: () => void (hit.sessionId === undefined ? openAlone(hit) : jumpTo(hit.sessionId, hit)),
    }));
}

function shownOf({ title, titleHighlights, snippet, highlights }: SearchHit) {
  return {
    title,
    titleHighlights,
    // A message that is the title says nothing more.
    ...(snippet === undefined || snippet === title || !highlights?.length
      ? {}
      : { snippet: withoutMarks(snippet), highlights }),
  };
}

/** Hides the marks of Markdown. Every character keeps its place, because the highlights refer to it. */
function withoutMarks(snippet: string): string {
  return snippet
    .replace(/(?<=^|\s)(?:[>#|]+|[-*])(?=\s)/g, (marks) => " ".repeat(marks.length))
    .replace(/\[(?=[^\]]+\]\()|\]\([^)\s]*\)?|\*\*|`+|~~/g, (marks) => "\u200b".repeat(marks.length));
}

/** What belongs to no conversation opens in its own tab. */
async function openAlone({ artifactId, url }: SearchHit): Promise<void> {
  await attempt(async () => {
    const address =
      artifactId === undefined
        ? url
        : (await ask<{ previewUrl: string }>("GET", `/artifacts/${artifactId}`)).previewUrl;
    open(address, "_blank", "noopener");
  });
}
