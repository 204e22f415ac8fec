import { isBuiltIn } from "../choosing/tool-names.ts";
import { argumentsEnglish } from "../text/arguments-english.ts";
import { addTexts } from "../text/translate.ts";

const t = addTexts(argumentsEnglish);

/** Returns what people call an argument: of built-in tools in the person's language, of others by its own name. */
export function argumentName(tool: string | undefined, name: string): string {
  return wordsFor(tool, name) ?? name;
}

/** The same as a label. */
export function argumentLabel(tool: string | undefined, name: string): string {
  const words = wordsFor(tool, name);
  return words === undefined ? name : words.charAt(0).toLocaleUpperCase() + words.slice(1);
}

function wordsFor(tool: string | undefined, name: string): string | undefined {
  const key = `argument_${name}`;
  const isOurs = tool !== undefined && isBuiltIn(tool) && key in argumentsEnglish;
  return isOurs ? t(key as keyof typeof argumentsEnglish) : undefined;
}
