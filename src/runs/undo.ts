import type { RollbackReport } from "../protocol/chat.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Registry } from "../protocol/registry.ts";
import type { Store } from "../protocol/store.ts";
import type { ToolContext } from "../protocol/tool.ts";
import type { UndoJournal } from "../protocol/undo.ts";

/** Records the changes of a call, so that they can be undone while the session exists. */
export function undoJournal(
  store: Store,
  { id: runId, sessionId }: { id?: string; sessionId: string },
  toolCallId: string,
  toolName: string,
): UndoJournal {
  return {
    keep: (bytes) => store.keepBytes(sessionId, bytes),
    async load(key) {
      const bytes = await store.loadBytes(key);
      if (!bytes) throw new Failure("NOT_FOUND", "The previous content is no longer stored.");
      return bytes;
    },
    record: (entry) =>
      store.recordChange({ ...entry, sessionId, ...(runId ? { runId } : {}), toolCallId, toolName }),
  };
}

/** Undoes the changes of a session's tools or of one run, newest first, and reports what could not be undone. */
export async function rollback(
  parts: {
    store: Store;
    registry: Registry;
    contextFor(principal: Principal, toolCallId: string): ToolContext;
  },
  principal: Principal,
  sessionId: string,
  wanted?: string,
): Promise<RollbackReport> {
  const { store, registry } = parts;
  const changes = await store.listChanges(sessionId);
  const runId = wanted === "last" ? changes.find((change) => change.reversible)?.runId : wanted;
  const report: RollbackReport = { runId, undone: [], notUndone: [] };
  let reached = false;
  for (const change of changes) {
    const { toolCallId, toolName, summary } = change;
    const tool = registry.get(toolName);
    const refuse = (reason: string) => report.notUndone.push({ toolCallId, toolName, summary, reason });
    const isWanted = wanted === undefined || change.runId === runId;
    reached ||= isWanted;
    // A person who undoes the last turn must be told about newer changes that stay.
    if (!isWanted && wanted === "last" && !reached) refuse("This change cannot be undone.");
    if (!isWanted) continue;
    if (!change.reversible) refuse("This change cannot be undone.");
    else if (!tool?.undo) refuse(`The tool ${toolName} that made this change is not available.`);
    else {
      const undo = undoJournal(store, { sessionId }, toolCallId, toolName);
      const context = { ...parts.contextFor(principal, toolCallId), sessionId, undo };
      try {
        const detail = await tool.undo(change, context);
        await store.markUndone(change.id);
        report.undone.push({ toolCallId, toolName, summary, detail });
      } catch (thrown) {
        refuse(toFailure(thrown).publicMessage);
      }
    }
  }
  return report;
}
