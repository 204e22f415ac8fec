import { settersOf } from "./attributes.ts";
import { chainOf, type Kind, mentions, nameOf, plain, type Step } from "./mutations.ts";
import { calleeName, contains, isElement } from "./nodes.ts";
import { type Node, type Program, remembered, walk } from "./parse.ts";
import { type Binding, type FunctionNode, isFunction, scopesOf } from "./scopes.ts";

/** A value that React or a parent component also holds, so that it must not be changed in place. */
export interface Shared {
  /**
   * `parameter`: of an updater, a reducer or a callback that returns it. `alias`: another name for a shared value. `copy`: a
   * shallow copy, of which only the parts are shared. `part`: an element or a property of a shared value.
   */
  origin: "state" | "props" | "parameter" | "alias" | "copy" | "part";
  kind: Kind | undefined;
  /** The function that sets the state. */
  setter?: string;
  /** The initial state. */
  initial?: Node;
  /** The expression that makes the copy. */
  copy?: Node;
}

const COPYING: ReadonlySet<string> = new Set(
  "slice filter concat toSorted toReversed toSpliced with".split(" "),
);
const LISTS: ReadonlySet<string> = new Set([
  ...COPYING,
  ..."map flatMap fill split keys values entries from".split(" "),
]);
const FINDING: ReadonlySet<string> = new Set(["find", "findLast", "at"]);
const ITERATING: ReadonlySet<string> = new Set(
  "forEach filter some every find findLast findIndex findLastIndex".split(" "),
);

/** Finds out which names of a module stand for shared values. */
export class Sharing {
  private readonly program: Program;
  private readonly known = new Map<Binding, Shared | undefined>();

  constructor(program: Program) {
    this.program = program;
  }

  private get setters(): ReadonlyMap<string, string> {
    return settersOf(this.program);
  }

  private get reducers(): ReadonlyMap<FunctionNode, Node | undefined> {
    return remembered(this.program, REDUCERS, () => reducersIn(this.program));
  }

  resolve(name: string, parents: readonly Node[]): Binding | undefined {
    return scopesOf(this.program).resolve(name, parents);
  }

  sharedOf(binding: Binding): Shared | undefined {
    if (!this.known.has(binding)) {
      this.known.set(binding, undefined); // A name that is made from itself is not shared.
      this.known.set(binding, binding.declarator ? this.declared(binding) : this.parameter(binding));
    }
    return this.known.get(binding);
  }

  /** The shared value that an expression such as `a.b[0]` begins with. */
  sharedRoot(node: Node, parents: readonly Node[]): (Shared & { steps: Step[] }) | undefined {
    const chain = chainOf(node);
    const binding = chain && this.resolve(chain.root.name, parents);
    const shared = binding && this.sharedOf(binding);
    if (!chain || !shared || chain.path.some((step) => nameOf(step) === "current")) return undefined;
    return { ...shared, steps: chain.path };
  }

  private declared({ declarator, node, parents }: Binding): Shared | undefined {
    if (!declarator) return undefined;
    const loop = parents.at(-2);
    if (loop?.type === "ForOfStatement")
      return this.sharedRoot(loop.right, parents) && { origin: "part", kind: undefined };
    const init = declarator.init && plain(declarator.init);
    if (!init) return undefined;
    if (declarator.id.type !== "Identifier") {
      const hook = calleeName(init);
      if (declarator.id.type === "ArrayPattern" && (hook === "useState" || hook === "useReducer"))
        return declarator.id.elements[0] === node ? this.stateOf(declarator, init, hook) : undefined;
      const from = init.type === "CallExpression" ? undefined : this.sharedRoot(init, parents);
      if (from?.origin === "props" && from.steps.length === 0) return { origin: "props", kind: undefined };
      return from && { origin: "part", kind: undefined };
    }
    const from = this.sharedRoot(init, parents);
    if (from) {
      if (from.steps.length > 0 || from.origin === "part") return { origin: "part", kind: undefined };
      const { steps: _, ...shared } = from;
      return shared.origin === "copy" ? shared : { ...shared, origin: "alias" };
    }
    if (this.isFound(init, parents)) return { origin: "part", kind: undefined };
    const copied = copiedBy(init);
    const original = copied && this.sharedRoot(copied.of, parents);
    if (!copied || !original) return undefined;
    const { initial, steps } = original;
    return {
      origin: "copy",
      kind: copied.kind,
      copy: init,
      ...(initial && steps.length === 0 ? { initial } : {}),
    };
  }

  private isFound(init: Node, parents: readonly Node[]): boolean {
    if (init.type !== "CallExpression" || init.callee.type !== "MemberExpression") return false;
    return FINDING.has(calleeName(init)) && this.sharedRoot(init.callee.object, parents) !== undefined;
  }

  private stateOf(
    declarator: NonNullable<Binding["declarator"]>,
    init: Node,
    hook: string,
  ): Shared | undefined {
    if (declarator.id.type !== "ArrayPattern" || init.type !== "CallExpression") return undefined;
    const setter = declarator.id.elements[1];
    if (setter?.type !== "Identifier") return undefined; // State that is never set is a place to keep things.
    const source = init.arguments[hook === "useState" ? 0 : 1] as Node | undefined;
    return {
      origin: "state",
      kind: this.kindAt(source, []),
      ...(hook === "useState" ? { setter: setter.name } : {}),
      initial: source,
    };
  }

  private parameter({ parameterOf: owner, index, node, parents }: Binding): Shared | undefined {
    if (!owner) return undefined;
    const parent = parents.at(-1);
    const call = parent?.type === "CallExpression" ? parent : undefined;
    const called = calleeName(call);
    if (
      index === 0 &&
      call?.callee.type === "Identifier" &&
      call.arguments[0] === owner &&
      this.setters.has(called)
    ) {
      const state = this.resolve(this.setters.get(called) ?? "", parents);
      const shared = state && this.sharedOf(state);
      return { ...shared, origin: "parameter", kind: shared?.kind };
    }
    if (index === 0 && this.reducers.has(owner)) {
      const initial = this.reducers.get(owner);
      return { origin: "parameter", kind: this.kindAt(initial, []), initial };
    }
    if (index === 0 && isComponent(owner, parents))
      return { origin: "props", kind: owner.params[0] === node ? "object" : undefined };
    if (call?.callee.type !== "MemberExpression" || call.arguments[0] !== owner) return undefined;
    if (owner.params[index ?? 0] !== node || !this.sharedRoot(call.callee.object, parents)) return undefined;
    if ((called === "map" || called === "flatMap") && index === 0)
      return { origin: returns(owner, nameIn(node)) ? "parameter" : "part", kind: undefined };
    return ITERATING.has(called) && index === 0 ? { origin: "part", kind: undefined } : undefined;
  }

  /** What the part of a value at a path is, by how the value is written. */
  kindAt(source: Node | undefined, path: readonly Step[]): Kind | undefined {
    const written = source && this.writtenValue(source);
    if (!written) return undefined;
    const [step, ...rest] = path;
    if (step === undefined) return kindOf(written);
    if (written.type === "ObjectExpression") return this.kindAt(propertyOf(written, nameOf(step)), rest);
    if (written.type === "ArrayExpression" && step.computed)
      return this.kindAt(written.elements[0] ?? undefined, rest);
    return undefined;
  }

  /** Follows a function that makes the value, and a name of the module. */
  private writtenValue(source: Node): Node | undefined {
    const node = plain(source);
    if (node.type === "ArrowFunctionExpression")
      return node.body.type === "BlockStatement" ? undefined : this.writtenValue(node.body as Node);
    if (node.type !== "Identifier") return node;
    const init = this.resolve(node.name, [this.program])?.declarator?.init;
    return init && init.type !== "Identifier" ? plain(init) : undefined;
  }
}

const REDUCERS = Symbol("reducers");

/** How many steps of a path lead to parts that a shallow copy was given here: one in `{ ...user, address: { … } }`. */
export function ownParts(copy: Node | undefined, [step, ...rest]: readonly Step[]): number {
  if (copy?.type !== "ObjectExpression" || step === undefined) return 0;
  const value = propertyOf(copy, nameOf(step));
  if (!value) return 0;
  return 1 + (value.type === "ObjectExpression" ? ownParts(value, rest) : rest.length);
}

/** What a shallow copy is made from: `[...a]`, `{ ...a }`, `a.slice()`, `new Set(a)`. */
export function copiedBy(init: Node): { of: Node; kind: Kind } | undefined {
  const node = plain(init);
  if (node.type === "ArrayExpression" || node.type === "ObjectExpression") {
    const parts: readonly (Node | null)[] = node.type === "ArrayExpression" ? node.elements : node.properties;
    const spread = parts.find((one) => one?.type === "SpreadElement");
    const kind = node.type === "ArrayExpression" ? "list" : "object";
    return spread?.type === "SpreadElement" ? { of: spread.argument, kind } : undefined;
  }
  const first =
    node.type === "CallExpression" || node.type === "NewExpression" ? node.arguments[0] : undefined;
  if (node.type === "NewExpression") {
    const kind = kindOf(node);
    return first && (kind === "Set" || kind === "Map") ? { of: first, kind } : undefined;
  }
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return undefined;
  const { object } = node.callee;
  const name = calleeName(node);
  if (object.type === "Identifier" && object.name === "Array" && name === "from")
    return first && node.arguments.length === 1 ? { of: first, kind: "list" } : undefined;
  if (object.type === "Identifier" && object.name === "Object" && name === "assign") {
    const from = node.arguments[1];
    return first?.type === "ObjectExpression" && from ? { of: from, kind: "object" } : undefined;
  }
  return COPYING.has(name) ? { of: object, kind: "list" } : undefined;
}

function kindOf(node: Node): Kind | undefined {
  if (node.type === "ArrayExpression") return "list";
  if (node.type === "ObjectExpression") return "object";
  if (node.type === "NewExpression") {
    const name = node.callee.type === "Identifier" ? node.callee.name : "";
    return name === "Set" || name === "Map" ? name : name === "Array" ? "list" : "instance";
  }
  if (node.type !== "CallExpression") return undefined;
  const name = calleeName(node);
  return name === "Array" || (node.callee.type === "MemberExpression" && LISTS.has(name))
    ? "list"
    : undefined;
}

function propertyOf(
  object: Extract<Node, { type: "ObjectExpression" }>,
  name: string | undefined,
): Node | undefined {
  const found = object.properties.find(
    (one) => one.type === "Property" && nameOf({ key: one.key, computed: one.computed }) === name,
  );
  return name !== undefined && found?.type === "Property" ? found.value : undefined;
}

function nameIn(node: Node): string {
  return node.type === "Identifier" ? node.name : "";
}

/** True if a function returns something that a name is part of. */
function returns(owner: FunctionNode, name: string): boolean {
  if (owner.body && owner.body.type !== "BlockStatement") return mentions(owner.body as Node, name);
  let found = false;
  walk(owner, (node) => {
    if (node.type === "ReturnStatement" && node.argument && mentions(node.argument, name)) found = true;
    return !found && (node === owner || !isFunction(node));
  });
  return found;
}

/** Components are named with a capital letter or wrapped, and contain elements. */
function isComponent(owner: FunctionNode, parents: readonly Node[]): boolean {
  const parent = parents.at(-1);
  const wrapped = /^(?:memo|forwardRef)$/.test(calleeName(parent));
  const name =
    (owner.type !== "ArrowFunctionExpression" && owner.id?.name) ||
    (parent?.type === "VariableDeclarator" ? nameIn(parent.id) : "");
  return (wrapped || /^[A-Z]/.test(name)) && contains(owner, isElement);
}

/** The functions that `useReducer` is given, each with its initial state. */
function reducersIn(program: Program): Map<FunctionNode, Node | undefined> {
  const found = new Map<FunctionNode, Node | undefined>();
  const { resolve } = scopesOf(program);
  walk(program, (node, parents) => {
    if (node.type !== "CallExpression" || calleeName(node) !== "useReducer") return undefined;
    const [reducer, initial] = node.arguments as Node[];
    const named = reducer?.type === "Identifier" ? resolve(reducer.name, parents) : undefined;
    const owner = named ? (named.declares ?? named.declarator?.init ?? undefined) : reducer;
    if (isFunction(owner)) found.set(owner, initial);
    return undefined;
  });
  return found;
}
