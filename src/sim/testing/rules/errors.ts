import type { Problem } from "./problem.ts";

const REQUEST_ID = "req_011CSHoEeqs5C35K2UUqR7Fy";

function openai({ message, at, code }: Problem): object {
  return { error: { message, type: "invalid_request_error", param: at || null, code: code ?? null } };
}

const GOOGLE_STATUS: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
};

/** How each vendor words an error, by vendor. */
const FORMS: Record<string, (problem: Problem) => object> = {
  anthropic: ({ message, code }) => ({
    type: "error",
    error: { type: code ?? "invalid_request_error", message },
    request_id: REQUEST_ID,
  }),
  gemini: ({ message, status }) => ({
    error: { code: status, message, status: GOOGLE_STATUS[status] ?? "INVALID_ARGUMENT" },
  }),
  mistral: ({ message, status, at, code }) => ({
    object: "error",
    message:
      status === 422
        ? { detail: [{ type: code ?? "value_error", loc: ["body", ...at.split(".")], msg: message }] }
        : message,
    type: "invalid_request_error",
    param: null,
    code: status === 422 ? null : (code ?? "3051"),
  }),
  openrouter: ({ message, status }) => ({ error: { message, code: status } }),
  xai: ({ message, status }) => ({
    code: status === 404 ? "Some requested entity was not found" : "Client specified an invalid argument",
    error: message,
  }),
  deepseek: ({ message }) => ({
    error: { message, type: "invalid_request_error", param: null, code: "invalid_request_error" },
  }),
  groq: ({ message, code }) => ({ error: { message, type: "invalid_request_error", ...(code && { code }) } }),
  zai: ({ message, code }) => ({ error: { code: code ?? "1214", message } }),
  ollama: ({ message, at }) =>
    at.startsWith("/v1")
      ? { error: { message, type: "invalid_request_error", param: null, code: null } }
      : { error: message },
  compatible: ({ message, status }) => ({ error: { code: status, message, type: "invalid_request_error" } }),
};

/** Returns the body of a vendor's answer to a request that breaks a rule. */
export function errorBodyOf(vendor: string, problem: Problem): object {
  return (FORMS[vendor] ?? openai)(problem);
}
