import { DELEGATE_TOOL } from "../loop/delegate.ts";
import { READ_RESULT } from "../loop/long-results.ts";
import type { Turn } from "../loop/turn.ts";
import { Failure } from "../protocol/failure.ts";
import type { ToolChoice, ToolSpec } from "../protocol/model.ts";
import { PLAN_TOOL } from "../protocol/plan.ts";
import type { Registry } from "../protocol/registry.ts";
import type { Tool } from "../protocol/tool.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import type { Workspace, WorkspaceText } from "../protocol/workspace.ts";
import type { PersonalText } from "./session-instructions.ts";

/** The tools of a request and how they are to be used. Throws INVALID_INPUT where it names one that does not exist. */
export function chooseTools(
  registry: Registry,
  request: TurnRequest,
): { tools: Tool[]; clientTools: ToolSpec[]; toolChoice: ToolChoice } {
  const clientTools = request.clientTools ?? [];
  // What the client has itself is the client's, also under the name of one of ours.
  const tools = toolsFor(registry, request).filter(
    ({ name }) => !clientTools.some((one) => one.name === name),
  );
  const choice = request.toolChoice ?? "auto";
  if (choice === "auto" || choice === "none" || choice === "required")
    return { tools, clientTools, toolChoice: choice };
  const tool =
    tools.find(({ name, aliases }) => name === choice || aliases.includes(choice)) ??
    clientTools.find(({ name }) => name === choice);
  if (tool) return { tools, clientTools, toolChoice: { tool: tool.name } };
  const names = [...tools, ...clientTools].map(({ name }) => name).join(", ") || "none";
  throw new Failure(
    "INVALID_INPUT",
    `toolChoice: there is no tool "${choice.slice(0, 100)}" in this request. Available tools: ${names}.`,
  );
}

/**
 * If we store the session, long results are shortened, so `read_result` comes with every tool that may return much. A plan comes
 * with every tool that sends or changes something, and only with those.
 */
function toolsFor(registry: Registry, request: TurnRequest): Tool[] {
  const named = request.tools ? registry.expand(request.tools) : registry.list();
  const others = named.filter(({ name }) => name !== PLAN_TOOL);
  const acts = others.some(({ effect }) => effect === "write" || effect === "network");
  const tools = [...others, ...(acts ? registry.list().filter(({ name }) => name === PLAN_TOOL) : [])];
  if (request.history || request.messages) return tools.filter(({ sessionOnly }) => !sessionOnly);
  if (!request.tools || tools.every(({ effect }) => effect === "none")) return tools;
  return [...new Set([...tools, ...registry.list().filter(({ name }) => name === READ_RESULT)])];
}

const REMEMBER = "remember";
const SEARCH_FILES = "search_files";

/**
 * Leaves out the tool that remembers where memory is off, the one that searches files where there are none, and the one that
 * starts child runs where they would be nested too deep. A child run makes no plans.
 */
export function forRun<Chosen extends Pick<Turn, "tools">>(
  chosen: Chosen,
  personal: PersonalText | undefined,
  depth: number,
  mostDepth: number,
): Chosen {
  const left = [
    ...(personal?.isMemoryOn ? [] : [REMEMBER]),
    ...(personal?.project?.files ? [] : [SEARCH_FILES]),
    ...(depth < mostDepth ? [] : [DELEGATE_TOOL]),
    ...(depth > 0 ? [PLAN_TOOL] : []),
  ];
  return { ...chosen, tools: chosen.tools.filter(({ name }) => !left.includes(name)) };
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
