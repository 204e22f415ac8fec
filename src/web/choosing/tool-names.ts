import { spelledOut } from "../chat/step-words.ts";
import { t } from "../text/tools.ts";
import { toolsEnglish } from "../text/tools-english.ts";

/** Tools that do the same have one name. */
function keyOf(name: string): string {
  return name === "browser.search" || name.startsWith("web_search") ? "search" : name;
}

/** True for the tools that come with Tackle. */
export function isBuiltIn(name: string): boolean {
  return `tool_${keyOf(name)}` in toolsEnglish;
}

/** Returns what people call a tool: ours by their names in the person's language, others by their own name in words. */
export function toolName(name: string): string {
  const key = `tool_${keyOf(name)}`;
  return key in toolsEnglish ? t(key as keyof typeof toolsEnglish) : spelledOut(name);
}

/** Returns what a built-in tool is for. The descriptions that models read are not for people. */
export function toolPurpose(name: string): string | undefined {
  const key = `toolHint_${keyOf(name)}`;
  return key in toolsEnglish ? t(key as keyof typeof toolsEnglish) : undefined;
}
