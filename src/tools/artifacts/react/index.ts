import MagicString from "magic-string";
import type { ArtifactIssue } from "../../../protocol/events.ts";
import { unwrap } from "../fences.ts";
import { issueAt } from "../source.ts";
import type { Vendor } from "../vendor.ts";
import { fixAttributes } from "./attributes.ts";
import { componentInDocument } from "./document.ts";
import { fixElements } from "./elements.ts";
import { type Changed, fixExports } from "./exports.ts";
import { fixImports } from "./imports.ts";
import { forgetTree, type Program, parseModule, parses, problemOf, semanticProblems, walk } from "./parse.ts";
import { repairSyntax } from "./repair.ts";
import { fixReserved } from "./reserved.ts";
import { fixState } from "./state.ts";
import { stripTypes } from "./types.ts";

const STORAGE = /\b(?:localStorage|sessionStorage|indexedDB)\b/;

type Pass = (code: string, program: Program) => Changed;
type Fix = (code: string, program: Program, text: MagicString) => ArtifactIssue[];

/** Repairs a React component, so that it is a module that runs in the frame. */
export function processReact(original: string, vendor: Vendor): { code: string; issues: ArtifactIssue[] } {
  try {
    return repair(original, vendor);
  } finally {
    forgetTree();
  }
}

function repair(original: string, vendor: Vendor): { code: string; issues: ArtifactIssue[] } {
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
  let program: Program | undefined;
  /** Applies a pass. Its result is dropped where it does not parse. */
  const apply = (pass: Pass): boolean => {
    program ??= parseModule(code).program;
    const result = pass(code, program);
    if (result.code !== code && !parses(result.code)) return false;
    issues.push(...result.issues);
    // Code that was only appended to keeps its offsets, so the tree stays valid.
    if (!result.code.startsWith(code)) program = undefined;
    ({ code } = result);
    return true;
  };
  apply((text, tree) => fixReserved(text, tree, repaired.renamed));
  apply(stripTypes);
  apply(fixExports);
  const imports: Fix = (...place) => fixImports(...place, vendor);
  const fixes = [imports, ...INSIDE];
  if (!apply(together(fixes))) for (const fix of fixes) apply(together([fix]));
  for (const { message, start } of semanticProblems(code))
    issues.push(issueAt("error", message, code, start));
  if (STORAGE.test(code)) issues.push(...warnings(code, parseModule(code).program));
  return { code, issues };
}

/** Fixes inside components. */
const INSIDE: readonly Fix[] = [fixElements, fixAttributes, fixState];

/** Combines fixes that never touch the same places. */
function together(fixes: readonly Fix[]): Pass {
  return (code, program) => {
    const text = new MagicString(code);
    const issues = fixes.flatMap((fix) => fix(code, program, text));
    return { code: issues.length > 0 ? text.toString() : code, issues };
  };
}

/** Reports features that behave differently in a frame. */
function warnings(code: string, program: Program): ArtifactIssue[] {
  const found: ArtifactIssue[] = [];
  walk(program, (node) => {
    if (node.type !== "Identifier" || !STORAGE.test(node.name) || found.length > 0) return;
    const message = `“${node.name}” is kept in memory only: what is stored is gone when the artifact is reloaded.`;
    found.push(issueAt("warning", message, code, node.start));
  });
  return found;
}
