import type { Action } from "./action.ts";
import { fillArguments, fitArguments } from "./arguments.ts";
import { addressIn, clausesOf, filesIn } from "./clauses.ts";
import type { Conversation, OfferedTool } from "./conversation.ts";
import { delegations } from "./delegate.ts";
import { followUp, repeated } from "./follow-up.ts";
import { FORCED, INTENTS, timeActions } from "./intents.ts";
import { readRemember } from "./memory.ts";
import { builtInName, namedTool, offeredTool, toolByWords } from "./offered.ts";
import { proposalFor, requestsToPlan } from "./proposal.ts";
import { readQuestion } from "./question.ts";
import { progressOf, stepsIn, todoAction } from "./todo.ts";

export interface PlannedCall {
  /** The tool's name on the wire. */
  name: string;
  arguments: Record<string, unknown>;
  aim: string;
}

export interface Plan {
  calls: PlannedCall[];
  /** Requested actions without an offered tool. */
  missing: Action[];
}

const MOST_CALLS = 8;
/** Requests are at the start of a message. The rest is material. */
const LONGEST_READ = 1_500;

const AGAIN =
  /^(?:please\s+)?(?:(?:do|try|run|say)\s+(?:it|that)\s+)?(?:again|once more|repeat(?: that| it)?|retry|try again|same again|one more time)(?:\s+please)?[.!?]*$/i;

/** Plans the calls that a message asks for. All can run at once. */
export function planFor(conversation: Conversation): Plan {
  const { tools, toolChoice } = conversation;
  const message = conversation.now.question.slice(0, LONGEST_READ);
  if (toolChoice === "auto" && stepsIn(message).length > 0 && offeredTool(tools, "todo"))
    return { calls: [], missing: [] };
  if (typeof toolChoice === "object") return forcedPlan(tools, toolChoice.tool, message);
  if (plannedActions(conversation).length > 0) return { calls: [], missing: [] };
  const given = offeredTool(tools, "delegate") ? delegations(message) : [];
  const actions = AGAIN.test(message)
    ? repeated(conversation)
    : given.length > 0
      ? [given]
      : resolved(clausesUnlessAsked(message, tools)).map((clause) => actionsOf(clause, conversation));
  const plan: Plan = { calls: [], missing: [] };
  for (const action of actions.flat()) add(plan, action, tools);
  plan.calls = plan.calls.slice(0, MOST_CALLS);
  const first = tools.find((tool) => builtInName(tool.name) === "get_time") ?? tools[0];
  const { preferred } = conversation.now;
  if (preferred !== undefined && plan.calls.length + plan.missing.length === 0 && message !== "")
    return forcedPlan(tools, preferred, message);
  if (toolChoice === "required" && plan.calls.length === 0 && first)
    return forcedPlan(tools, first.name, message);
  return plan;
}

const FIRST_RESULT =
  /\b(?:open|fetch|read|visit|summari[sz]e)\b.{0,20}\b(?:first|top|best)\b.{0,15}\b(?:results?|hit|link|one|page|source)\b/i;

/** Plans calls that need earlier results: "search for owls and open the first result". */
export function nextCalls(conversation: Conversation): PlannedCall[] {
  const { now, tools } = conversation;
  const planned = plannedActions(conversation);
  // One after the other, and those that were refused are not tried again.
  if (planned.length > 0) return callsOf(planned.slice(now.calls.length, now.calls.length + 1), tools);
  const listed = listedCalls(conversation);
  if (listed.length > 0) return listed;
  const fetch = offeredTool(tools, "web_fetch");
  if (!fetch || !FIRST_RESULT.test(now.question)) return [];
  if (now.calls.some(({ name }) => name === fetch.name)) return [];
  const search = now.results.find(
    ({ call, success }) => success && builtInName(call.name) === "browser.search",
  );
  const url = search ? addressIn(search.text) : undefined;
  if (!url) return [];
  return [{ name: fetch.name, arguments: fitArguments({ url }, fetch.parameters), aim: `the page ${url}` }];
}

/** Returns a plan and what it is for, in order, where the person wants one before anything is changed. */
function plannedActions(conversation: Conversation): Action[] {
  const { now, tools, toolChoice } = conversation;
  if (toolChoice !== "auto" || !offeredTool(tools, "propose_plan")) return [];
  const requests = requestsToPlan(now.question.slice(0, LONGEST_READ));
  const actions = resolved(requests).flatMap((request) => actionsOf(request, conversation));
  const proposal = proposalFor(actions.filter(({ tool }) => offeredTool(tools, tool)));
  return proposal ? [proposal, ...actions] : [];
}

function callsOf(actions: readonly Action[], tools: readonly OfferedTool[]): PlannedCall[] {
  const plan: Plan = { calls: [], missing: [] };
  for (const action of actions) add(plan, action, tools);
  return plan.calls;
}

/** Works through a list that the person wants to see: keeps it with `todo`, and makes the calls of one step after the other. */
function listedCalls(conversation: Conversation): PlannedCall[] {
  const { now, tools, toolChoice } = conversation;
  const steps = stepsIn(now.question);
  if (steps.length === 0 || toolChoice !== "auto" || !offeredTool(tools, "todo")) return [];
  const { lists, begun } = progressOf(conversation);
  if (lists > steps.length) return [];
  const plan: Plan = { calls: [], missing: [] };
  const step = lists > 0 && !begun ? steps[lists - 1] : undefined;
  for (const action of step === undefined ? [] : actionsOf(step, conversation)) add(plan, action, tools);
  if (plan.calls.length === 0) add(plan, todoAction(steps, lists), tools);
  return plan.calls;
}

/** A question to the person stays whole: its options are no clauses. So does what is to be remembered. */
function clausesUnlessAsked(message: string, tools: readonly OfferedTool[]): string[] {
  const isWhole =
    (offeredTool(tools, "ask_user") && readQuestion(message).length > 0) || readRemember(message).length > 0;
  return isWhole ? [message] : clausesOf(message);
}

/** Replaces "it" in "… and read it" with the file that was named before. */
function resolved(clauses: string[]): string[] {
  let last: string | undefined;
  return clauses.map((clause) => {
    const [file] = filesIn(clause);
    const full = !file && last ? clause.replace(/\b(?:it|that file|this file)\b/i, last) : clause;
    last = file ?? last;
    return full;
  });
}

function actionsOf(clause: string, conversation: Conversation): Action[] {
  const { tools } = conversation;
  // Without files of a project, those of the folder are meant.
  const inProject = offeredTool(tools, "search_files") !== undefined;
  const intents = INTENTS.filter(({ tool }) => tool !== "search_files" || inProject);
  const intended = intents.map((intent) => intent.read(clause)).find((actions) => actions.length > 0) ?? [];
  const named = namedTool(tools, clause) ?? toolByWords(tools, clause, { fewest: 2 });
  if (named) {
    const ownName = builtInName(named.name);
    if (ownName && intended[0]?.tool === ownName) return intended;
    if (ownName && intended.length === 0 && ownName !== "filesystem" && FORCED[ownName]) {
      return ownName === "get_time" ? timeActions(clause) : [FORCED[ownName](afterName(clause, named.name))];
    }
    return [filled(named, clause)];
  }
  if (intended.some(({ tool }) => offeredTool(tools, tool))) return intended;
  const loosely = toolByWords(tools, clause, { fewest: 1 });
  if (loosely) return [filled(loosely, clause)];
  return intended.length > 0 ? intended : followUp(clause, conversation);
}

function filled(tool: OfferedTool, clause: string): Action {
  return {
    tool: tool.name,
    arguments: fillArguments(clause, tool.name, tool.parameters),
    aim: `what \`${tool.name}\` answers`,
  };
}

function afterName(clause: string, name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).join("\\W*_*");
  const rest = clause
    .split(new RegExp(words, "i"))
    .at(-1)
    ?.replace(/^\W*(?:tool\W+)?(?:for|with|to|on|about|of)?\s*/i, "");
  return rest?.trim() || clause;
}

function forcedPlan(tools: readonly OfferedTool[], name: string, message: string): Plan {
  const tool = offeredTool(tools, name);
  if (!tool) return { calls: [], missing: [] };
  const ownName = builtInName(tool.name);
  const intent = INTENTS.find((candidate) => candidate.tool === ownName);
  const actions = clausesOf(message).flatMap((clause) => intent?.read(clause) ?? []);
  const forced = ownName ? FORCED[ownName] : undefined;
  if (actions.length === 0) actions.push(forced ? forced(message) : filled(tool, message));
  const plan: Plan = { calls: [], missing: [] };
  for (const action of actions) add(plan, action, tools);
  return plan;
}

function add(plan: Plan, action: Action, tools: readonly OfferedTool[]): void {
  const tool = offeredTool(tools, action.tool);
  if (!tool) {
    plan.missing.push(action);
    return;
  }
  const call = {
    name: tool.name,
    arguments: fitArguments(action.arguments, tool.parameters),
    aim: action.aim,
  };
  const known = JSON.stringify([call.name, call.arguments]);
  if (!plan.calls.some((other) => JSON.stringify([other.name, other.arguments]) === known))
    plan.calls.push(call);
}
