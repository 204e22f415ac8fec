import { settlesWithin } from "../protocol/abortable.ts";
import { type AppPage, type AppRecord, type AppResult, appKey } from "../protocol/apps.ts";
import type { Failure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";
import type { Tool, ToolContext } from "../protocol/tool.ts";
import type { CallOutcome } from "./call.ts";
import type { Turn } from "./turn.ts";

/** How long a call waits for the page of its interface once its result is there. */
const PAGE_PATIENCE_MS = 5_000;
/** A longer result is kept as the text that the model got. */
const MAX_RESULT_CHARACTERS = 5_000_000;
const MAX_CAUSES = 4;

/** Reads the page of a tool's interface while the tool runs. Returns a function that keeps it together with the result. */
export function readApp(
  tool: Tool,
  context: ToolContext,
): (turn: Turn, outcome: CallOutcome) => Promise<void> {
  const { app } = tool;
  if (!app) return async () => {};
  let page: AppPage | undefined;
  // Without a page the result is shown as text. Opening the app later tries again.
  const reading = app.read(context).then(
    (found) => {
      page = found;
    },
    () => undefined,
  );
  return async (turn, outcome) => {
    await settlesWithin(reading, PAGE_PATIENCE_MS);
    const { received: _, ...bounded } = outcome;
    const result = receivedIn(outcome);
    const record: AppRecord = {
      server: app.server,
      resourceUri: app.resourceUri,
      result: JSON.stringify(result).length <= MAX_RESULT_CHARACTERS ? result : receivedIn(bounded),
      page,
    };
    await turn.keepResult(appKey(context.toolCallId), JSON.stringify(record));
  };
}

/** Returns what the server sent. For a call without an answer, that is the result in the form of MCP. */
export function receivedIn({
  received,
  failure,
  result,
}: Pick<CallOutcome, "received" | "failure"> & {
  result: Pick<CallOutcome["result"], "output" | "success">;
}): AppResult {
  return (
    received ??
    reportedIn(failure) ?? { content: [{ type: "text", text: result.output }], isError: !result.success }
  );
}

/** A server's own error is among the causes of the failure. */
function reportedIn(failure: Failure | undefined): AppResult | undefined {
  let cause: unknown = failure?.cause;
  for (let depth = 0; depth < MAX_CAUSES && isObject(cause); depth++) {
    if (isObject(cause.result)) return cause.result;
    cause = cause.cause;
  }
  return undefined;
}
