import MagicString from "magic-string";
import type { ArtifactIssue } from "../../protocol/events.ts";
import { unwrap } from "../fences.ts";
import { issueAt } from "../source.ts";
import type { Vendor } from "../vendor.ts";
import { fixAttributes } from "./attributes.ts";
import { componentInDocument } from "./document.ts";
import { fixElements } from "./elements.ts";
import { type Changed, fixExports } from "./exports.ts";
import { fixImports } from "./imports.ts";
import { type Program, parseModule, problemOf, semanticProblems, walk } from "./parse.ts";
import { repairSyntax } from "./repair.ts";
import { fixReserved } from "./reserved.ts";
import { fixState } from "./state.ts";
import { stripTypes } from "./types.ts";

const STORAGE = /\b(?:localStorage|sessionStorage|indexedDB)\b/;

type Pass = (code: string, program: Program) => Changed;

/** Takes a React component from whatever a model wrote to a module that runs in the frame. */
export function processReact(original: string, vendor: Vendor): { code: string; issues: ArtifactIssue[] } {
  const { code: unwrapped, issues } = unwrap(
    original,
    (text) => !/^\s*```/.test(text) && problemOf(text) === undefined,
  );
  const inDocument = componentInDocument(unwrapped);
  if (inDocument) issues.push(...inDocument.issues);
  const repaired = repairSyntax(inDocument?.code ?? unwrapped);
  issues.push(...repaired.issues);
  let { code } = repaired;
  if (repaired.problem) {
    const { message, start } = repaired.problem;
    return { code, issues: [...issues, issueAt("error", message, code, start)] };
  }
  let parsed = parseModule(code);
  const passes: Pass[] = [
    (text, tree) => fixReserved(text, tree, repaired.renamed),
    stripTypes,
    fixExports,
    (text, tree) => fixImports(text, tree, vendor),
    fixInside,
  ];
  for (const pass of passes) {
    const result = pass(code, parsed.program);
    const next = result.code === code ? parsed : parseModule(result.code);
    if (next.problem) continue; // A repair that breaks what it should mend is none.
    issues.push(...result.issues);
    ({ code } = result);
    parsed = next;
  }
  for (const { message, start } of semanticProblems(code))
    issues.push(issueAt("error", message, code, start));
  if (STORAGE.test(code)) issues.push(...warnings(code, parsed.program));
  return { code, issues };
}

/** What is mended inside of components; these never touch the same places, so one text takes all of it. */
function fixInside(code: string, program: Program): Changed {
  const text = new MagicString(code);
  const issues = [fixElements, fixAttributes, fixState].flatMap((fix) => fix(code, program, text));
  return { code: issues.length > 0 ? text.toString() : code, issues };
}

/** What works here otherwise than the code may expect. */
function warnings(code: string, program: Program): ArtifactIssue[] {
  const found: ArtifactIssue[] = [];
  walk(program, (node) => {
    if (node.type !== "Identifier" || !STORAGE.test(node.name) || found.length > 0) return;
    const message = `“${node.name}” is kept in memory only: what is stored is gone when the artifact is reloaded.`;
    found.push(issueAt("warning", message, code, node.start));
  });
  return found;
}
