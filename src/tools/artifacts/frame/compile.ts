import MagicString from "magic-string";
import { parseSync } from "oxc-parser";
import { transformSync } from "oxc-transform";
import { tailwindFor } from "../tailwind.ts";
import { browserScript } from "./browser-script.ts";

export interface CompiledComponent {
  /** A module that shows the component in `#root`. */
  script: string;
  css: string;
  /** The vendored modules that it imports. */
  imports: string[];
}

/** Shows the component `$tackleDefault` in `#root`. */
const MOUNT = browserScript("mount.js");

const MAX_KEPT = 8;
const kept = new Map<string, Promise<CompiledComponent>>();

/** Compiles a component for the frame. The latest results are cached. */
export function compileComponent(code: string): Promise<CompiledComponent> {
  const known = kept.get(code) ?? compile(code);
  kept.delete(code);
  kept.set(code, known);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return known;
}

async function compile(code: string): Promise<CompiledComponent> {
  const result = transformSync("artifact.tsx", code, { sourceType: "module", jsx: { runtime: "automatic" } });
  const [error] = result.errors;
  if (error) throw new Error(error.message);
  const { script, imports } = mounted(result.code);
  return { script, imports, css: await tailwindFor(code) };
}

/** Replaces the module's exports with code that mounts its default export. */
function mounted(code: string): { script: string; imports: string[] } {
  const { program } = parseSync("artifact.js", code, { sourceType: "module" });
  const text = new MagicString(code);
  const imports = ["react", "react-dom/client"];
  let name = "undefined";
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") imports.push(statement.source.value);
    if (statement.type === "ExportDefaultDeclaration") {
      const { declaration } = statement;
      const isNamed =
        (declaration.type === "FunctionDeclaration" || declaration.type === "ClassDeclaration") &&
        declaration.id;
      if (isNamed) {
        text.remove(statement.start, declaration.start);
        name = isNamed.name;
      } else {
        text.overwrite(statement.start, declaration.start, "const $tackleExported = ");
        name = "$tackleExported";
      }
    } else if (statement.type === "ExportNamedDeclaration") {
      if (statement.declaration) text.remove(statement.start, statement.declaration.start);
      else {
        const own = statement.specifiers.find(
          ({ exported }) => exported.type === "Identifier" && exported.name === "default",
        );
        if (own) name = code.slice(own.local.start, own.local.end);
        text.remove(statement.start, statement.end);
      }
    } else if (statement.type === "ExportAllDeclaration") text.remove(statement.start, statement.end);
  }
  const script = `${text.toString()}\nconst $tackleDefault = ${name};\n${MOUNT}`;
  return { script, imports: [...new Set(imports)] };
}
