import type { Action } from "./action.ts";
import { exactAfter, filesIn, folderIn, quotedIn, textAfter as text, unquoted } from "./clauses.ts";

interface FileRule {
  operation: string;
  read(clause: string, files: string[]): { arguments: Record<string, unknown>; aim: string } | undefined;
}

const HOLDING =
  /\b(?:saying|says|that says|containing|contains|with\s+(?:the\s+)?(?:text|content|contents|words?)|with)\b\s*:?\s*(.+)$/is;

/** In the order in which they are tried. */
const FILE_RULES: readonly FileRule[] = [
  {
    operation: "exists",
    read(clause, [path]) {
      const asked =
        /\b(?:exists?|is there (?:an? )?(?:file)?|(?:do|does) (?:we|i|you|it|this project) have)\b|^(?:please )?find\s+\S+$/i.test(
          clause,
        );
      return asked && path ? { arguments: { path }, aim: `whether ${path} exists` } : undefined;
    },
  },
  {
    operation: "search",
    read(clause) {
      const query =
        text(
          clause,
          /\b(?:search|grep|look|scan)\b.*?\b(?:files?|folders?|project|code(?:base)?|director(?:y|ies)|repo(?:sitory)?|sources?)\b.*?\bfor\s+(.+)/is,
        ) ??
        text(
          clause,
          /\b(?:search|grep|look|find)\s+(?:for\s+)?(.+?)\s+in\s+(?:the\s+|all\s+|my\s+|these\s+|this\s+)*(?:files?|folder|project|code(?:base)?|directory|repo(?:sitory)?|sources?)\b/is,
        ) ??
        text(
          clause,
          /\bfiles?\s+(?:(?:that|which)\s+)?(?:contain(?:s|ing)?|mention(?:s|ing)?|uses?|has|have)\s+(.+)/is,
        ) ??
        text(clause, /\bgrep\s+(?:for\s+)?(.+)/is);
      if (!query) return undefined;
      const wanted =
        quotedIn(query) ?? query.replace(/\s+(?:in\s+)?(?:here|this (?:folder|project|directory))$/i, "");
      const path = text(clause, /\b(?:files?|code|folder)\s+(?:in|under|of)\s+([\w./-]+)\s+for\b/i) ?? ".";
      return { arguments: { path, query: wanted }, aim: `the files that mention “${wanted}”` };
    },
  },
  {
    operation: "edit",
    read(clause, files) {
      const match =
        /\b(?:replace|change)\s+(.+?)\s+(?:with|by|to|into)\s+(.+?)\s+in\s+(?:the\s+file\s+)?\S+$/is.exec(
          clause,
        );
      const path = files.at(-1);
      if (!match?.[1] || !match[2] || !path) return undefined;
      const [oldText, newText] = [unquoted(match[1]), unquoted(match[2])];
      return {
        arguments: { path, oldText, newText },
        aim: `“${newText}” in place of “${oldText}” in ${path}`,
      };
    },
  },
  {
    operation: "move",
    read(clause, [path, destination]) {
      if (!/\b(move|rename)\b/i.test(clause) || !path || !destination) return undefined;
      return { arguments: { path, destination }, aim: `${path} moved to ${destination}` };
    },
  },
  {
    operation: "delete",
    read(clause, [path]) {
      const asked = /\b(delete|remove|erase)\b/i.test(clause);
      return asked && path ? { arguments: { path }, aim: `${path} deleted` } : undefined;
    },
  },
  {
    operation: "write",
    read(clause, files) {
      const verb = /\b(write|create|save|make|add|put|store)\b/i.test(clause);
      const [path] = files;
      if (!verb || !(path || /\b(?:a|new|the)\s+(?:new\s+)?(?:text\s+)?file\b/i.test(clause)))
        return undefined;
      const into =
        /\b(?:write|save|put|store|add)\s+(.+?)\s+(?:to|into|in|as)\s+(?:a\s+|the\s+)?(?:file\s+)?(?:called\s+|named\s+)?[`"']?[\w./-]+\.\w+/is;
      const content =
        exactAfter(clause, HOLDING) ??
        exactAfter(clause, /\.\w{1,8}[`"']?\s*:\s*(.+)$/is) ??
        exactAfter(clause, into) ??
        "";
      const name = path ?? "notes.txt";
      return { arguments: { path: name, content: `${unquoted(content)}\n` }, aim: `${name} written` };
    },
  },
  {
    operation: "metadata",
    read(clause, [path]) {
      const asked =
        /\b(how (?:big|large|old|long)|size|metadata|details|last (?:changed|modified)|when was)\b/i.test(
          clause,
        );
      return asked && path ? { arguments: { path }, aim: `the details of ${path}` } : undefined;
    },
  },
  {
    operation: "read",
    read(clause, [path]) {
      const asked =
        /\b(read|open|show|cat|print|display|view|what(?:'s| is| does| are)|summari[sz]e|explain|look at|tell)\b/i.test(
          clause,
        );
      return asked && path ? { arguments: { path }, aim: `what ${path} says` } : undefined;
    },
  },
  {
    operation: "list",
    read(clause) {
      const asked =
        /\b(list|show|what|which|see|display|ls|tell|how many|count)\b.*\b(files?|folders?|director(?:y|ies)|contents)\b/i.test(
          clause,
        ) ||
        /^(?:please\s+)?(?:ls|dir)\b/i.test(clause) ||
        /^(?:please\s+)?list\s+(?:\.|[\w.-]+\/[\w./-]*)$/i.test(clause);
      if (!asked) return undefined;
      const path =
        folderIn(clause) ??
        text(clause, /\b(?:list|ls|dir)\s+(\.?[\w./-]*\/[\w./-]*)/i) ??
        text(clause, /^(?:ls|dir)\s+([\w.][\w.-]*)$/i) ??
        ".";
      return { arguments: { path }, aim: path === "." ? "the files here" : `the files in ${path}` };
    },
  },
];

/** Plans what a clause wants to do with files. */
export function readFiles(clause: string): Action[] {
  const files = filesIn(clause);
  for (const rule of FILE_RULES) {
    const found = rule.read(clause, files);
    if (!found) continue;
    if (rule.operation !== "read" || files.length === 1) return [fileAction(rule.operation, found)];
    return files.map((path) => fileAction("read", { arguments: { path }, aim: `what ${path} says` }));
  }
  return [];
}

/** Plans a call of the filesystem tool. */
export function fileAction(
  operation: string,
  found: { arguments: Record<string, unknown>; aim: string },
): Action {
  return { tool: "filesystem", arguments: { operation, ...found.arguments }, aim: found.aim };
}
