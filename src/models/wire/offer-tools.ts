import { isObject } from "../../protocol/json.ts";
import type {
  DialectContext,
  EmitModelEvent,
  ModelRequest,
  ModelWarning,
  ToolSpec,
} from "../../protocol/model.ts";
import { readToolRefusal, refusedBefore, rememberMost, rememberRefused } from "./refused-tools.ts";
import { leftOut, lowerInSlices, prepareTools } from "./tools.ts";

/** Is told that the vendor refused the request. Returns true if it is asked again with fewer tools. */
export type RefuseTools = (status: number, body: string) => boolean;

/** How often the vendor is asked again without a tool. The last time it gets no tools. */
const MAX_TRIES = 8;

/** Asks with the tools that the vendor takes, and again without those that it refuses. Each one left out is a warning. */
export async function offerTools(
  request: ModelRequest,
  context: DialectContext,
  dialect: string,
  emit: EmitModelEvent,
  ask: (prepared: ModelRequest, emit: EmitModelEvent, refuse: RefuseTools) => Promise<void>,
): Promise<void> {
  const { modelId } = context;
  const told = new Set<string>();
  const warn = (warning: ModelWarning) => {
    if (!told.has(warning.message)) emit(warning);
    told.add(warning.message);
  };
  await lowerInSlices(request, dialect, context);
  let offered = request.tools.filter((tool) => {
    const reason = refusedBefore(modelId, tool);
    if (reason !== undefined) warn(leftOut(tool.name, reason));
    return reason === undefined;
  });
  for (let attempt = 1, again = true; again; attempt++) {
    again = false;
    const prepared = prepareTools({ ...request, tools: offered }, dialect, context);
    for (const warning of prepared.warnings) warn(warning);
    await ask(prepared.request, prepared.restore(emit), (status, body) => {
      // The client's own request is not taken apart: the same is asked in our words.
      if (request.native) return false;
      if (rememberMost(modelId, status, body, prepared.request.tools.length)) {
        again = true;
        return true;
      }
      const refusal = readToolRefusal(status, body, prepared.request.tools);
      if (!refusal || attempt > MAX_TRIES) return false;
      const last = attempt === MAX_TRIES;
      const sent = refusal.named ? refusal.tools : unusual(refusal.tools, offered);
      const names = new Set((last ? prepared.request.tools : sent).map(({ name }) => name));
      for (const tool of offered) {
        if (!names.has(tool.name)) continue;
        if (!last) rememberRefused(modelId, tool, refusal.reason);
        warn(leftOut(tool.name, refusal.reason));
      }
      offered = offered.filter(({ name }) => !names.has(name));
      again = true;
      return true;
    });
  }
}

/** Returns the tools whose schemas had to be changed for the vendor: they are the likely cause. All, if there are none. */
function unusual(sent: ToolSpec[], offered: readonly ToolSpec[]): ToolSpec[] {
  const changed = sent.filter(({ name, parameters }) => {
    const original = offered.find((tool) => tool.name === name)?.parameters;
    const { $schema: _draft, ...plain } = isObject(original) ? original : {};
    return JSON.stringify(plain) !== JSON.stringify(parameters);
  });
  return changed.length > 0 ? changed : sent;
}
