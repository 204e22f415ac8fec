import { isObject } from "../../../protocol/json.ts";
import { checkGoSchema } from "./chat.ts";
import { detectPicture } from "./pictures.ts";
import {
  asObject,
  collectProblems,
  objectsIn,
  type Problem,
  type Report,
  type VendorRequest,
  words,
} from "./problem.ts";

const ROLES = ["system", "user", "assistant", "tool"];
const IMAGES = ["image/png", "image/jpeg", "image/webp"];
const EFFORTS = ["low", "medium", "high", "max"];
const OPTIONS = words(`
  num_keep seed num_predict top_k top_p min_p typical_p repeat_last_n temperature repeat_penalty presence_penalty
  frequency_penalty stop num_ctx num_batch num_gpu main_gpu use_mmap num_thread
`);

/** Checks a request to Ollama's own `/api/chat`. */
export function checkOllama({ body }: VendorRequest): Problem[] {
  const { problems, report } = collectProblems();
  if (!isObject(body)) return problems;
  if (typeof body.model !== "string" || body.model === "") report("required", "model", "model is required");
  for (const { item: tool, index } of objectsIn(body.tools)) {
    const at = `tools[${index}]`;
    const { name, parameters } = asObject(tool.function);
    if (tool.type !== "function" || typeof name !== "string" || name === "")
      report("tool-shape", at, "invalid tool");
    checkGoSchema(parameters, at, report);
  }
  const { think, format, options } = body;
  if (think !== undefined && typeof think !== "boolean" && !EFFORTS.includes(String(think)))
    report(
      "thinking",
      "think",
      `invalid think value: ${JSON.stringify(think)} (must be "high", "medium", "low", true, or false)`,
    );
  if (format !== undefined && format !== "json" && !isObject(format))
    report(
      "format",
      "format",
      `invalid format: ${JSON.stringify(format)}; expected "json" or a valid JSON Schema object`,
    );
  for (const key of Object.keys(asObject(options)))
    if (!OPTIONS.includes(key))
      report("ignored-field", "options", `invalid option provided: ${key}`, { misread: true });
  if (asObject(options).stop !== undefined && !Array.isArray(asObject(options).stop))
    report("stop", "options", 'option "stop" must be of type array');
  checkMessages(body, report);
  return problems;
}

function checkMessages(body: Record<string, unknown>, report: Report): void {
  let open = 0;
  for (const { item: message, index } of objectsIn(body.messages)) {
    const at = `messages[${index}]`;
    const go = (field: string, kind: string, type: string) =>
      report(
        "type",
        at,
        `json: cannot unmarshal ${kind} into Go struct field ChatRequest.messages.${field} of type ${type}`,
      );
    if (!ROLES.includes(String(message.role)))
      report(
        "role",
        at,
        `invalid role: ${String(message.role)}, must be one of [system, user, assistant, tool]`,
      );
    if (typeof message.content !== "string" && message.content !== undefined)
      go("content", Array.isArray(message.content) ? "array" : "object", "string");
    for (const image of Array.isArray(message.images) ? message.images : []) {
      const type = detectPicture(String(image));
      if (String(image).startsWith("data:") || /^https?:/.test(String(image)))
        report("image-url", at, "illegal base64 data at input byte 4");
      else if (!type || !IMAGES.includes(type))
        report("image-type", at, "Failed to load image or audio file");
    }
    const calls = objectsIn(message.tool_calls);
    for (const { item } of calls) {
      const call = asObject(item.function);
      if (!isObject(call.arguments)) {
        report(
          "call-arguments",
          at,
          `json: cannot unmarshal ${typeof call.arguments} into Go struct field ToolCallFunction.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments`,
        );
      }
    }
    if (message.role === "tool") {
      if (open === 0)
        report("result-without-call", at, "a tool message must follow a call", { misread: true });
      open = Math.max(0, open - 1);
    } else {
      if (open > 0) report("call-without-result", at, "a call has no result", { misread: true });
      open = calls.length;
    }
  }
  if (open > 0) report("call-without-result", "messages", "a call has no result", { misread: true });
}
