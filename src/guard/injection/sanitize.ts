import { withoutInvisible } from "../views.ts";

/** Marks by which models tell who is speaking; in a quoted text they are only characters. */
const ROLE_MARKS =
  /<\|[a-z_]{1,30}\|>|<\/?(?:start|end)_of_turn>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant|user|human|developer|tool|instructions?|tool_call|tool_result|function_calls?|function_results?|invoke|antml:[a-z_]{1,20})\b[^>\n]{0,100}>/gi;

const ROLE_LINES = /^([ \t>#*-]{0,8})(system|assistant|user|human|developer)([ \t]{0,3}):/gim;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * A text as it may be put into the prompt of another model: nothing invisible, no marks that end the quotation or speak in
 * another role. A reader finds the same meaning in it.
 */
export function sanitizeContext(text: string): string {
  return withoutInvisible(text.toWellFormed())
    .replace(CONTROLS, "")
    .replace(ROLE_MARKS, (mark) => mark.replace(/[<>[\]|]/g, (sign) => NEUTRAL[sign] ?? ""))
    .replace(ROLE_LINES, "$1$2$3 -")
    .replace(/`{3,}/g, "'''")
    .replace(/~{3,}/g, "~ ~")
    .replace(/^([ \t]*)([=-])\2{4,}(?=[ \t]*(?:end|begin|start|system)\b)/gim, "$1$2");
}

const NEUTRAL: Readonly<Record<string, string>> = { "<": "(", ">": ")", "[": "(", "]": ")", "|": "" };
