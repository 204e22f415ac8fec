import type { RollbackReport } from "../protocol/chat.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Registry } from "../protocol/registry.ts";
import type { Store } from "../protocol/store.ts";
import type { ToolContext, UndoJournal } from "../protocol/tool.ts";

/** The journal that a call writes its changes into; they can be taken back for as long as the session is there. */
export function undoJournal(
  store: Store,
  sessionId: string,
  toolCallId: string,
  toolName: string,
): UndoJournal {
  return {
    keep: (bytes) => store.keepBytes(sessionId, bytes),
    async load(key) {
      const bytes = await store.loadBytes(key);
      if (!bytes) throw new Failure("NOT_FOUND", "What was there before is no longer kept.");
      return bytes;
    },
    record: (entry) => store.recordChange({ ...entry, sessionId, toolCallId, toolName }),
  };
}

/** Takes back what the tools of a session changed, newest first, and tells what could not be taken back. */
export async function rollback(
  parts: {
    store: Store;
    registry: Registry;
    contextFor(principal: Principal, toolCallId: string): ToolContext;
  },
  principal: Principal,
  sessionId: string,
): Promise<RollbackReport> {
  const { store, registry } = parts;
  const report: RollbackReport = { undone: [], notUndone: [] };
  for (const change of await store.listChanges(sessionId)) {
    const { toolCallId, toolName, summary } = change;
    const tool = registry.get(toolName);
    const refuse = (reason: string) => report.notUndone.push({ toolCallId, toolName, summary, reason });
    if (!change.reversible) refuse("There is no way back from this change.");
    else if (!tool?.undo) refuse(`The tool ${toolName} that made this change is not there now.`);
    else {
      const undo = undoJournal(store, sessionId, toolCallId, toolName);
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
