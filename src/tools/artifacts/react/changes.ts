import {
  COLLECTION_METHODS,
  chainOf,
  type Kind,
  kindBy,
  LIST_METHODS,
  type Mutation,
  mutationsOf,
  nameOf,
  type Step,
} from "./mutations.ts";
import { type Node, type Program, walk } from "./parse.ts";
import { isAssignedBefore, type Place, placesOf } from "./places.ts";
import { type Binding, isFunction } from "./scopes.ts";
import type { Shared, Sharing } from "./sharing.ts";

type Found = Mutation & { parents: readonly Node[] };

/** A shared value that is changed, with everything that decides how to repair it. */
export interface Change extends Found {
  binding: Binding;
  shared: Shared;
  places: Place[];
  /** The changed value and those around it, from the root on. */
  kinds: (Kind | undefined)[];
}

interface Hooks {
  /** Called for every call. Returns true if it sets state and was dealt with. */
  isSetter(call: Node, parents: readonly Node[]): boolean;
  /** Called where the state of a class component is changed. */
  onClassState(node: Node): void;
}

/** Returns the places of a module that change shared values, in the order of the code. */
export function findChanges(code: string, program: Program, sharing: Sharing, hooks: Hooks): Change[] {
  const found: Found[] = [];
  const calls: { node: Node; parents: readonly Node[] }[] = [];
  walk(program, (node, live) => {
    if (node.type === "CallExpression") {
      if (hooks.isSetter(node, live)) return false;
      if (node.callee.type === "Identifier" && node.arguments.length > 0)
        calls.push({ node, parents: live.slice() });
    }
    for (const mutation of mutationsOf(node)) found.push({ ...mutation, parents: live.slice() });
    return undefined;
  });
  if (found.length === 0) return [];
  found.push(...byHelpers(found, calls, sharing, code));
  found.sort((one, other) => one.node.start - other.node.start);
  return found.flatMap((one) => toChange(one, sharing, hooks));
}

/** Calls that hand a value to a function of this module that changes its parameter. */
function byHelpers(
  found: readonly Found[],
  calls: readonly { node: Node; parents: readonly Node[] }[],
  sharing: Sharing,
  code: string,
): Found[] {
  const helpers = new Map<Node, Set<number>>();
  for (const one of found) {
    const binding = sharing.resolve(one.root.name, one.parents);
    const { parameterOf: owner, index } = binding ?? {};
    if (!binding || !owner || index === undefined || owner.params[index] !== binding.node) continue;
    if (sharing.sharedOf(binding) || COLLECTION_METHODS.has(one.method ?? "")) continue;
    if (isAssignedBefore(one.root.name, placesOf(one.node, one.parents), code)) continue;
    helpers.set(owner, (helpers.get(owner) ?? new Set()).add(index));
  }
  return calls.flatMap(({ node, parents }) => {
    if (node.type !== "CallExpression" || node.callee.type !== "Identifier") return [];
    const callee = sharing.resolve(node.callee.name, parents);
    const owner = callee?.declares ?? callee?.declarator?.init;
    const indices = owner && isFunction(owner) ? [...(helpers.get(owner) ?? [])] : [];
    return indices.flatMap((index) => {
      const argument = node.arguments[index];
      const chain = argument && chainOf(argument);
      return chain ? [{ node, ...chain, argument, parents }] : [];
    });
  });
}

function toChange(found: Found, sharing: Sharing, hooks: Hooks): Change[] {
  const { root, path, last, method, node } = found;
  if ([...path, ...(last ? [last] : [])].some((step) => nameOf(step) === "current")) return [];
  if (root.name === "this" && path[0] && nameOf(path[0]) === "state" && isInComponent(found.parents))
    hooks.onClassState(node);
  const binding = sharing.resolve(root.name, found.parents);
  const shared = binding && sharing.sharedOf(binding);
  if (!binding || !shared) return [];
  const kinds = [undefined, ...path].map((_, level) => {
    const isLast = level === path.length;
    if (isLast && LIST_METHODS.has(method ?? "")) return "list";
    const known =
      sharing.kindAt(shared.initial, path.slice(0, level)) ?? (level === 0 ? shared.kind : undefined);
    return known ?? (isLast && found.argument ? undefined : kindBy(path[level] ?? last));
  });
  const kind = kinds.at(-1);
  if (method !== undefined && COLLECTION_METHODS.has(method) && kind !== "Set" && kind !== "Map") return [];
  const steps = [rootStep(root), ...path, ...(last ? [last] : [])].map((step) => nameOf(step) ?? "");
  if (method !== undefined && /^(?:history|router|navigation)$/.test(steps.at(-1) ?? "")) return [];
  if (shared.kind === undefined && steps.some((step) => OF_ELEMENTS.has(step))) return [];
  return [{ ...found, binding, shared, kinds, places: placesOf(node, found.parents) }];
}

/** Properties of elements and drawing contexts, which are there to be changed. */
const OF_ELEMENTS: ReadonlySet<string> = new Set(
  "style dataset scrollTop scrollLeft innerHTML textContent srcObject currentTime volume fillStyle strokeStyle lineWidth font".split(
    " ",
  ),
);

/** True inside of a class that extends `Component`. */
function isInComponent(parents: readonly Node[]): boolean {
  const around = parents.findLast(({ type }) => type === "ClassDeclaration" || type === "ClassExpression");
  if (around?.type !== "ClassDeclaration" && around?.type !== "ClassExpression") return false;
  const base = around.superClass && chainOf(around.superClass);
  return /Component$/.test((base?.path.at(-1) && nameOf(base.path.at(-1) as Step)) ?? base?.root.name ?? "");
}

function rootStep(root: Node): Step {
  return { key: root, computed: false };
}
