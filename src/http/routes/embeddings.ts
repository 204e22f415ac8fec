import { isObject } from "../../protocol/json.ts";
import { pauseIfLong } from "../../protocol/slices.ts";
import { readModelJson } from "../body.ts";
import { type HttpContext, type Route, route } from "../context.ts";
import { embedForCaller, toBase64, toNumbers } from "../dialects/embeddings.ts";
import { refused } from "../dialects/openai/errors.ts";
import {
  missing,
  otherFields,
  readChoice,
  readNumber,
  readText,
  wrongType,
} from "../dialects/openai/fields.ts";
import { modelId } from "../dialects/openai/start-turn.ts";
import { answerText } from "../large-answer.ts";

const KNOWN = new Set(["model", "input", "dimensions", "encoding_format", "provider_id"]);

/** OpenAI's embeddings. */
export function embeddingRoutes(): Route[] {
  return [route("POST /v1/embeddings", postEmbeddings)];
}

async function postEmbeddings(c: HttpContext): Promise<Response> {
  const body = await readModelJson(c);
  if (!isObject(body)) throw refused("The body must be a JSON object.", null);
  const encoding = readChoice(body, "encoding_format", ["float", "base64"]) ?? "float";
  const dimensions = readNumber(body, "dimensions", { least: 1, most: 100_000, whole: true });
  const { vectors, usage, model } = await embedForCaller(
    c,
    modelId(readText(body, "model"), readText(body, "provider_id")),
    {
      input: readInput(body.input),
      encoding,
      dimensions,
      extra: otherFields(body, KNOWN),
    },
  );
  const convert = encoding === "base64" ? toBase64 : toNumbers;
  const data: string[] = [];
  for (const [index, vector] of vectors.entries()) {
    data.push(JSON.stringify({ object: "embedding", index, embedding: convert(vector) }));
    await pauseIfLong();
  }
  const used = { prompt_tokens: usage.inputTokens, total_tokens: usage.inputTokens };
  // OpenAI gives no id, but Mistral's clients require one.
  const rest = `"id":"embd-${c.var.requestId}","model":${JSON.stringify(model)},"usage":${JSON.stringify(used)}`;
  return answerText(c, `{"object":"list","data":[${data.join(",")}],${rest}}`, {
    "content-type": "application/json",
  });
}

/** A text, texts, the tokens of a text, or those of several texts. */
function readInput(input: unknown): (string | number[])[] {
  if (input === undefined || input === null) throw missing("input");
  const list = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
  if (list.length === 0) throw refused("Invalid 'input': empty array.", "input", "empty_array");
  return list.map((one: unknown) => {
    if (typeof one === "string" && one !== "") return one;
    if (one === "") throw refused("Invalid 'input': an input must not be empty.", "input");
    if (Array.isArray(one) && one.length > 0 && one.every(isToken)) return one;
    throw wrongType("input", "a string, or an array of strings, of tokens or of arrays of tokens", one);
  });
}

function isToken(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
