import { readArguments } from "../protocol/call-arguments.ts";
import { Failure } from "../protocol/failure.ts";
import type { GuardedCall, Planning, PolicyVerdict, Situation } from "../protocol/guard.ts";
import { isObject, type JsonSchema } from "../protocol/json.ts";
import {
  type LearnedTarget,
  type PlanStep,
  planSteps,
  readFrom,
  readTargets,
  type ShownPlan,
} from "../protocol/plan.ts";
import { webAddress } from "../protocol/provenance.ts";
import { because, type Reason, type ReasonCode, reasonText } from "../protocol/reasons.ts";
import type { Tool } from "../protocol/tool.ts";
import { argumentForms } from "./argument-forms.ts";
import { isReturned, learnedIn } from "./learned.ts";
import { namesText } from "./leaves.ts";
import { leadsElsewhere } from "./person-words.ts";

/** The last words of names of arguments that hold text for people, not what a call acts on. */
const TEXTS = new Set(
  "body content text message subject description comment note notes caption html markdown".split(" "),
);
/** Choices of our own tools that a step may leave open. What destroys or moves has to be named. */
const OPEN_CHOICES: Record<string, ReadonlySet<unknown>> = {
  "filesystem operation": new Set(["read", "list", "exists", "metadata", "search", "write", "edit"]),
};

type Asking = Extract<PolicyVerdict, { action: "ask" }>;

/** A value of an argument: where it is, and what it is called in the schema. */
interface Leaf {
  path: string;
  /** The path without positions in lists. */
  name: string;
  value: unknown;
}

/** Returns a proposed plan as the person is shown it. Throws TOOL_INVALID_ARGUMENTS if it names a tool that is not there. */
export function planToShow(
  { args, context }: Pick<GuardedCall, "args" | "context">,
  tools: readonly Tool[],
  situation: Situation,
  refusalOf: (call: GuardedCall) => Reason | undefined,
): ShownPlan {
  const after = readBefore(situation);
  const proposed = isObject(args) ? planSteps.parse(args.steps) : [];
  const steps = proposed.map((step, index) => {
    const [tool] = toolsOf([step], tools);
    if (!tool) throw unknownTool(index, step, tools);
    const targets = readTargets(step.targets);
    const later = textsLeftOut(tool, targets);
    const learned = learnedIn(tool, leavesOf(targets), toolsOf(proposed.slice(0, index), tools));
    const unknown = learned.some(({ from }) => from.length === 0) ? because("no_step_returns") : undefined;
    const excluded = attempt(() => refusalOf({ tool, args: targets, context })) ?? unknown;
    return {
      ...step,
      tool: tool.name,
      targets,
      ...(tool.version === undefined ? {} : { version: tool.version }),
      ...(later.length > 0 ? { later } : {}),
      ...(learned.length > 0 ? { learned } : {}),
      ...(excluded ? { excluded: reasonText([excluded]), because: [excluded] } : {}),
    };
  });
  return { steps, ...(after.length > 0 ? { after } : {}) };
}

function toolsOf(steps: readonly PlanStep[], tools: readonly Tool[]): Tool[] {
  return steps.flatMap(
    (step) => tools.find(({ name, aliases }) => name === step.tool || aliases.includes(step.tool)) ?? [],
  );
}

/** What was read before that an attacker may have written. */
function readBefore({ outside, workspace, suspicious }: Situation): string[] {
  return [...new Set([...outside, ...workspace, ...suspicious])];
}

/**
 * What asks about a call. `every_time`: the call needs its own approval, so no plan covers it. `rule_of_two`: only a plan that was
 * proposed before text from outside was read covers it. `policy`: any plan may.
 */
export type AskedBy = "every_time" | "rule_of_two" | "policy";

/** Lets a call run that an approved plan covers. For any other call, the verdict says why no plan does. */
export function withPlans(
  verdict: Asking,
  call: GuardedCall,
  why: AskedBy,
  { plans, isUsedUp, tools }: Planning,
  situation: Pick<Situation, "returned" | "personTexts">,
): PolicyVerdict {
  if (plans.length === 0) return verdict;
  let spent = false;
  for (const plan of plans) {
    for (const [step, planned] of plan.steps.entries()) {
      const isLearned = learnedBy(plan, step, call, tools, situation.returned ?? []);
      // Text from outside may choose the words, but not where they lead.
      const known = [...situation.personTexts, JSON.stringify(plan.steps.map(({ targets }) => targets))];
      const mayBeWritten = (text: string) => why !== "rule_of_two" || !leadsElsewhere(text, known);
      if (!covers(planned, call, { isLearned, mayBeWritten })) continue;
      if (why === "every_time") return explained(verdict, "no_plan_covers");
      if (why === "rule_of_two" && plan.after) continue;
      if (!isUsedUp(plan, step)) return { action: "allow", plan: { id: plan.id, step } };
      spent = true;
    }
  }
  return explained(verdict, spent ? "plan_used_up" : "not_in_plan");
}

/** Adds a reason to a verdict. */
function explained(verdict: Asking, code: ReasonCode): Asking {
  const more = because(code);
  return {
    ...verdict,
    reason: `${verdict.reason} ${reasonText([more])}`,
    because: [...(verdict.because ?? []), more],
  };
}

/** What may appear in a call that its step does not fix. */
interface Openings {
  isLearned?(learned: LearnedTarget, value: unknown): boolean;
  mayBeWritten?(text: string): boolean;
}

/** Tells whether the steps before this one have returned a value. */
function learnedBy(
  plan: ShownPlan,
  at: number,
  { context }: Pick<GuardedCall, "context">,
  tools: readonly Tool[],
  returned: NonNullable<Situation["returned"]>,
): (learned: LearnedTarget, value: unknown) => boolean {
  const outputsOf = ({ from }: LearnedTarget) =>
    returned.flatMap(({ name, arguments: text, output }) => {
      const tool = tools.find((one) => one.name === name || one.aliases.includes(name));
      const read = readArguments(text);
      if (!tool || !from.includes(tool.name) || !read.ok) return [];
      const call = { tool, args: read.value, context };
      const isPlanned = plan.steps.some(
        (step, before) =>
          before < at && covers(step, call, { isLearned: learnedBy(plan, before, call, tools, returned) }),
      );
      return isPlanned ? [output] : [];
    });
  const most = plan.steps[at]?.times ?? 1;
  return (learned, value) => isReturned(learned, value, outputsOf(learned), most);
}

/**
 * True if a step of a plan covers a call: same tool, each target appears in the call, and each argument of the call appears in the
 * targets. Only texts that the person saw would be written later, what they saw would be learned, and defaults of the tool may be
 * missing there.
 */
export function covers(
  step: ShownPlan["steps"][number],
  { tool, args, context }: GuardedCall,
  { isLearned = () => false, mayBeWritten = () => true }: Openings = {},
): boolean {
  if (step.tool !== tool.name || step.version !== tool.version) return false;
  const learned = new Map((step.learned ?? []).map((one) => [one.name, one]));
  const learns = ({ path, value }: Leaf) => {
    const one = learned.get(path);
    return one !== undefined && isLearned(one, value);
  };
  const later = new Set(step.later);
  const given = leavesOf(args).filter(({ value }) => value !== null && value !== undefined);
  const isFree = ({ name, value }: Leaf) =>
    (later.has(name) && typeof value === "string" && mayBeWritten(value)) ||
    (OPEN_CHOICES[`${tool.name} ${name}`]?.has(value) ?? false) ||
    isDefault(tool.parameters, name, value);
  const isOpen = (leaf: Leaf) => isFree(leaf) || learns(leaf);
  const same = (name: string, planned: unknown, value: unknown) =>
    isSame(name, planned, value, context.roots);
  if (!isObject(step.targets)) {
    // By position, so that a list cannot be read with two values exchanged.
    const wanted = [step.targets].flat();
    const fixed = inDeclaredOrder(tool, given).filter(
      (leaf) => !isFree(leaf) || wanted.some((one) => same(leaf.name, one, leaf.value)),
    );
    return (
      fixed.length === wanted.length && fixed.every(({ name, value }, at) => same(name, wanted[at], value))
    );
  }
  const wanted = new Map(leavesOf(step.targets).map((leaf) => [leaf.path, leaf]));
  const found = new Map(given.map((leaf) => [leaf.path, leaf]));
  const inCall = (path: string) => found.get(path) ?? found.get(`${path}.0`);
  return (
    [...wanted.values()].every(({ path, name, value }) => {
      if (value === null) return !inCall(path);
      // What the call has in it is looked at below.
      if (isEmpty(value) && given.some((leaf) => leaf.path.startsWith(`${path}.`))) return true;
      const leaf = inCall(path);
      if (readFrom(value)) return leaf !== undefined && learns({ ...leaf, path });
      return leaf !== undefined && same(name, value, leaf.value);
    }) && given.every((leaf) => isNamed(leaf, wanted) || isOpen(leaf))
  );
}

/** A list of one value may stand for the value. */
function isNamed({ path }: Leaf, wanted: ReadonlyMap<string, Leaf>): boolean {
  return wanted.has(path) || (path.endsWith(".0") && wanted.has(path.slice(0, -2)));
}

/** Equal as a whole. Paths and addresses may be written in another way that means exactly the same. */
function isSame(name: string, planned: unknown, value: unknown, roots: readonly string[]): boolean {
  if (Object.is(planned, value)) return true;
  if (typeof planned !== typeof value)
    return isScalar(planned) && isScalar(value) && String(planned) === String(value);
  if (typeof planned !== "string" || typeof value !== "string") return isEmpty(planned) && isEmpty(value);
  const address = webAddress(planned);
  if (address !== undefined) return address === webAddress(value);
  if ([planned, value].some((path) => path.includes("\\") || path.split("/").includes(".."))) return false;
  const whole = (path: string) => argumentForms(name, path, roots).whole;
  return whole(planned) !== undefined && whole(planned) === whole(value);
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The texts of a tool that a step does not fix. They count only beside something that it does fix. */
function textsLeftOut({ parameters }: Tool, targets: unknown): string[] {
  const fixed = leavesOf(targets).map(({ name }) => name);
  if (fixed.length === 0) return [];
  return textNames(parameters, "", 0).filter((name) => !fixed.includes(name));
}

function textNames(schema: JsonSchema, prefix: string, depth: number): string[] {
  const properties = isObject(schema.properties) && depth < 4 ? schema.properties : {};
  return Object.entries(properties).flatMap(([key, inner]) => {
    if (!isObject(inner)) return [];
    const name = prefix === "" ? key : `${prefix}.${key}`;
    if (isText(key, inner)) return [name];
    return textNames(isObject(inner.items) ? inner.items : inner, name, depth + 1);
  });
}

function isText(key: string, schema: JsonSchema): boolean {
  const kinds = [schema.anyOf ?? schema].flat().filter((one) => isObject(one) && one.type !== "null");
  return kinds.length > 0 && kinds.every(isPlainString) && namesText(key, TEXTS);
}

function isPlainString(schema: unknown): boolean {
  if (!isObject(schema) || ["enum", "format", "const"].some((key) => key in schema)) return false;
  const { type } = schema;
  return (
    type === "string" || (Array.isArray(type) && type.every((one) => one === "string" || one === "null"))
  );
}

/** Neither the model nor the person chose the tool's own default. */
function isDefault(schema: JsonSchema, name: string, value: unknown): boolean {
  let found: unknown = schema;
  for (const key of name.split(".")) {
    const properties: unknown = isObject(found) ? found.properties : undefined;
    found = isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  }
  return isObject(found) && found.default !== undefined && found.default === value;
}

function inDeclaredOrder({ parameters }: Tool, leaves: readonly Leaf[]): Leaf[] {
  const names = isObject(parameters.properties) ? Object.keys(parameters.properties) : [];
  const place = ({ path }: Leaf) => {
    const at = names.indexOf(path.split(".")[0] ?? "");
    return at === -1 ? names.length : at;
  };
  return [...leaves].sort((one, other) => place(one) - place(other));
}

function leavesOf(value: unknown, path = "", name = ""): Leaf[] {
  const isLeaf =
    typeof value !== "object" || value === null || (path !== "" && (isEmpty(value) || readFrom(value)));
  if (isLeaf) return [{ path, name, value }];
  // A key with a dot is not two keys.
  const join = (to: string, key: string) => `${to}${to && "."}${key.replaceAll(".", "\\.")}`;
  const inList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(inner, join(path, key), inList ? name : join(name, key)),
  );
}

function unknownTool(index: number, { tool }: PlanStep, tools: readonly Tool[]): Failure {
  const names = tools.map(({ name }) => name).join(", ");
  return new Failure(
    "TOOL_INVALID_ARGUMENTS",
    `Step ${index + 1}: there is no tool "${tool.slice(0, 100)}". A plan can have: ${names}.`,
  );
}

/** A tool may not be able to judge arguments that are not complete. */
function attempt(judge: () => Reason | undefined): Reason | undefined {
  try {
    return judge();
  } catch {
    return undefined; // It is judged again when it is called.
  }
}
