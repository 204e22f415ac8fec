import type MagicString from "magic-string";
import type { ImportDeclarationSpecifier } from "oxc-parser";
import type { ArtifactIssue } from "../../../protocol/events.ts";
import { issueAt } from "../source.ts";
import type { Vendor } from "../vendor.ts";
import { Icons } from "./icons.ts";
import { resolveModule } from "./modules.ts";
import { boundIn, type Names, namesOf, type Reference } from "./names.ts";
import { freeName, withoutExport } from "./nodes.ts";
import type { Node, Program } from "./parse.ts";

/** One imported name as it will be written. */
interface Entry {
  module: string;
  /** `default`, `*`, or the exported name. */
  imported: string;
  local: string;
}

/** Globals of every browser. An import must not hide them from code that uses them. */
const BUILT_IN = new Set(
  "Map Set Date Image Array Object Number String Symbol Promise Error Infinity Math JSON URL File Blob Text Option Event History Location Navigator Proxy WeakMap".split(
    " ",
  ),
);
const LIBRARIES =
  "react react-dom/client react-dom framer-motion recharts lucide-react @/components/ui".split(" ");
/** `motion`, hooks and components. */
const IMPORTABLE = /^(?:motion|m)$|^use[A-Z]|^[A-Z]/;

/** Checks imports against the vendored modules, fixes what can be fixed, and adds what is missing. */
export function fixImports(
  code: string,
  program: Program,
  text: MagicString,
  vendor: Vendor,
): ArtifactIssue[] {
  return new ImportFixer(code, program, text, vendor).run();
}

/** `default`, `*`, or the name under which a module exports it. */
function importedName(specifier: ImportDeclarationSpecifier): string {
  if (specifier.type === "ImportDefaultSpecifier") return "default";
  if (specifier.type === "ImportNamespaceSpecifier") return "*";
  const { imported } = specifier;
  return imported.type === "Identifier" ? imported.name : imported.value;
}

class ImportFixer {
  private readonly code: string;
  private readonly program: Program;
  private readonly vendor: Vendor;
  private readonly names: Names;
  private readonly icons: Icons;
  private readonly text: MagicString;
  private readonly issues: ArtifactIssue[] = [];
  private readonly entries: Entry[] = [];
  private readonly standIns: string[] = [];
  private changed = false;

  constructor(code: string, program: Program, text: MagicString, vendor: Vendor) {
    this.code = code;
    this.program = program;
    this.vendor = vendor;
    this.names = namesOf(program);
    this.icons = new Icons(vendor);
    this.text = text;
  }

  run(): ArtifactIssue[] {
    const statements = this.program.body.filter((one) => one.type === "ImportDeclaration");
    for (const statement of statements) this.take(statement);
    this.addMissing();
    if (!this.changed) return this.issues;
    for (const { start, end } of statements) this.text.remove(start, this.code[end] === "\n" ? end + 1 : end);
    const block = [...importLines(this.entries), ...this.standIns].join("\n");
    const at = statements[0]?.start ?? directivesEnd(this.program);
    this.text.appendLeft(
      at,
      block === "" ? "" : `${at > 0 && statements.length === 0 ? "\n" : ""}${block}\n`,
    );
    return this.issues;
  }

  private fixed(message: string, at = 0): void {
    this.changed = true;
    this.issues.push(issueAt("fixed", message, this.code, at));
  }

  private take(statement: Node): void {
    if (statement.type !== "ImportDeclaration") return;
    const source = statement.source.value;
    const resolved = resolveModule(source, this.vendor);
    if (resolved.kind === "dropped") return void this.fixed(resolved.why, statement.start);
    if (resolved.kind === "unknown") {
      this.issues.push(issueAt("error", unknownModule(source, this.vendor), this.code, statement.start));
      this.standIns.push(this.code.slice(statement.start, statement.end));
      return;
    }
    if (resolved.kind === "vendored" && resolved.fixed !== undefined)
      this.fixed(resolved.fixed, statement.start);
    for (const specifier of statement.specifiers) {
      const local = specifier.local.name;
      const imported = importedName(specifier);
      if (resolved.kind === "vendored") this.takeName({ module: resolved.name, imported, local }, specifier);
      else if (resolved.kind === "icons") {
        const wanted = resolved.nameOf(imported === "default" ? source : imported);
        this.fixed(`“${source}” is not there; icons of lucide-react stand in.`, specifier.start);
        this.add({ module: "lucide-react", imported: this.icons.nearest(wanted), local }, specifier);
      } else {
        const line = resolved.write(imported, local);
        this.fixed(`“${source}” is written out as a stand-in.`, specifier.start);
        if (line !== undefined) this.standIns.push(line);
        else
          this.issues.push(
            issueAt("error", `“${imported}” of “${source}” is not there.`, this.code, specifier.start),
          );
      }
    }
  }

  /** Takes a name of a vendored module, corrected where it does not exist. */
  private takeName(entry: Entry, specifier: Node): void {
    const { module, imported, local } = entry;
    const offered = this.vendor.modules.get(module)?.exports ?? new Set<string>();
    if (imported === "*" || offered.has(imported)) return void this.add(entry, specifier);
    if (imported === "default") {
      if (offered.has(local)) {
        this.fixed(`“${local}” is not the default export of “${module}”.`, specifier.start);
        return void this.add({ ...entry, imported: local }, specifier);
      }
      this.fixed(`“${module}” has no default export.`, specifier.start);
      return void this.add({ ...entry, imported: "*" }, specifier);
    }
    const isUsed = this.names.references.some(({ name }) => name === local);
    if (!isUsed)
      return void this.fixed(`“${imported}” is not in “${module}” and nothing uses it.`, specifier.start);
    if (imported === "React" || imported === "ReactDOM") {
      this.fixed(`“${imported}” is the default export.`, specifier.start);
      return void this.add(
        { module: imported === "React" ? "react" : "react-dom", imported: "default", local },
        specifier,
      );
    }
    if (module === "lucide-react") {
      const nearest = this.icons.nearest(imported);
      this.fixed(`There is no icon “${imported}”; “${nearest}” stands in.`, specifier.start);
      return void this.add({ ...entry, imported: nearest }, specifier);
    }
    const home = LIBRARIES.find((one) => this.vendor.modules.get(one)?.exports.has(imported));
    if (home !== undefined) {
      this.fixed(`“${imported}” is in “${home}”, not in “${module}”.`, specifier.start);
      return void this.add({ ...entry, module: home }, specifier);
    }
    this.issues.push(issueAt("error", `“${module}” has no “${imported}”.`, this.code, specifier.start));
    this.entries.push(entry);
  }

  /** Adds an import. A name that is already used for something else gets an alias. */
  private add(entry: Entry, node: Node): void {
    const { local } = entry;
    const same = this.entries.find((one) => one.local === local);
    if (same) {
      if (same.module === entry.module && same.imported === entry.imported)
        return void this.fixed(`“${local}” was imported twice.`, node.start);
      const alias = freeName(`${local}Icon`, (name) => this.isKnown(name));
      const iconFirst = same.module === "lucide-react";
      this.fixed(`Two imports were called “${local}”; the icon is “${alias}” now.`, node.start);
      this.renameElements(local, alias, looksLikeIcon);
      if (iconFirst) same.local = alias;
      this.entries.push(iconFirst ? entry : { ...entry, local: alias });
      return;
    }
    const declaredElsewhere = this.topLevelDeclaration(local);
    if (declaredElsewhere === "destructured")
      return void this.fixed(`“${local}” was declared twice.`, node.start);
    const taken = declaredElsewhere === "declared" || (BUILT_IN.has(local) && this.usedAsBuiltIn(local));
    if (taken) {
      const alias = freeName(`${local}Icon`, (name) => this.isKnown(name));
      this.fixed(`“${local}” means two things; the import is “${alias}” now.`, node.start);
      this.renameElements(local, alias, () => true);
      this.entries.push({ ...entry, local: alias });
      return;
    }
    this.entries.push(entry);
  }

  /** Whether the module declares the name at its top level, or only destructures it from another variable. */
  private topLevelDeclaration(name: string): "declared" | "destructured" | undefined {
    for (const statement of this.program.body) {
      const inner = withoutExport(statement);
      if (
        (inner.type === "FunctionDeclaration" || inner.type === "ClassDeclaration") &&
        inner.id?.name === name
      )
        return "declared";
      if (inner.type !== "VariableDeclaration") continue;
      for (const { id, init } of inner.declarations) {
        if (id.type === "Identifier" && id.name === name) return "declared";
        if (id.type !== "ObjectPattern" || init?.type !== "Identifier") continue;
        if (boundIn(id).some((bound) => bound.name === name)) return "destructured";
      }
    }
    return undefined;
  }

  private usedAsBuiltIn(name: string): boolean {
    return this.names.references.some(
      ({ name: used, jsx, parent, node }) =>
        used === name &&
        !jsx &&
        ((parent.type === "NewExpression" && parent.callee === node) ||
          (parent.type === "MemberExpression" && parent.object === node)),
    );
  }

  private renameElements(name: string, alias: string, applies: (reference: Reference) => boolean): void {
    for (const reference of this.names.references) {
      if (reference.name !== name || !reference.jsx || !applies(reference)) continue;
      this.text.overwrite(reference.node.start, reference.node.end, alias);
    }
  }

  private isKnown(name: string): boolean {
    return this.names.declared.has(name) || this.entries.some(({ local }) => local === name);
  }

  /** Adds imports for names that are used but declared nowhere. */
  private addMissing(): void {
    const seen = new Set<string>();
    for (const reference of this.names.references) {
      const { name, jsx } = reference;
      if (seen.has(name) || this.isKnown(name)) continue;
      seen.add(name);
      const entry = this.homeOf(name, jsx);
      if (entry) {
        this.fixed(`“${name}” was used without an import.`, reference.node.start);
        this.entries.push(entry);
      } else if (jsx && /^[A-Z]/.test(name)) {
        const message = `<${name}> is used but is neither declared nor imported.`;
        this.issues.push(issueAt("error", message, this.code, reference.node.start));
      }
    }
  }

  private homeOf(name: string, jsx: boolean): Entry | undefined {
    if (name === "React") return { module: "react", imported: "default", local: name };
    if (name === "ReactDOM") return { module: "react-dom", imported: "default", local: name };
    if (!IMPORTABLE.test(name) || (!jsx && (BUILT_IN.has(name) || name in globalThis))) return undefined;
    const order = jsx ? this.elementHomes() : LIBRARIES;
    const module = order.find((one) => this.vendor.modules.get(one)?.exports.has(name));
    if (module !== undefined) return { module, imported: name, local: name };
    return undefined;
  }

  /** The libraries, those first that the module already imports. */
  private elementHomes(): string[] {
    const used = new Set(this.entries.map(({ module }) => module));
    return LIBRARIES.toSorted((left, right) => Number(used.has(right)) - Number(used.has(left)));
  }
}

/** Icons have no children and only attributes about their look. */
function looksLikeIcon({ parent }: Reference): boolean {
  if (parent.type !== "JSXOpeningElement" || !parent.selfClosing) return false;
  return parent.attributes.every(
    (one) =>
      one.type === "JSXAttribute" &&
      one.name.type === "JSXIdentifier" &&
      /^(?:className|size|color|stroke\w*|style|fill|key|aria-\w+|onClick)$/.test(one.name.name),
  );
}

function importLines(entries: readonly Entry[]): string[] {
  const modules = [...new Set(entries.map(({ module }) => module))];
  return modules.flatMap((module) => {
    const own = entries.filter((entry) => entry.module === module);
    const from = ` from ${JSON.stringify(module)};`;
    const [mainDefault, ...aliases] = own.filter(({ imported }) => imported === "default");
    const named = own
      .filter(({ imported }) => imported !== "default" && imported !== "*")
      .map(({ imported, local }) => (imported === local ? local : `${imported} as ${local}`));
    named.push(...aliases.map(({ local }) => `default as ${local}`));
    const parts = [mainDefault?.local, named.length > 0 ? `{ ${named.join(", ")} }` : undefined].filter(
      (part) => part !== undefined,
    );
    const lines = parts.length > 0 ? [`import ${parts.join(", ")}${from}`] : [];
    for (const { imported, local } of own) if (imported === "*") lines.push(`import * as ${local}${from}`);
    return lines;
  });
}

function directivesEnd(program: Program): number {
  let end = 0;
  for (const statement of program.body) {
    if (statement.type !== "ExpressionStatement" || !("directive" in statement) || !statement.directive)
      break;
    end = statement.end;
  }
  return end;
}

function unknownModule(source: string, vendor: Vendor): string {
  const names = [...vendor.modules.keys()].filter((name) => !name.startsWith("@radix-ui/"));
  if (/^[./]|^@\//.test(source))
    return `“${source}” cannot be imported: an artifact is one file. Write what it needs into it.`;
  return `“${source}” cannot be imported here. These can: ${names.join(", ")} and @radix-ui/react-….`;
}
