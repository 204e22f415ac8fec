import type MagicString from "magic-string";
import type { ArtifactIssue } from "../../../protocol/events.ts";
import { issueAt } from "../source.ts";
import { settersOf } from "./attributes.ts";
import {
  COLLECTION_METHODS,
  chainOf,
  copyOf,
  type Kind,
  kindBy,
  type Mutation,
  mutationsOf,
  nameOf,
  RETURNING,
  type Step,
} from "./mutations.ts";
import { namesOf } from "./names.ts";
import { contains, freeName } from "./nodes.ts";
import { type Node, type Program, walk } from "./parse.ts";
import { fromHere, functionAround, isAssignedBefore, isPassedOn, type Place, placesOf } from "./places.ts";
import { type Binding, isFunction } from "./scopes.ts";
import { fixSetterArgument } from "./setter-argument.ts";
import { createSharing, ownParts, type Shared } from "./sharing.ts";

type Found = Mutation & { parents: readonly Node[] };

/** A shared value that is changed, with everything that decides how to repair it. */
interface Change extends Found {
  binding: Binding;
  shared: Shared;
  places: Place[];
  /** The changed value and those around it, from the root on. */
  kinds: (Kind | undefined)[];
}

/** Where a copy of a value has taken its place. */
interface Region {
  binding: Binding;
  start: number;
  end: number;
  name: string;
}

/**
 * React only notices a new value, so code that changes state, props or parameters in place is made to work on a copy. What
 * cannot be repaired safely is reported.
 */
export function fixState(code: string, program: Program, text: MagicString): ArtifactIssue[] {
  const issues: ArtifactIssue[] = [];
  const sharing = createSharing(program);
  const { declared, references } = namesOf(program);
  const setters = settersOf(program);
  const regions: Region[] = [];
  const inserted = new Set<string>();
  const copiedAliases = new Set<Binding>();
  const names = new Set<string>();
  const fixed = (message: string, node: Node) => issues.push(issueAt("fixed", message, code, node.start));

  for (const change of changes()) repair(change);
  return issues;

  function warn({
    root,
    binding,
    shared,
    node,
  }: Pick<Change, "root" | "shared" | "node"> & { binding?: Binding }) {
    const what =
      binding && shared.origin === "part" ? `“${root.name}” is part of state or props and` : `“${root.name}”`;
    const message = `${what} is changed in place, which React does not notice. Copy it, change the copy, and set that.`;
    if (!issues.some((issue) => issue.message === message))
      issues.push(issueAt("warning", message, code, node.start));
  }

  function changes(): Change[] {
    const found: Found[] = [];
    const calls: { node: Node; parents: readonly Node[] }[] = [];
    walk(program, (node, live) => {
      if (node.type === "CallExpression") {
        if (fixSetterArgument(node, live, { setters, sharing, text, code })) {
          fixed("State was changed in place; a new value is set now.", node);
          return false;
        }
        if (node.callee.type === "Identifier" && node.arguments.length > 0)
          calls.push({ node, parents: live.slice() });
      }
      for (const mutation of mutationsOf(node)) found.push({ ...mutation, parents: live.slice() });
      return undefined;
    });
    if (found.length === 0) return [];
    found.push(...byHelpers(found, calls));
    found.sort((one, other) => one.node.start - other.node.start);
    return found.flatMap((one) => toChange(one));
  }

  /** Calls that hand a value to a function of this module that changes its parameter. */
  function byHelpers(
    found: readonly Found[],
    calls: readonly { node: Node; parents: readonly Node[] }[],
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

  function toChange(found: Found): Change[] {
    const { root, path, last, method, node } = found;
    if ([...path, ...(last ? [last] : [])].some((step) => nameOf(step) === "current")) return [];
    if (root.name === "this" && path[0] && nameOf(path[0]) === "state")
      warn({
        root: Object.assign({}, root, { name: "this.state" }),
        shared: { origin: "state", kind: "object" },
        node,
      });
    const binding = sharing.resolve(root.name, found.parents);
    const shared = binding && sharing.sharedOf(binding);
    if (!binding || !shared) return [];
    const kinds = [undefined, ...path].map((_, level) => {
      const known =
        sharing.kindAt(shared.initial, path.slice(0, level)) ?? (level === 0 ? shared.kind : undefined);
      const isLast = level === path.length;
      return (
        known ??
        (isLast && found.argument ? undefined : kindBy(path[level] ?? last, isLast ? method : undefined))
      );
    });
    const kind = kinds.at(-1);
    if (method !== undefined && COLLECTION_METHODS.has(method) && kind !== "Set" && kind !== "Map") return [];
    if (
      method !== undefined &&
      /^(?:history|router|navigation)$/.test(nameOf(path.at(-1) ?? rootStep(root)) ?? "")
    )
      return [];
    return [{ ...found, binding, shared, kinds, places: placesOf(node, found.parents) }];
  }

  function repair(change: Change): void {
    const { binding, shared, path, places, root, kinds } = change;
    const own = shared.origin === "copy" ? ownParts(shared.copy, path) + 1 : 0;
    const region = regions.find(
      (one) => one.binding === binding && one.start <= root.start && root.end <= one.end,
    );
    const levels = kinds
      .map((_, level) => level)
      .filter((level) => level >= own && !isAssignedBefore(textOf(change, level), places, code));
    if (region && levels[0] === 0) levels.shift();
    if (levels.length > 0 && !copyLevels(change, levels, region)) warn(change);
  }

  /** Copies the values at these levels before one of them is changed. Returns false where that is not safe. */
  function copyLevels(change: Change, levels: readonly number[], region: Region | undefined): boolean {
    const { kinds, places, root, shared } = change;
    const [insertion] = places;
    const nested = levels.filter((level) => level > 0);
    const risky = levels.some(
      (level) => kinds[level] === "instance" || (level > 0 && isRisky(change, level)),
    );
    if (change.optional || risky) return false;
    if (shared.origin === "part") return copyInPlace(change) !== undefined;
    const reachable = nested.length === 0 || canReach(change, insertion);
    let name: string | undefined = region?.name ?? root.name;
    if (!reachable) name = copyInPlace(change) === undefined ? undefined : "";
    else if (levels[0] === 0) name = copyRoot(change);
    if (name === undefined || name === "") return name === ""; // The copy is made where the value is used.
    for (const level of nested) if (insertion) copyPart(change, level, name, insertion);
    fixed(`“${root.name}” was changed in place; a copy is changed now.`, change.node);
    return true;
  }

  /** Copies the value itself. Returns the name of the copy, and undefined where no repair is safe. */
  function copyRoot(change: Change): string | undefined {
    const { shared, binding, parents } = change;
    if (shared.origin === "alias") return copyAlias(change);
    if (shared.origin === "parameter") return isReturned(change) ? copyInPlace(change) : assignCopy(change);
    const around = functionAround(parents);
    if (shared.origin === "props" && around && around === binding.parameterOf)
      return isUsedLater(change, around) ? assignCopy(change) : (copyInPlace(change) ?? assignCopy(change));
    return copyInRegion(change) ?? copyInPlace(change);
  }

  function isUsedLater({ root, node }: Change, around: Node): boolean {
    return references.some(
      (one) => one.name === root.name && one.node.start >= node.end && one.node.end <= around.end,
    );
  }

  /** `const next = items; next.push(1); setItems(next)` */
  function copyAlias({ binding, kinds, root }: Change): string | undefined {
    const init = binding.declarator?.init;
    const around = functionAround(binding.parents);
    if (!init || !around) return undefined;
    if (copiedAliases.has(binding)) return root.name;
    const returned = contains(
      around,
      (node) => node.type === "ReturnStatement" && code.slice(node.start, node.end).includes(root.name),
    );
    if (!returned && !isPassedOn(around, root.name)) return undefined;
    copiedAliases.add(binding);
    text.overwrite(init.start, init.end, copyOf(code.slice(init.start, init.end), kinds[0]));
    return root.name;
  }

  /** `items = [...items];` before the statement. */
  function assignCopy({ places, root, kinds }: Change): string | undefined {
    const place = places.findLast(
      ({ repeated }, at) => !repeated && places.slice(0, at).every((one) => one.repeated),
    );
    if (!place) return undefined;
    insert(place, `${root.name} = ${copyOf(root.name, kinds[0])};`);
    return root.name;
  }

  /** Changes a copy from here to the end of the list of statements that sets it or passes it on. */
  function copyInRegion({ binding, shared, places, root, kinds }: Change): string | undefined {
    const { setter } = shared;
    if (shared.origin === "state" && setter === undefined) return undefined;
    const place = places.find(
      (one) =>
        one.owner !== binding.scope &&
        !one.list.some(
          (statement) => statement.start <= binding.node.start && binding.node.end <= statement.end,
        ) &&
        fromHere(one).some((statement) => isPassedOn(statement, root.name, setter)),
    );
    if (!place) return undefined;
    const start = place.statement.start;
    const end = place.list.at(-1)?.end ?? place.statement.end;
    const shadowed = declared.get(root.name)?.some((node) => node.start >= start && node.end <= end);
    if (shadowed) return undefined;
    const wanted = `next${root.name[0]?.toUpperCase()}${root.name.slice(1)}`;
    const isTaken = (name: string) =>
      declared.has(name) || (place.owner.type === "SwitchCase" && names.has(name));
    const name = freeName(wanted, isTaken);
    names.add(name);
    regions.push({ binding, start, end, name });
    insert(place, `const ${name} = ${copyOf(root.name, kinds[0])};`);
    for (const { name: used, node, parent } of references) {
      if (used !== root.name || node.start < start || node.end > end) continue;
      const isShorthand = parent.type === "Property" && parent.shorthand;
      text.overwrite(node.start, node.end, isShorthand ? `${used}: ${name}` : name);
    }
    return name;
  }

  /** `items.sort()` where the result is used: a copy is sorted instead. Returns an empty name. */
  function copyInPlace({ node, method, argument, parents, kinds, path }: Change): string | undefined {
    if (parents.findLast((one) => one.type !== "ChainExpression")?.type === "ExpressionStatement")
      return undefined;
    const kind = kinds.at(-1);
    const returnsItself =
      kind === "Set" || kind === "Map" ? method === "add" || method === "set" : RETURNING.has(method ?? "");
    if (!argument && !returnsItself) return undefined;
    if (argument && path.length > 0) return undefined;
    const target =
      argument ??
      (node.type === "CallExpression" && node.callee.type === "MemberExpression"
        ? node.callee.object
        : undefined);
    if (!target || text.slice(target.start, target.end) !== code.slice(target.start, target.end))
      return undefined;
    const copy = copyOf(code.slice(target.start, target.end), kind);
    text.overwrite(target.start, target.end, kind === undefined ? `(${copy})` : copy);
    fixed(
      `“${method ?? code.slice(target.start, target.end)}” would change state in place; it works on a copy now.`,
      node,
    );
    return "";
  }

  function copyPart(change: Change, level: number, name: string, place: Place): void {
    const target = textOf(change, level, name);
    insert(place, `${target} = ${copyOf(target, change.kinds[level])};`);
  }

  function insert({ owner, statement }: Place, line: string): void {
    const key = `${owner.start} ${line}`;
    if (inserted.has(key)) return;
    inserted.add(key);
    const indent = /(?<=^|\n)[ \t]*$/.exec(code.slice(0, statement.start))?.[0];
    text.appendLeft(statement.start, indent === undefined ? `${line} ` : `${line}\n${indent}`);
  }

  /** `a.b[0]` up to a level, where the variable may have a new name. */
  function textOf({ root, path }: Change, level: number, name: string = root.name): string {
    const renamed = (node: Node) =>
      code.slice(node.start, node.end).replace(new RegExp(`(?<![.\\w$])${root.name}(?![\\w$])`, "g"), name);
    return path.slice(0, level).reduce((sofar, { key, computed }) => {
      return computed ? `${sofar}[${renamed(key)}]` : `${sofar}.${code.slice(key.start, key.end)}`;
    }, name);
  }

  /** True if the keys of a path mean the same at a place, and can be read twice. */
  function canReach({ path, parents }: Change, place: Place | undefined): boolean {
    if (!place) return false;
    return path.every(({ key, computed }) => {
      if (!computed) return true;
      const plainKey = !contains(key, ({ type }) => /Call|Assignment|Update|Await|Yield|Function/.test(type));
      const same = !contains(
        key,
        (node) =>
          node.type === "Identifier" &&
          sharing.resolve(node.name, parents) !== sharing.resolve(node.name, place.parents),
      );
      return plainKey && same;
    });
  }

  /** Spreading would lose the methods of an instance of a class. */
  function isRisky({ shared, path, kinds }: Change, level: number): boolean {
    if (kinds[level] === "list" || sharing.kindAt(shared.initial, path.slice(0, level))) return false;
    return contains(program, (node) =>
      node.type === "NewExpression"
        ? node.callee.type === "Identifier" && declared.has(node.callee.name)
        : false,
    );
  }
}

/** True if a statement returns the change, or an arrow function does. */
function isReturned({ parents }: Change): boolean {
  const parent = parents.findLast(
    ({ type }) => type !== "ParenthesizedExpression" && type !== "ChainExpression",
  );
  return parent?.type === "ReturnStatement" || parent?.type === "ArrowFunctionExpression";
}

function rootStep(root: Node): Step {
  return { key: root, computed: false };
}
