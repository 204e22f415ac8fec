import type { Turn } from "../loop/turn.ts";
import type { RunLog } from "../protocol/journal.ts";
import type { Message } from "../protocol/messages.ts";
import type { Principal } from "../protocol/principal.ts";
import { callsOf, type RunState } from "../protocol/reduce.ts";
import { parseRunRequest, type RunRequest } from "../protocol/run-request.ts";
import type { Store } from "../protocol/store.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import { NESTED_INSTRUCTIONS, type Workspace, type WorkspaceText } from "../protocol/workspace.ts";

type Stored = Pick<RunRequest, "workspace" | "workspaceOf">;

/**
 * Returns what a run is told about where it works. Within a session that stays the same, so that vendors' caches stay valid, as long
 * as the person trusts it.
 */
export async function workspaceFor(
  { store, workspace }: { store: Store; workspace?: Workspace },
  principal: Principal,
  request: TurnRequest,
  newest: () => Promise<NewestRun | undefined>,
): Promise<Stored> {
  // Folders tell guests nothing, so the run before does not have to be read.
  if (!workspace || principal.kind === "guest") return {};
  // A client that has instructions of its own, or the whole history, works elsewhere.
  if (request.systemPrompt !== undefined || request.history !== undefined) return {};
  const before = await toldBefore(store, await newest());
  if (before && (await workspace.holds(before.text))) return { workspaceOf: before.runId };
  const text = await workspace.read(principal);
  if (text === undefined) return {};
  return before && JSON.stringify(before.text) === JSON.stringify(text)
    ? { workspaceOf: before.runId }
    : { workspace: text };
}

/** Returns the text itself. */
export async function workspaceTextOf(
  store: Store,
  { workspace, workspaceOf }: Stored,
): Promise<WorkspaceText | undefined> {
  if (workspace || workspaceOf === undefined) return workspace;
  const run = await store.getRun(workspaceOf);
  return run && parseRunRequest(run).workspace;
}

/** A run, and the request that it was opened with. */
export interface NewestRun {
  id: string;
  createdAt: string;
  request: RunRequest;
}

/** Returns the newest run of the shown branch. */
export async function newestRunOf(store: Store, sessionId: string): Promise<NewestRun | undefined> {
  const [newest] = await store.listMessages(sessionId, { limit: 1, shared: true });
  const run = newest?.runId === undefined ? undefined : await store.getRun(newest.runId);
  return run && { id: run.id, createdAt: run.createdAt, request: parseRunRequest(run) };
}

/** Returns what a run was told, and the run that holds it. */
async function toldBefore(
  store: Store,
  run: NewestRun | undefined,
): Promise<{ runId: string; text: WorkspaceText } | undefined> {
  const text = run && (await workspaceTextOf(store, run.request));
  return text && { runId: run.request.workspaceOf ?? run.id, text };
}

/** Adds the tool that loads skills, where there are skills and the model may call tools. */
export function withSkills<Chosen extends Pick<Turn, "tools">>(
  chosen: Chosen,
  workspace: Workspace | undefined,
  text: WorkspaceText | undefined,
): Chosen {
  if (!workspace || !text || text.skills.length === 0 || chosen.tools.length === 0) return chosen;
  return { ...chosen, tools: [...chosen.tools, workspace.skillTool(text.skills)] };
}

/** Returns the files of the folders below whose instructions the model was already given. */
export function instructionsGiven(history: readonly Message[], state: RunState): Set<string> {
  const outputs = [
    ...history.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool_result" ? [part.output] : [])),
    ),
    ...callsOf(state).map(({ output = "" }) => output),
  ];
  const given = new Set<string>();
  for (const output of outputs) {
    if (!output.includes(NESTED_INSTRUCTIONS)) continue;
    for (const piece of output.split(NESTED_INSTRUCTIONS).slice(1)) given.add(piece.split("]", 1)[0] ?? "");
  }
  return given;
}

/** Tells the person what was left out, once in a run. */
export function warnOnce(log: RunLog, warnings: readonly string[], code = "WORKSPACE"): void {
  const known = new Set(log.state().warnings.map(({ message }) => message));
  for (const message of warnings) if (!known.has(message)) log.emit({ type: "warning", code, message });
}
