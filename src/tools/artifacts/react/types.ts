import MagicString from "magic-string";
import { transformSync } from "oxc-transform";
import type { ArtifactIssue } from "../../../protocol/events.ts";
import { namesOf } from "./names.ts";
import { type Node, type Program, parseModule, walk } from "./parse.ts";

const NOTE: ArtifactIssue = { severity: "fixed", message: "Types were removed: plain JavaScript runs here." };

/** Nodes that have to be compiled, not only removed. */
const TRANSLATED: ReadonlySet<string> = new Set(
  "TSEnumDeclaration TSModuleDeclaration TSParameterProperty TSExportAssignment TSImportEqualsDeclaration Decorator".split(
    " ",
  ),
);
const REMOVED: ReadonlySet<string> = new Set(
  (
    "TSTypeAnnotation TSInterfaceDeclaration TSTypeAliasDeclaration TSTypeParameterDeclaration " +
    "TSTypeParameterInstantiation TSClassImplements TSDeclareFunction TSAbstractMethodDefinition " +
    "TSAbstractPropertyDefinition TSIndexSignature"
  ).split(" "),
);

/** Removes all types. Annotations are cut out, so that everything else stays as it was written. */
export function stripTypes(code: string, program: Program): { code: string; issues: ArtifactIssue[] } {
  let found = false;
  let translate = false;
  const text = new MagicString(code);
  walk(program, (node, parents) => {
    const modifiers = node as Modifiers;
    if (TRANSLATED.has(node.type)) {
      found = translate = true;
      return false;
    }
    if (REMOVED.has(node.type)) {
      found = true;
      removeNode(text, code, node, parents.at(-1));
      return false;
    }
    if (
      node.type === "TSAsExpression" ||
      node.type === "TSSatisfiesExpression" ||
      node.type === "TSNonNullExpression"
    ) {
      found = true;
      text.remove(node.expression.end, node.end);
    } else if (
      (node.type === "ImportDeclaration" && node.importKind === "type") ||
      (node.type === "ExportNamedDeclaration" && node.exportKind === "type") ||
      modifiers.declare === true
    ) {
      found = true;
      text.remove(node.start, node.end);
      return false;
    } else if (node.type === "Identifier" && modifiers.optional === true) {
      found = true;
      const mark = code.indexOf("?", node.start + (node as { name: string }).name.length);
      if (mark !== -1 && mark < node.end) text.remove(mark, mark + 1);
    } else if (needsTranslation(node)) found = translate = true;
    return undefined;
  });
  if (!found) return { code, issues: [] };
  const plain = translate ? translated(code) : withoutUnusedTypes(text.toString());
  return plain === undefined ? { code, issues: [] } : { code: plain, issues: [NOTE] };
}

interface Modifiers {
  optional?: boolean;
  declare?: boolean;
  accessibility?: string | null;
  readonly?: boolean;
  definite?: boolean;
  override?: boolean;
  abstract?: boolean;
}

function needsTranslation(node: Node): boolean {
  const { accessibility, readonly, definite, override, abstract } = node as Modifiers;
  if (accessibility || readonly || definite || override || abstract) return true;
  if (node.type === "ImportSpecifier") return node.importKind === "type";
  return node.type === "ClassDeclaration" && (node.implements?.length ?? 0) > 0;
}

function removeNode(text: MagicString, code: string, node: Node, parent: Node | undefined): void {
  const exported = parent?.type === "ExportNamedDeclaration" || parent?.type === "ExportDefaultDeclaration";
  const outer = exported ? parent : node;
  const end =
    code[outer.end] === "\n" && /Declaration$|Function$/.test(node.type) ? outer.end + 1 : outer.end;
  text.remove(outer.start, end);
}

/** Compiles code whose types cannot simply be cut out. */
function translated(code: string): string | undefined {
  const result = transformSync("artifact.tsx", code, { sourceType: "module", jsx: "preserve" });
  return result.errors.length > 0 ? undefined : result.code;
}

/** Removes imports that only types used. */
function withoutUnusedTypes(code: string): string {
  const { program, problem } = parseModule(code);
  if (problem) return translated(code) ?? code;
  const used = new Set(namesOf(program).references.map(({ name }) => name));
  const text = new MagicString(code);
  for (const statement of program.body) {
    if (statement.type !== "ImportDeclaration" || statement.specifiers.length === 0) continue;
    const kept = statement.specifiers.filter(({ local }) => used.has(local.name) || local.name === "React");
    if (kept.length === statement.specifiers.length) continue;
    text.overwrite(statement.start, statement.end, importText(kept as Node[], statement.source.value));
  }
  return text.toString();
}

/** Writes an import statement; empty where there are no specifiers. */
function importText(specifiers: Node[], source: string): string {
  const named: string[] = [];
  const whole: string[] = [];
  for (const one of specifiers) {
    if (one.type === "ImportDefaultSpecifier") whole.push(one.local.name);
    else if (one.type === "ImportNamespaceSpecifier") whole.push(`* as ${one.local.name}`);
    else if (one.type === "ImportSpecifier") {
      const imported = one.imported.type === "Identifier" ? one.imported.name : one.local.name;
      named.push(imported === one.local.name ? imported : `${imported} as ${one.local.name}`);
    }
  }
  if (named.length > 0) whole.push(`{ ${named.join(", ")} }`);
  return whole.length > 0 ? `import ${whole.join(", ")} from ${JSON.stringify(source)};` : "";
}
