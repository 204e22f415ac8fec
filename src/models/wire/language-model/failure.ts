import { Failure } from "../../../protocol/failure.ts";
import { isObject } from "../../../protocol/json.ts";
import type { DialectContext } from "../../../protocol/provider.ts";
import {
  readErrorBody,
  readVendorError,
  unreadable,
  type VendorError,
  vendorFailure,
  vendorOf,
} from "../failures.ts";

/** AI SDK errors that a retry does not fix, with the HTTP status that means the same. */
const PERMANENT: ReadonlyMap<unknown, number> = new Map([
  ["AI_LoadAPIKeyError", 401],
  ["AI_LoadSettingError", 400],
  ["AI_NoSuchModelError", 404],
  ["AI_InvalidArgumentError", 400],
  ["AI_InvalidPromptError", 400],
  ["AI_UnsupportedFunctionalityError", 400],
]);

/** Returns what an error means that an AI SDK model threw or streamed. */
export function languageModelFailure(thrown: unknown, context: DialectContext): Failure {
  if (thrown instanceof Failure) return thrown;
  if (typeof thrown === "string") return vendorFailure({ message: thrown }, context);
  if (!isObject(thrown)) return unreadable(context, thrown);
  if (typeof thrown.statusCode === "number") return callFailure(thrown, thrown.statusCode, context);
  const message = typeof thrown.message === "string" ? thrown.message : undefined;
  const status = PERMANENT.get(thrown.name);
  if (status !== undefined) return vendorFailure({ message, status }, context);
  if (typeof thrown.isRetryable === "boolean") return unreached(thrown, thrown.isRetryable, context);
  if (thrown instanceof Error) return unreadable(context, thrown);
  return vendorFailure(readVendorError(thrown) ?? readVendorError({ error: thrown }) ?? {}, context);
}

/** The connection failed before there was a status. */
function unreached(cause: unknown, retryable: boolean, context: DialectContext): Failure {
  return new Failure("UPSTREAM_ERROR", `${vendorOf(context)} cannot be reached. Trying again may help.`, {
    cause,
    retryable,
  });
}

function callFailure(error: Record<string, unknown>, status: number, context: DialectContext): Failure {
  const body = typeof error.responseBody === "string" ? error.responseBody : "";
  const headers = isObject(error.responseHeaders) ? (error.responseHeaders as Record<string, string>) : {};
  const message = typeof error.message === "string" ? error.message : undefined;
  const said: VendorError = body === "" ? {} : readErrorBody(body);
  const failure = vendorFailure(
    { ...said, message: said.message ?? message },
    context,
    { status, headers },
    body,
  );
  if (!failure.retryable || error.isRetryable !== false) return failure;
  const { code, publicMessage, details } = failure;
  return new Failure(code, publicMessage, { cause: error, details, retryable: false });
}
