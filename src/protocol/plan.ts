import { z } from "zod";
import { Failure } from "./failure.ts";
import { isObject, parseJson } from "./json.ts";
import { reasonSchema } from "./reason-schema.ts";

/** The tool with which a model says what it means to do. */
export const PLAN_TOOL = "propose_plan";
const MOST_STEPS = 20;
const MOST_TIMES = 100;
const MOST_VALUES = 50;
const LONGEST_VALUE = 4_000;

const targets = z
  .unknown()
  .refine(isTargets, `must be an object of at most ${MOST_VALUES} short values`)
  .meta({
    type: "object",
    description:
      'The arguments that say what the call acts on, by name and exactly as you will pass them: recipient, path, URL, amount, command, operation. Texts that you write later, such as content or body, may be left out. A value that only an earlier step will return is {"$from": tool of that step, "field": name in its result, "with": words that its row holds, if there can be several rows}',
  });

/** One step of a plan. `targets` is an object of arguments by name, or a list of values in the order of the tool's parameters. */
const planStep = z.object({
  tool: z.string().trim().min(1).max(200).describe("The tool that will be called"),
  targets,
  why: z.string().trim().max(500).default("").describe("What it is good for, in a few words"),
  times: z.int().min(1).max(MOST_TIMES).optional().describe("How many such calls; 1 when left out"),
});

/** The steps of a plan, as a person may change them. What else a shown step has is left out. */
export const planSteps = z.array(planStep).max(MOST_STEPS);

/** The steps of a plan, as a model proposes them. */
export const proposedSteps = z.array(planStep.strict()).min(1).max(MOST_STEPS);

export type PlanStep = z.output<typeof planStep>;

/** An argument that earlier steps return: the only value of a field there, in rows that hold some words. */
const learnedTarget = z.looseObject({
  name: z.string(),
  from: z.array(z.string()),
  field: z.string(),
  with: z.string().optional(),
  /** It is no id, so whoever can write there may choose it. */
  open: z.boolean().optional(),
});

export type LearnedTarget = z.output<typeof learnedTarget>;

const shownStep = z.looseObject({
  tool: z.string(),
  targets: z.unknown(),
  why: z.string(),
  times: z.number().optional(),
  /** The version of the tool's code. */
  version: z.string().optional(),
  /** Arguments that are not fixed: texts that the model writes later. */
  later: z.array(z.string()).optional(),
  /** Arguments that an earlier step returns. */
  learned: z.array(learnedTarget).optional(),
  /** Why calls of this step are asked about, or refused, in spite of the plan. */
  excluded: z.string().optional(),
  /** The same as data, for clients that say it in another language. */
  because: z.array(reasonSchema).optional(),
});

/** A plan as the person is shown it. */
export const shownPlan = z.looseObject({
  steps: z.array(shownStep),
  /** What had been read from outside before. Such a plan does not override the rule of two. */
  after: z.array(z.string()).optional(),
});

export type ShownPlan = z.output<typeof shownPlan>;

/** A plan that a person has approved. Its id is that of the call that proposed it. */
export interface ApprovedPlan extends ShownPlan {
  id: string;
}

/** Returns targets as values: models sometimes write an object as text. */
export function readTargets(value: unknown): unknown {
  const read = typeof value === "string" ? parseJson(value) : undefined;
  return isObject(read) || Array.isArray(read) ? read : value;
}

/** What a step says of a value that an earlier step returns. */
const fromResult = z.strictObject({
  $from: z.string(),
  field: z.string().min(1),
  with: z.string().optional(),
});

/** Returns where a target comes from, if an earlier step returns it. */
export function readFrom(value: unknown): z.output<typeof fromResult> | undefined {
  return isObject(value) && "$from" in value ? fromResult.safeParse(value).data : undefined;
}

/** Returns the steps that a client sends. Throws INVALID_INPUT if they are none. */
export function readSteps(value: unknown): PlanStep[] {
  const { data } = planSteps.safeParse(value);
  if (!data) throw new Failure("INVALID_INPUT", "steps: these are not the steps of a plan.");
  return data;
}

/** Returns the edited steps of a decision's note, if the person has edited the plan. */
export function editedSteps(note: string | undefined): PlanStep[] | undefined {
  const read = parseJson(note ?? "");
  return isObject(read) && read.steps !== undefined ? planSteps.parse(read.steps) : undefined;
}

/** Returns the note that keeps edited steps. */
export function noteOfSteps(steps: readonly PlanStep[]): string {
  return JSON.stringify({ steps });
}

function isTargets(value: unknown): boolean {
  if (value === null || value === undefined || typeof value === "boolean") return false;
  let left = MOST_VALUES;
  const fits = (one: unknown, depth: number): boolean => {
    if (depth > 6 || left-- <= 0) return false;
    if (typeof one === "string") return one.length <= LONGEST_VALUE;
    if (typeof one !== "object" || one === null) return true;
    return Object.entries(one).every(([key, inner]) => key.length <= 200 && fits(inner, depth + 1));
  };
  return fits(value, 0);
}
