import MagicString from "magic-string";
import type { ArtifactIssue } from "../../../protocol/events.ts";
import { issueAt } from "../source.ts";
import { boundIn } from "./names.ts";
import { calleeName, contains, isElement, tagOf, withoutExport, withoutParentheses } from "./nodes.ts";
import { type Node, type Program, walk } from "./parse.ts";

export interface Changed {
  code: string;
  issues: ArtifactIssue[];
}

/** Makes the module export one component by default, and removes code that mounts it. */
export function fixExports(code: string, program: Program): Changed {
  const text = new MagicString(code);
  const issues: ArtifactIssue[] = [];
  const fixed = (message: string, node: Node) => issues.push(issueAt("fixed", message, code, node.start));
  let mounted: string | undefined;
  let exported = false;
  for (const statement of program.body) {
    const element = mountedElement(statement);
    if (element) {
      mounted ??= componentIn(element);
      text.remove(statement.start, statement.end);
      fixed("The code that mounts the component was removed: the frame does that.", statement);
    } else if (isRoot(statement, code)) text.remove(statement.start, statement.end);
    else if (commonJs(statement, text, code, fixed)) exported = true;
  }
  const defaults = program.body.filter((one) => one.type === "ExportDefaultDeclaration");
  const components = componentsOf(program);
  const chosen = choose(components, mounted);
  const [first, ...others] = defaults;
  for (const other of others) {
    demote(other, text, code);
    fixed("There was more than one default export.", other);
  }
  if (first) fixDefault(first, text, code, chosen, program, fixed);
  else if (!exported && !exportsAsDefault(program)) addDefault(program, text, code, chosen, issues);
  return { code: text.toString(), issues };
}

/** `export { App as default }` */
function exportsAsDefault(program: Program): boolean {
  return program.body.some(
    (statement) =>
      statement.type === "ExportNamedDeclaration" &&
      statement.specifiers.some(
        ({ exported }) => exported.type === "Identifier" && exported.name === "default",
      ),
  );
}

/** The element in `root.render(<App />)` and similar calls. */
function mountedElement(statement: Node): Node | undefined {
  if (statement.type !== "ExpressionStatement") return undefined;
  const call = statement.expression;
  if (call.type !== "CallExpression" || !/^(?:render|hydrate|hydrateRoot|mount)$/.test(calleeName(call)))
    return undefined;
  return call.arguments.map(withoutParentheses).find((one) => isElement(one) || isCreate(one));
}

function isCreate(node: Node): boolean {
  return (
    node.type === "CallExpression" &&
    node.callee.type === "MemberExpression" &&
    calleeName(node) === "createElement"
  );
}

/** `const root = createRoot(…)`, which is not needed once the mounting code is removed. */
function isRoot(statement: Node, code: string): boolean {
  if (statement.type !== "VariableDeclaration") return false;
  return (
    /\bcreateRoot\s*\(/.test(code.slice(statement.start, statement.end)) &&
    statement.declarations.length === 1
  );
}

/** The first component in an element, inside wrappers such as StrictMode. */
function componentIn(element: Node): string | undefined {
  let found: string | undefined;
  walk(element, (node) => {
    if (found !== undefined) return false;
    const tag = tagOf(node);
    if (/^[A-Z]/.test(tag) && !/^(?:StrictMode|Fragment|Suspense)$/.test(tag)) found = tag;
    else if (isCreate(node) && node.type === "CallExpression" && node.arguments[0]?.type === "Identifier")
      found = node.arguments[0].name;
    return undefined;
  });
  return found;
}

/** Turns `require` and `module.exports` into imports and exports. Returns true for a new default export. */
function commonJs(
  statement: Node,
  text: MagicString,
  code: string,
  fixed: (message: string, node: Node) => void,
): boolean {
  if (statement.type === "ExpressionStatement" && statement.expression.type === "AssignmentExpression") {
    const { left, right } = statement.expression;
    const target = code.slice(left.start, left.end).replace(/\s/g, "");
    if (!/^(?:module\.exports(?:\.default)?|exports\.default)$/.test(target)) return false;
    text.overwrite(statement.start, right.start, "export default ");
    fixed("“module.exports” became an export.", statement);
    return true;
  }
  if (statement.type !== "VariableDeclaration") return false;
  for (const { id, init } of statement.declarations) {
    const source = required(init) ?? globalLibrary(init);
    if (source === undefined || statement.declarations.length !== 1) continue;
    if (id.type === "Identifier")
      text.overwrite(statement.start, statement.end, `import ${id.name} from "${source}";`);
    else if (id.type === "ObjectPattern") {
      const names = code.slice(id.start, id.end).replace(/:/g, " as ");
      text.overwrite(statement.start, statement.end, `import ${names} from "${source}";`);
    } else continue;
    fixed("A library was taken from somewhere else than an import.", statement);
  }
  return false;
}

function required(init: Node | null): string | undefined {
  if (init?.type !== "CallExpression" || init.callee.type !== "Identifier" || init.callee.name !== "require")
    return undefined;
  const [source] = init.arguments;
  return source?.type === "Literal" && typeof source.value === "string" ? source.value : undefined;
}

/** The global names of libraries that pages load by script. */
const GLOBAL_LIBRARIES: Record<string, string> = {
  Recharts: "recharts",
  Motion: "framer-motion",
  FramerMotion: "framer-motion",
  LucideReact: "lucide-react",
  lucideReact: "lucide-react",
  lucide: "lucide-react",
};

/** The name of a global, by itself or as a property of `window`. */
function globalName(init: Node | null): string | undefined {
  if (init?.type === "Identifier") return init.name;
  if (init?.type !== "MemberExpression" || init.property.type !== "Identifier") return undefined;
  return init.object.type === "Identifier" && init.object.name === "window" ? init.property.name : undefined;
}

function globalLibrary(init: Node | null): string | undefined {
  const name = globalName(init);
  if (name === undefined) return undefined;
  if (init?.type === "MemberExpression" && (name === "React" || name === "ReactDOM"))
    return name === "React" ? "react" : "react-dom";
  return Object.hasOwn(GLOBAL_LIBRARIES, name) ? GLOBAL_LIBRARIES[name] : undefined;
}

interface Component {
  name: string;
  hasJsx: boolean;
}

function componentsOf(program: Program): Component[] {
  const found: Component[] = [];
  for (const statement of program.body) {
    const declaration = withoutExport(statement);
    if (declaration.type === "FunctionDeclaration" || declaration.type === "ClassDeclaration") {
      if (declaration.id) found.push({ name: declaration.id.name, hasJsx: holdsJsx(declaration) });
    } else if (declaration.type === "VariableDeclaration") {
      for (const { id, init } of declaration.declarations) {
        const made =
          init &&
          /^(?:ArrowFunctionExpression|FunctionExpression|CallExpression|ClassExpression)$/.test(init.type);
        if (made) for (const { name } of boundIn(id)) found.push({ name, hasJsx: holdsJsx(init) });
      }
    }
  }
  return found;
}

function holdsJsx(root: Node): boolean {
  return contains(root, (node) => isElement(node) || isCreate(node));
}

/** The mounted component, else `App`, else the last component. */
function choose(components: Component[], mounted: string | undefined): string | undefined {
  const named = components.filter(({ name }) => /^[A-Z]/.test(name));
  const byName = (name: string | undefined) => components.find((one) => one.name === name)?.name;
  return (
    byName(mounted) ??
    named.find(({ name, hasJsx }) => name === "App" && hasJsx)?.name ??
    named.findLast(({ hasJsx }) => hasJsx)?.name ??
    components.findLast(({ hasJsx }) => hasJsx)?.name
  );
}

/** Removes `export default` from a declaration, or the whole statement where it declares nothing. */
function demote(statement: Node, text: MagicString, code: string): void {
  if (statement.type !== "ExportDefaultDeclaration") return;
  const { declaration } = statement;
  const named =
    (declaration.type === "FunctionDeclaration" || declaration.type === "ClassDeclaration") && declaration.id;
  if (named) text.remove(statement.start, declaration.start);
  else text.remove(statement.start, code[statement.end] === "\n" ? statement.end + 1 : statement.end);
}

function fixDefault(
  statement: Node,
  text: MagicString,
  code: string,
  chosen: string | undefined,
  program: Program,
  fixed: (message: string, node: Node) => void,
): void {
  if (statement.type !== "ExportDefaultDeclaration") return;
  const declaration = withoutParentheses(statement.declaration);
  if (isElement(declaration)) {
    text.appendLeft(statement.declaration.start, "() => ");
    fixed("An element was exported in place of a component.", statement);
  } else if (
    declaration.type === "Identifier" &&
    chosen !== undefined &&
    !isDeclared(program, declaration.name)
  ) {
    text.overwrite(declaration.start, declaration.end, chosen);
    fixed(`“${declaration.name}” was exported but is not there; “${chosen}” is.`, statement);
  } else if (declaration.type === "ObjectExpression" && chosen !== undefined) {
    text.overwrite(declaration.start, declaration.end, chosen);
    fixed(`An object was exported in place of the component “${chosen}”.`, statement);
  } else if (
    declaration.type === "CallExpression" &&
    /^(?:ReactDOM\.)?render\b/.test(code.slice(declaration.start, declaration.end)) &&
    chosen
  ) {
    text.overwrite(declaration.start, declaration.end, chosen);
  }
}

function isDeclared(program: Program, wanted: string): boolean {
  return program.body.some((statement) => {
    const inner = withoutExport(statement);
    if (inner.type === "FunctionDeclaration" || inner.type === "ClassDeclaration")
      return inner.id?.name === wanted;
    if (inner.type === "VariableDeclaration")
      return inner.declarations.some(({ id }) => boundIn(id).some(({ name }) => name === wanted));
    if (inner.type === "ImportDeclaration")
      return inner.specifiers.some(({ local }) => local.name === wanted);
    return false;
  });
}

function addDefault(
  program: Program,
  text: MagicString,
  code: string,
  chosen: string | undefined,
  issues: ArtifactIssue[],
): void {
  if (chosen !== undefined) {
    text.append(`\n\nexport default ${chosen};\n`);
    issues.push({ severity: "fixed", message: `“${chosen}” is exported as the component to show.` });
    return;
  }
  const statement = program.body.findLast((one) => one.type === "ExpressionStatement");
  const expression =
    statement?.type === "ExpressionStatement" ? withoutParentheses(statement.expression) : undefined;
  if (statement && expression && isElement(expression)) {
    const element = code.slice(expression.start, expression.end);
    text.overwrite(
      statement.start,
      statement.end,
      `export default function App() {\n  return (\n    ${element}\n  );\n}`,
    );
    issues.push(issueAt("fixed", "Elements alone became a component.", code, statement.start));
  } else if (
    statement &&
    expression &&
    /^(?:ArrowFunctionExpression|FunctionExpression)$/.test(expression.type)
  ) {
    text.appendLeft(statement.start, "export default ");
    issues.push(
      issueAt("fixed", "A function without a name became the component to show.", code, statement.start),
    );
  } else {
    issues.push({
      severity: "error",
      message:
        "There is no component to show: export one by default, such as “export default function App() { … }”.",
    });
  }
}
