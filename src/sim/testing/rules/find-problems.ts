import { isObject } from "../../../protocol/json.ts";
import { checkAnthropic } from "./anthropic.ts";
import { checkChat } from "./chat.ts";
import { errorBodyOf } from "./errors.ts";
import { checkGemini } from "./gemini.ts";
import { checkImages } from "./images.ts";
import { checkOllama } from "./ollama.ts";
import type { Problem, VendorRequest } from "./problem.ts";
import { checkResponses } from "./responses.ts";
import { findLoneSurrogate } from "./unicode.ts";

/** A vendor whose rules are known. `compatible` is any server that speaks Chat Completions. */
export type Vendor =
  | "openai"
  | "anthropic"
  | "gemini"
  | "mistral"
  | "openrouter"
  | "xai"
  | "deepseek"
  | "groq"
  | "zai"
  | "ollama"
  | "compatible";

/** A broken rule with the vendor's whole answer to it. */
export interface Finding extends Problem {
  errorBody: object;
}

/** Returns every rule of the vendor that a request breaks, the first one being what the vendor would say. */
export function findProblems(vendor: Vendor, request: VendorRequest): Finding[] {
  const found = [...checkText(vendor, request), ...checkBody(vendor, request)];
  return found.map((problem) => ({ ...problem, errorBody: errorBodyOf(vendor, problem) }));
}

function checkText(vendor: Vendor, { text, path }: VendorRequest): Problem[] {
  const place = text === undefined || path.includes("/images/edits") ? undefined : findLoneSurrogate(text);
  if (place === undefined) return [];
  const message =
    vendor === "anthropic"
      ? `The request body is not valid JSON: no low surrogate in string: line 1 column ${place + 1} (char ${place})`
      : "We could not parse the JSON body of your request.";
  return [{ rule: "surrogate", at: "", message, status: 400 }];
}

function checkBody(vendor: Vendor, request: VendorRequest): Problem[] {
  const path = request.path.replace(/\?.*$/, "");
  if (!isObject(request.body) && !path.includes("/images/edits"))
    return [
      { rule: "json", at: "", message: "We could not parse the JSON body of your request.", status: 400 },
    ];
  if (path.endsWith("/messages")) return checkAnthropic(request);
  if (/:(?:streamG|g)enerateContent$/.test(path)) return checkGemini(request);
  if (path.endsWith("/responses")) return checkResponses(request);
  if (/\/images\/(?:generations|edits)$/.test(path)) return checkImages(request);
  if (path.endsWith("/api/chat")) return checkOllama(request);
  if (path.endsWith("/chat/completions")) return checkChat(vendor, request);
  return [];
}

const MODELS: readonly [RegExp, Vendor][] = [
  [/^grok-/, "xai"],
  [/^deepseek-/, "deepseek"],
  [/^glm-/, "zai"],
  [/^(?:mistral|magistral|codestral|ministral|devstral|pixtral)-/, "mistral"],
  [/^(?:gpt-(?!oss)|chatgpt-|o\d)/, "openai"],
];

/** Returns whose rules hold for a request, by its path and its model's name; undefined if it is no request to a model. */
export function vendorOfRequest({ path, body }: Pick<VendorRequest, "path" | "body">): Vendor | undefined {
  const plain = path.replace(/\?.*$/, "");
  if (plain.endsWith("/messages")) return "anthropic";
  if (/:(?:streamG|g)enerateContent$/.test(plain)) return "gemini";
  if (plain.endsWith("/responses") || /\/images\/(?:generations|edits)$/.test(plain)) return "openai";
  if (plain.endsWith("/api/chat")) return "ollama";
  if (!plain.endsWith("/chat/completions")) return undefined;
  const model = isObject(body) ? String(body.model) : "";
  return MODELS.find(([pattern]) => pattern.test(model))?.[1] ?? "compatible";
}
