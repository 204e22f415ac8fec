import type { FetchedPage } from "../../contain/fetch.ts";
import { retryAfterIn } from "../../protocol/abortable.ts";
import { cleanText } from "../../protocol/clean-text.ts";
import { Failure, type FailureCode } from "../../protocol/failure.ts";
import { withoutSecrets } from "../../protocol/hidden.ts";
import { parseJson } from "../../protocol/json.ts";
import type { ToolOutput } from "../../protocol/tool.ts";
import type { Credentials } from "./auth.ts";

const MAX_DATA_CHARACTERS = 200_000;
const MAX_EXCERPT = 600;

const CODES: Readonly<Record<number, readonly [FailureCode, string]>> = {
  400: ["TOOL_INVALID_ARGUMENTS", "does not accept the request"],
  401: ["FORBIDDEN", "wants a key, or does not accept ours"],
  403: ["FORBIDDEN", "does not allow this"],
  404: ["NOT_FOUND", "has nothing there"],
  409: ["CONFLICT", "reports a conflict"],
  413: ["TOO_LARGE", "finds the request too large"],
  422: ["TOOL_INVALID_ARGUMENTS", "does not accept the values"],
  429: ["UPSTREAM_ERROR", "has had too many requests"],
};

/** Returns the answer of an API as a tool's output. Throws a failure for an error status. */
export function readAnswer(tool: string, page: FetchedPage, credentials: Credentials): ToolOutput {
  const text = withoutSecrets(bodyText(page), credentials.secrets);
  if (page.status >= 400) throw refusal(tool, page, text);
  if (page.status >= 300)
    throw new Failure("UPSTREAM_ERROR", `The API of ${tool} redirects elsewhere, which is not followed.`, {
      retryable: false,
    });
  if (text === "") return { output: `Done (status ${page.status}, no content).`, trust: "untrusted" };
  const data = isJson(page) ? parseJson(text) : undefined;
  const kept = data !== undefined && text.length <= MAX_DATA_CHARACTERS;
  return { output: text, trust: "untrusted", ...(kept ? { data } : {}) };
}

function refusal(tool: string, page: FetchedPage, text: string): Failure {
  const { status } = page;
  const [code, what] =
    CODES[status] ?? (status >= 500 ? ["UPSTREAM_ERROR", "has failed"] : ["TOOL_FAILED", "refuses"]);
  const excerpt = cleanText(text, MAX_EXCERPT).trim();
  const said = excerpt === "" ? "" : ` It says: ${excerpt}`;
  const seconds = retryAfterIn(page.headers["retry-after"]) ?? 0;
  return new Failure(code, `The API of ${tool} ${what} (status ${status}).${said}`, {
    untrusted: excerpt !== "",
    ...(status === 429 ? { details: { upstreamStatus: status } } : {}),
    ...(seconds > 0 ? { retryAfter: Math.min(seconds, 86_400) } : {}),
  });
}

function bodyText(page: FetchedPage): string {
  if (page.body.length === 0) return "";
  const isText = isJson(page) || /^text\/|xml|javascript|x-www-form/i.test(page.contentType);
  if (!isText)
    return `[${cleanText(page.contentType || "unknown type", 100)}, ${page.body.length} bytes, not shown]`;
  return new TextDecoder().decode(page.body);
}

function isJson({ contentType }: FetchedPage): boolean {
  return /^application\/([\w.-]+\+)?json\b/i.test(contentType);
}
