import type { GeminiFamily } from "./families.ts";
import { checkPicture } from "./pictures.ts";
import { asObject, objectsIn, type Report, words } from "./problem.ts";

type Part = Record<string, unknown>;

const PART_FIELDS = words(`
  text inlineData fileData functionCall functionResponse thought thoughtSignature executableCode
  codeExecutionResult videoMetadata mediaResolution partMetadata
`);
const DATA = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
];
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
const SIGNATURE = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Checks the system instruction and the contents of a request to Gemini. */
export function checkContents(body: Part, family: GeminiFamily, report: Report): void {
  if (body.systemInstruction !== undefined) {
    const parts = objectsIn(asObject(body.systemInstruction).parts);
    if (
      parts.length === 0 ||
      parts.some(({ item }) => typeof item.text !== "string" || item.text.trim() === "")
    )
      report(
        "blank-text",
        "system_instruction",
        "GenerateContentRequest.system_instruction.parts[0].data: required oneof field 'data' must have one initialized field",
      );
  }
  const contents = objectsIn(body.contents).map(({ item }) => item);
  if (contents.length === 0) {
    report("required", "contents", "GenerateContentRequest.contents: contents is not specified");
    return;
  }
  for (const [index, content] of contents.entries()) checkContent(content, `contents[${index}]`, report);
  checkCalls(contents, report);
  if (family.version >= 3) checkSignatures(contents, report);
  const last = contents.at(-1);
  if (last?.role === "model" && family.version >= 3.6)
    report(
      "prefill",
      "contents",
      "Please ensure that the last turn is a user turn. Prefilling the model turn is not supported for this model.",
    );
}

function partsOf(content: Part | undefined): Part[] {
  return objectsIn(content?.parts).map(({ item }) => item);
}

function checkContent(content: Part, at: string, report: Report): void {
  if (content.role !== "user" && content.role !== "model")
    report("role", at, `Please use a valid role: user, model.`);
  const parts = partsOf(content);
  if (parts.length === 0)
    report("empty-message", at, `GenerateContentRequest.${at}.parts: contents.parts must not be empty.`);
  for (const [index, part] of parts.entries()) {
    const where = `${at}.parts[${index}]`;
    for (const key of Object.keys(part))
      if (!PART_FIELDS.includes(key))
        report(
          "unknown-field",
          where,
          `Invalid JSON payload received. Unknown name "${key}" at '${where}': Cannot find field.`,
        );
    const data = DATA.filter((key) => part[key] !== undefined);
    const blank = part.text === "" && part.thoughtSignature === undefined;
    if (data.length !== 1 || blank)
      report(
        "blank-text",
        where,
        `GenerateContentRequest.${where}.data: required oneof field 'data' must have one initialized field`,
      );
    if (part.thoughtSignature !== undefined && !SIGNATURE.test(String(part.thoughtSignature)))
      report(
        "thinking-signature",
        where,
        `Invalid value at '${where}.thought_signature' (TYPE_BYTES), Base64 decoding failed for "${String(part.thoughtSignature)}"`,
      );
    if (part.inlineData !== undefined) checkImage(asObject(part.inlineData), `${where}.inline_data`, report);
    if (part.fileData !== undefined && !/^(https?|gs):/.test(String(asObject(part.fileData).fileUri)))
      report(
        "image-url",
        where,
        `Invalid or unsupported file uri: ${String(asObject(part.fileData).fileUri)}`,
      );
    const { functionCall: call, functionResponse: response } = part;
    if (call !== undefined && content.role !== "model")
      report("role", where, "Please ensure that function call turn comes from the model.");
    if (response !== undefined && content.role !== "user" && content.role !== "function")
      report("role", where, "Please ensure that function response turn comes from the user.");
    for (const [kind, value, field] of [
      ["function_call", call, "args"],
      ["function_response", response, "response"],
    ] as const) {
      if (value === undefined) continue;
      const { [field]: struct, name } = asObject(value);
      if (typeof name !== "string" || !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(name))
        report("call-name", where, `GenerateContentRequest.${where}.${kind}.name: [FIELD_INVALID]`);
      const isStruct = typeof struct === "object" && struct !== null && !Array.isArray(struct);
      if (!isStruct && (struct !== undefined || kind === "function_response"))
        report(
          "call-arguments",
          where,
          `Invalid value at '${where}.${kind}.${field}' (type.googleapis.com/google.protobuf.Struct)`,
        );
    }
  }
}

function checkImage({ mimeType, data }: Part, at: string, report: Report): void {
  const fault = checkPicture(String(mimeType), String(data), IMAGE_TYPES);
  if (fault?.kind === "type") report("image-type", at, `Unsupported MIME type: ${fault.mimeType}`);
  if (fault?.kind === "base64")
    report("image-base64", at, `Invalid value at '${at}.data' (TYPE_BYTES), Base64 decoding failed`);
  if (fault?.kind === "mismatch")
    report(
      "image-mismatch",
      at,
      "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
    );
}

function checkCalls(contents: readonly Part[], report: Report): void {
  for (const [index, content] of contents.entries()) {
    const at = `contents[${index}]`;
    const calls = partsOf(content).filter((part) => part.functionCall !== undefined);
    const responses = partsOf(content).filter((part) => part.functionResponse !== undefined);
    const before = contents[index - 1];
    const after = partsOf(contents[index + 1]).filter((part) => part.functionResponse !== undefined);
    if (calls.length > 0 && before?.role !== "user")
      report(
        "call-order",
        at,
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    if (calls.length > 0 && after.length !== calls.length)
      report(
        "call-without-result",
        at,
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    const called = partsOf(before).filter((part) => part.functionCall !== undefined);
    if (responses.length > 0 && called.length === 0)
      report(
        "result-without-call",
        at,
        "Please ensure that function response turn comes immediately after a function call turn.",
      );
    if (responses.length > 0 && responses.length < partsOf(content).length)
      report(
        "result-mixed",
        at,
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    for (const response of responses) {
      const { id, name } = asObject(response.functionResponse);
      const known = called.some((part) => {
        const call = asObject(part.functionCall);
        return call.name === name && (id === undefined || call.id === undefined || call.id === id);
      });
      if (called.length > 0 && !known)
        report(
          "result-without-call",
          at,
          `Function response ${String(name)} does not match a function call.`,
        );
    }
  }
}

/** Within the current turn, the first call of every step must carry the signature that it came with. */
function checkSignatures(contents: readonly Part[], report: Report): void {
  const start = contents.findLastIndex(
    (content) =>
      content.role === "user" && !partsOf(content).some((part) => part.functionResponse !== undefined),
  );
  for (const [index, content] of contents.entries()) {
    if (index < start) continue;
    const first = partsOf(content).find((part) => part.functionCall !== undefined);
    if (first && !first.thoughtSignature)
      report(
        "thinking-signature",
        `contents[${index}]`,
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${String(asObject(first.functionCall).name)}\`, position ${index + 1}.`,
      );
  }
}
