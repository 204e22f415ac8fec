import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { cleanText } from "../../protocol/clean-text.ts";
import { Failure } from "../../protocol/failure.ts";
import { toolName } from "./tool.ts";

/** Other errors of the library are about one message. */
const LOST: ReadonlySet<string> = new Set([
  SdkErrorCode.NotConnected,
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.SendFailed,
]);

/** Explains a failed call. The server's own words are included where they help the model to correct itself. */
export function callFailure(
  server: string,
  tool: string,
  authorizeUrl: string | undefined,
  error: unknown,
): Failure {
  if (error instanceof ProtocolError) {
    const words = cleanText(error.message, 1_000);
    const options = { untrusted: true, cause: error };
    return error.code === ProtocolErrorCode.InvalidParams
      ? new Failure("TOOL_INVALID_ARGUMENTS", `${toolName(server, tool)} refuses the call: ${words}`, options)
      : new Failure("TOOL_FAILED", `${toolName(server, tool)} failed: ${words}`, options);
  }
  if (needsPerson(error)) return unauthorized(server, authorizeUrl, error);
  if (error instanceof SdkHttpError && error.status === 403)
    return new Failure("UPSTREAM_ERROR", `The MCP server "${server}" does not permit this call.`, {
      cause: error,
      retryable: false,
    });
  if (error instanceof SdkError && !LOST.has(error.code))
    return new Failure("UPSTREAM_ERROR", `The answer of the MCP server "${server}" is not valid.`, {
      cause: error,
      retryable: false,
    });
  return new Failure(
    "UPSTREAM_ERROR",
    `The connection to the MCP server "${server}" broke off during the call, so it is not known whether it took effect. It is being started again.`,
    { cause: error, retryable: false },
  );
}

/** The failure of a call that somebody has to authorize first. */
export function unauthorized(server: string, authorizeUrl: string | undefined, cause?: unknown): Failure {
  const how = authorizeUrl
    ? `the person has to open ${authorizeUrl} and grant access`
    : "the operator of this server finds the address in its log";
  return new Failure("UPSTREAM_ERROR", `The MCP server "${server}" has to be authorized: ${how}.`, {
    retryable: false,
    cause,
  });
}

/** Whether only a person can give the authorization that is missing. */
export function needsPerson(error: unknown): boolean {
  return error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401);
}

/** Whether an error means that the connection is lost. */
export function isLost(error: unknown): boolean {
  if (error instanceof SdkHttpError) return (error.status ?? 500) >= 500;
  if (error instanceof SdkError) return LOST.has(error.code);
  return !(error instanceof ProtocolError);
}

/** Describes an error for the operator. */
export function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return cleanText(`${message}${cause}`, 500).replace(/\s+/g, " ");
}
