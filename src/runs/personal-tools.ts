import type { Principal } from "../protocol/principal.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import type { ToolContext } from "../protocol/tool.ts";
import { rememberLine } from "./memory.ts";
import { type FileSearchParts, searchFiles } from "./search-files.ts";
import type { PersonalText } from "./session-instructions.ts";

/** What the tools that remember, and that search files, need in their context. */
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
            // Asked again: a member may have been removed since the run began.
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
