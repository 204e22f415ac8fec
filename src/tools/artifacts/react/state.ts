import type MagicString from "magic-string";
import type { ArtifactIssue } from "../../../protocol/events.ts";
import { issueAt } from "../source.ts";
import { settersOf } from "./attributes.ts";
import { type Change, findChanges } from "./changes.ts";
import { copyOf, mentions, RETURNING } from "./mutations.ts";
import { namesOf } from "./names.ts";
import { calleeName, contains, freeName } from "./nodes.ts";
import type { Node, Program } from "./parse.ts";
import { fromHere, functionAround, isAssignedBefore, isPassedOn, type Place, runsIn } from "./places.ts";
import type { Binding } from "./scopes.ts";
import { fixSetterArgument } from "./setter-argument.ts";
import { ownParts, Sharing } from "./sharing.ts";

/** The place where a copy of a value was put. */
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
  return new StateRepair(code, program, text).run();
}

class StateRepair {
  private readonly issues: ArtifactIssue[] = [];
  private readonly sharing: Sharing;
  private readonly regions: Region[] = [];
  private readonly inserted = new Set<string>();
  private readonly copiedAliases = new Set<Binding>();
  private readonly copyNames = new Set<string>();
  private readonly code: string;
  private readonly program: Program;
  private readonly text: MagicString;

  constructor(code: string, program: Program, text: MagicString) {
    this.code = code;
    this.program = program;
    this.text = text;
    this.sharing = new Sharing(program);
  }

  run(): ArtifactIssue[] {
    const found = findChanges(this.code, this.program, this.sharing, {
      isSetter: (call, parents) => this.fixSetter(call, parents),
      onClassState: (node) => this.warn("this.state", node),
    });
    for (const change of found) this.repair(change);
    return this.issues;
  }

  private fixSetter(call: Node, parents: readonly Node[]): boolean {
    const { code, text, sharing } = this;
    if (!fixSetterArgument(call, parents, { setters: settersOf(this.program), sharing, text, code }))
      return false;
    this.fixed("State was changed in place; a new value is set now.", call);
    return true;
  }

  private fixed(message: string, node: Node): void {
    this.issues.push(issueAt("fixed", message, this.code, node.start));
  }

  private warn(name: string, node: Node, isPart = false): void {
    const what = isPart ? `“${name}” is part of state or props and` : `“${name}”`;
    const message = `${what} is changed in place, which React does not notice. Copy it, change the copy, and set that.`;
    if (!this.issues.some((issue) => issue.message === message))
      this.issues.push(issueAt("warning", message, this.code, node.start));
  }

  private repair(change: Change): void {
    const { binding, shared, path, places, root, kinds } = change;
    const own = shared.origin === "copy" ? ownParts(shared.copy, path) + 1 : 0;
    const region = this.regions.find(
      (one) => one.binding === binding && one.start <= root.start && root.end <= one.end,
    );
    const levels = kinds
      .map((_, level) => level)
      .filter((level) => level >= own && !isAssignedBefore(this.textOf(change, level), places, this.code));
    if (region && levels[0] === 0) levels.shift();
    if (levels.length > 0 && !this.copyLevels(change, levels, region))
      this.warn(root.name, change.node, shared.origin === "part");
  }

  /** Copies the values at these levels before one of them is changed. Returns false where that is not safe. */
  private copyLevels(change: Change, levels: readonly number[], region: Region | undefined): boolean {
    const { kinds, places, root, shared } = change;
    const [insertion] = places;
    const nested = levels.filter((level) => level > 0);
    const risky = levels.some((level) => kinds[level] === "instance" || this.isRisky(change, level));
    if (change.optional || risky) return false;
    if (shared.origin === "part") return this.copyInPlace(change) !== undefined;
    const reachable = nested.length === 0 || this.canReach(change, insertion);
    let name: string | undefined = region?.name ?? root.name;
    if (!reachable) name = this.copyInPlace(change) === undefined ? undefined : "";
    else if (levels[0] === 0) name = this.copyRoot(change);
    if (name === undefined || name === "") return name === ""; // The copy is made where the value is used.
    for (const level of nested) if (insertion) this.copyPart(change, level, name, insertion);
    this.fixed(`“${root.name}” was changed in place; a copy is changed now.`, change.node);
    return true;
  }

  /** Copies the value itself. Returns the name of the copy, and undefined where no repair is safe. */
  private copyRoot(change: Change): string | undefined {
    const { shared, binding, parents } = change;
    if (this.rendersForever(change)) return this.copyInPlace(change);
    if (shared.origin === "alias") return this.copyAlias(change);
    if (shared.origin === "parameter")
      return isReturned(change) ? this.copyInPlace(change) : this.assignCopy(change);
    const around = functionAround(parents);
    if (shared.origin === "props" && around && around === binding.parameterOf)
      return this.isUsedLater(change, around)
        ? this.assignCopy(change)
        : (this.copyInPlace(change) ?? this.assignCopy(change));
    return this.copyInRegion(change) ?? this.copyInPlace(change);
  }

  /** True if a new value at this place would render again and again: while rendering, or in an effect of that value. */
  private rendersForever({ shared, root, parents }: Change): boolean {
    const state = settersOf(this.program).get(shared.setter ?? "");
    if (state === undefined) return false;
    const component = functionAround(this.sharing.resolve(state, parents)?.parents ?? []);
    if (shared.origin !== "parameter" && runsIn(parents) === component) return true;
    const effect = parents.findLast((node) => /^use(?:Layout|Insertion)?Effect$/.test(calleeName(node)));
    if (effect?.type !== "CallExpression") return false;
    const values = effect.arguments[1];
    return values === undefined || mentions(values, state) || mentions(values, root.name);
  }

  private isUsedLater({ root, node }: Change, around: Node): boolean {
    return namesOf(this.program).references.some(
      (one) => one.name === root.name && one.node.start >= node.end && one.node.end <= around.end,
    );
  }

  /** `const next = items; next.push(1); setItems(next)` */
  private copyAlias({ binding, kinds, root }: Change): string | undefined {
    const init = binding.declarator?.init;
    const around = functionAround(binding.parents);
    if (!init || !around) return undefined;
    if (this.copiedAliases.has(binding)) return root.name;
    const returned = contains(
      around,
      (node) => node.type === "ReturnStatement" && this.code.slice(node.start, node.end).includes(root.name),
    );
    if ((!returned && !isPassedOn(around, root.name)) || this.isEdited(init)) return undefined;
    this.copiedAliases.add(binding);
    this.text.overwrite(init.start, init.end, copyOf(this.code.slice(init.start, init.end), kinds[0]));
    return root.name;
  }

  /** `items = [...items];` before the statement. */
  private assignCopy({ places, root, kinds }: Change): string | undefined {
    const [place] = places;
    if (!place) return undefined;
    this.insert(place, `${root.name} = ${copyOf(root.name, kinds[0])};`);
    return root.name;
  }

  /** Changes a copy from here to the end of the list of statements that sets it or passes it on. */
  private copyInRegion({ binding, shared, places, root, kinds }: Change): string | undefined {
    const { setter } = shared;
    if (shared.origin === "state" && setter === undefined) return undefined;
    const place = places.find(
      (one) =>
        !one.inLoop &&
        !one.list.some(
          (statement) => statement.start <= binding.node.start && binding.node.end <= statement.end,
        ) &&
        fromHere(one).some((statement) => isPassedOn(statement, root.name, setter)),
    );
    if (!place) return undefined;
    const start = place.statement.start;
    const end = place.list.at(-1)?.end ?? place.statement.end;
    const shadowed = namesOf(this.program)
      .declared.get(root.name)
      ?.some((node) => node.start >= start && node.end <= end);
    const uses = namesOf(this.program).references.filter(
      ({ name: used, node }) => used === root.name && node.start >= start && node.end <= end,
    );
    if (shadowed || uses.some(({ node }) => this.isEdited(node))) return undefined;
    const wanted = `next${root.name[0]?.toUpperCase()}${root.name.slice(1)}`;
    const isTaken = (name: string) =>
      namesOf(this.program).declared.has(name) ||
      (place.owner.type === "SwitchCase" && this.copyNames.has(name));
    const name = freeName(wanted, isTaken);
    this.copyNames.add(name);
    this.regions.push({ binding, start, end, name });
    this.insert(place, `const ${name} = ${copyOf(root.name, kinds[0])};`);
    for (const { node, parent } of uses) {
      const isShorthand = parent.type === "Property" && parent.shorthand;
      this.text.overwrite(node.start, node.end, isShorthand ? `${root.name}: ${name}` : name);
    }
    return name;
  }

  /** `items.sort()` where the result is used: a copy is sorted instead. Returns an empty name. */
  private copyInPlace({ node, method, argument, parents, kinds, path, places }: Change): string | undefined {
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
    // A copy at the start of a statement could continue the line before.
    if (!target || target.start === places[0]?.statement.start || this.isEdited(target)) return undefined;
    const copy = copyOf(this.code.slice(target.start, target.end), kind);
    this.text.overwrite(target.start, target.end, kind === undefined ? `(${copy})` : copy);
    this.fixed(
      `“${method ?? this.code.slice(target.start, target.end)}” would change state in place; it works on a copy now.`,
      node,
    );
    return "";
  }

  /** True if another repair has already replaced this code. */
  private isEdited({ start, end }: Node): boolean {
    try {
      return this.text.slice(start, end) !== this.code.slice(start, end);
    } catch {
      return true; // It begins or ends inside of the replaced code.
    }
  }

  private copyPart(change: Change, level: number, name: string, place: Place): void {
    const target = this.textOf(change, level, name);
    this.insert(place, `${target} = ${copyOf(target, change.kinds[level])};`);
  }

  private insert({ owner, statement }: Place, line: string): void {
    const key = `${owner.start} ${line}`;
    // An index may have changed in between.
    if (this.inserted.has(key) && !/^[^=]*\[[^\]\d]/.test(line)) return;
    this.inserted.add(key);
    const indent = /(?<=^|\n)[ \t]*$/.exec(this.code.slice(0, statement.start))?.[0];
    this.text.appendLeft(statement.start, indent === undefined ? `${line} ` : `${line}\n${indent}`);
  }

  /** `a.b[0]` up to a level, where the variable may have a new name. */
  private textOf({ root, path }: Change, level: number, name: string = root.name): string {
    const renamed = (node: Node) =>
      this.code
        .slice(node.start, node.end)
        .replace(new RegExp(`(?<![.\\w$])${root.name.replaceAll("$", "\\$")}(?![\\w$])`, "g"), name);
    return path.slice(0, level).reduce((sofar, { key, computed }) => {
      return computed ? `${sofar}[${renamed(key)}]` : `${sofar}.${this.code.slice(key.start, key.end)}`;
    }, name);
  }

  /** True if the keys of a path mean the same at a place, and can be read twice. */
  private canReach({ path, parents }: Change, place: Place | undefined): boolean {
    if (!place) return false;
    return path.every(({ key, computed }) => {
      if (!computed) return true;
      const plainKey = !contains(key, ({ type }) => /Call|Assignment|Update|Await|Yield|Function/.test(type));
      const same = !contains(
        key,
        (node) =>
          node.type === "Identifier" &&
          this.sharing.resolve(node.name, parents) !== this.sharing.resolve(node.name, place.parents),
      );
      return plainKey && same;
    });
  }

  /** Spreading would lose the methods of an instance of a class. */
  private isRisky({ shared, path, kinds }: Change, level: number): boolean {
    if (kinds[level] === "list" || (level === 0 && shared.kind)) return false;
    if (this.sharing.kindAt(shared.initial, path.slice(0, level))) return false;
    const { declared } = namesOf(this.program);
    return contains(
      this.program,
      (node) =>
        node.type === "NewExpression" && node.callee.type === "Identifier" && declared.has(node.callee.name),
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
