import { checkPicture, readDataUrl } from "./pictures.ts";
import type { Report } from "./problem.ts";
import { refusedByOpenAI, refusedByStrictMode } from "./schemas.ts";

const NAME = /^[a-zA-Z0-9_-]+$/;
const LONGEST_NAME = 64;
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"];
const IMAGE_BYTES = 50 * 1024 * 1024;

/** Reports a model that OpenAI does not serve. */
export function notFound(model: string, report: Report): void {
  report("retired-model", "model", `The model \`${model}\` does not exist or you do not have access to it.`, {
    status: 404,
    code: "model_not_found",
  });
}

/** Reports a name that OpenAI refuses. */
export function invalidName(name: string, at: string, report: Report): void {
  if (!NAME.test(name))
    report(
      "tool-name",
      at,
      `Invalid '${at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      { code: "invalid_value" },
    );
  else if (name.length > LONGEST_NAME)
    report(
      "tool-name",
      at,
      `Invalid '${at}': string too long. Expected a string with maximum length 64, but got a string with length ${name.length} instead.`,
      { code: "string_above_max_length" },
    );
}

/** Reports what OpenAI refuses in the schema of a function. */
export function checkFunctionSchema(
  name: string,
  schema: unknown,
  strict: boolean,
  at: string,
  report: Report,
): void {
  const faults = [...refusedByOpenAI(schema), ...(strict ? refusedByStrictMode(schema) : [])];
  for (const { what } of faults) {
    const rule = /additionalProperties|'required'|not permitted|'type' key/.test(what)
      ? "schema-strict"
      : /top level/.test(what)
        ? "schema-top-level"
        : /items/.test(what)
          ? "schema-items"
          : /type: "object"|missing properties/.test(what)
            ? "schema-object"
            : "schema-draft";
    report(rule, at, `Invalid schema for function '${name}': ${what}`, {
      code: "invalid_function_parameters",
    });
  }
}

/** Reports what OpenAI refuses in a response format with a schema. */
export function checkFormatSchema(format: Record<string, unknown>, at: string, report: Report): void {
  const { name, schema, strict } = format;
  invalidName(String(name ?? ""), `${at}.name`, report);
  const faults =
    strict === true ? [...refusedByOpenAI(schema), ...refusedByStrictMode(schema)] : refusedByOpenAI(schema);
  for (const { what } of faults)
    report(
      strict === true ? "format-strict" : "format",
      at,
      `Invalid schema for response_format '${String(name)}': ${what}`,
      { code: "invalid_json_schema" },
    );
}

/** Reports an image that OpenAI cannot read. */
export function checkImageUrl(url: unknown, at: string, report: Report): void {
  const text = String(url);
  const image = readDataUrl(text);
  if (!image) {
    if (!/^https?:\/\//.test(text))
      report(
        "image-url",
        at,
        `Invalid '${at}'. Expected a valid URL, but got a value with an invalid format.`,
        { code: "invalid_value" },
      );
    return;
  }
  const fault = checkPicture(image.mimeType, image.data, IMAGE_TYPES, IMAGE_BYTES);
  // The label of an image does not matter if its bytes are of a known kind.
  if (fault?.kind === "type" || (fault?.kind === "mismatch" && !IMAGE_TYPES.includes(fault.really)))
    report(
      "image-type",
      at,
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
      { code: "invalid_image_format" },
    );
  if (fault?.kind === "base64")
    report("image-base64", at, "Invalid base64 image_url.", { code: "invalid_base64" });
  if (fault?.kind === "size")
    report("image-size", at, "The image is too large.", { code: "image_too_large" });
}
