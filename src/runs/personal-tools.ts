import type { Turn } from "../loop/turn.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import type { ToolContext } from "../protocol/tool.ts";
import { rememberLine } from "./memory.ts";
import { type FileSearchParts, searchFiles } from "./search-files.ts";
import type { PersonalText } from "./session-project.ts";

const REMEMBER = "remember";
const SEARCH_FILES = "search_files";

/** Leaves out the tool that remembers where memory is off, and the one that searches files where there are none. */
export function withPersonalTools<Chosen extends Pick<Turn, "tools">>(
  chosen: Chosen,
  personal: PersonalText | undefined,
): Chosen {
  const left = [
    ...(personal?.isMemoryOn ? [] : [REMEMBER]),
    ...(personal?.project?.files ? [] : [SEARCH_FILES]),
  ];
  return { ...chosen, tools: chosen.tools.filter(({ name }) => !left.includes(name)) };
}

/** What those tools need in their context. */
export function personalContext(
  { store, ...parts }: FileSearchParts & { store: Store },
  principal: Principal,
  { sessionId }: Pick<Run, "sessionId">,
  personal: PersonalText | undefined,
  signal: AbortSignal,
): Pick<ToolContext, "remember" | "searchFiles"> {
  const { project } = personal ?? {};
  return {
    ...(personal?.isMemoryOn
      ? { remember: (text: string) => rememberLine(store, principal, text, sessionId) }
      : {}),
    ...(project
      ? {
          async searchFiles(query: string, most: number) {
            // Asked anew: a member may have been removed since the run began.
            if (!(await store.getProject(project.id, principal.id))?.access) return [];
            const found = await searchFiles({ store, ...parts }, principal, project.id, query, most, signal);
            return found.map((piece) => ({ ...piece, url: addressOf(project.id, piece) }));
          },
        }
      : {}),
  };
}

/** Where the file can be opened by those who may see the project. */
function addressOf(projectId: string, { fileId, place }: { fileId: string; place: string }): string {
  const page = /^page (\d+)$/.exec(place)?.[1];
  return `/projects/${projectId}/files/${fileId}${page === undefined ? "" : `#page=${page}`}`;
}
