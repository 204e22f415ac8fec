import { isObject } from "../../../protocol/json.ts";
import { isRetired } from "./families.ts";
import { notFound } from "./openai.ts";
import { collectProblems, type Problem, type VendorRequest, words } from "./problem.ts";

const FIELDS = words(`
  background model moderation n output_compression output_format partial_images prompt quality size stream user
  images input_fidelity mask
`);
const OLD_FIELDS = ["response_format", "style"];
const SIZES = ["auto", "1024x1024", "1536x1024", "1024x1536"];
const LONGEST_PROMPT = 32_000;

/** Checks a request to OpenAI's images endpoints. Forms with files are checked as far as the text shows. */
export function checkImages({ body, text, path }: VendorRequest): Problem[] {
  const { problems, report } = collectProblems();
  const fields = isObject(body) ? body : readForm(text ?? (typeof body === "string" ? body : ""));
  const model = String(fields.model ?? "");
  const old = /^dall-e/.test(model);
  if (isRetired("openai", model)) notFound(model, report);
  for (const key of Object.keys(fields))
    if (
      !FIELDS.includes(key) &&
      !(old && OLD_FIELDS.includes(key)) &&
      !(path.includes("/edits") && /^image/.test(key))
    )
      report("unknown-field", key, `Unknown parameter: '${key}'.`, { code: "unknown_parameter" });
  if (typeof fields.prompt !== "string" || fields.prompt.trim() === "")
    report("required", "prompt", "Missing required parameter: 'prompt'.", {
      code: "missing_required_parameter",
    });
  else if (fields.prompt.length > LONGEST_PROMPT)
    report(
      "too-long",
      "prompt",
      `Invalid 'prompt': string too long. Expected a string with maximum length 32000, but got a string with length ${fields.prompt.length} instead.`,
      { code: "string_above_max_length" },
    );
  const size = fields.size;
  const free = /^gpt-image-([2-9]|1\.[5-9])/.test(model) && /^\d+x\d+$/.test(String(size));
  if (size !== undefined && !old && !free && !SIZES.includes(String(size)))
    report(
      "size-value",
      "size",
      `Invalid value: '${String(size)}'. Supported values are: '1024x1024', '1024x1536', '1536x1024', and 'auto'.`,
      { code: "invalid_value" },
    );
  return problems;
}

/** Returns the text fields of a form. */
function readForm(text: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [, name = "", file, value = ""] of text.matchAll(
    /name="([^"]*)"(; filename="[^"]*")?[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/g,
  ))
    fields[name] = file ? "(file)" : value;
  return fields;
}
