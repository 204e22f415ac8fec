import { withoutInvisible } from "../text-variants.ts";

/** Tags by which models tell who is speaking. */
const ROLE_TAGS =
  /<\|[a-z_]{1,30}\|>|<\/?(?:start|end)_of_turn>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant|user|human|developer|tool|instructions?|tool_call|tool_result|function_calls?|function_results?|invoke|antml:[a-z_]{1,20})\b[^>\n]{0,100}>/gi;

const ROLE_LINES = /^([ \t>#*-]{0,8})(system|assistant|user|human|developer)([ \t]{0,3}):/gim;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * Makes a text safe to quote in the prompt of another model: removes invisible characters and neutralizes everything that
 * could end the quotation or speak in another role. The meaning stays the same.
 */
export function sanitizeContext(text: string): string {
  return withoutInvisible(text.toWellFormed())
    .replace(CONTROLS, "")
    .replace(ROLE_TAGS, (tag) => tag.replace(/[<>[\]|]/g, (sign) => NEUTRAL[sign] ?? ""))
    .replace(ROLE_LINES, "$1$2$3 -")
    .replace(/`{3,}/g, "'''")
    .replace(/~{3,}/g, "~ ~")
    .replace(/^([ \t]*)([=-])\2{4,}(?=[ \t]*(?:end|begin|start|system)\b)/gim, "$1$2");
}

const NEUTRAL: Readonly<Record<string, string>> = { "<": "(", ">": ")", "[": "(", "]": ")", "|": "" };
