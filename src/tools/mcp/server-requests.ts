import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { APP_TYPE, APPS_EXTENSION } from "../../protocol/apps.ts";
import type { ToolContext } from "../../protocol/tool.ts";
import { elicit } from "./elicitation.ts";
import { sample } from "./sampling.ts";

/** What servers may ask for during a call. */
export const CLIENT_CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
  extensions: { [APPS_EXTENSION]: { mimeTypes: [APP_TYPE] } },
};

/** Answers what a server asks during a call: a form, an answer of a model, or the caller's folders. */
export async function answerServer(
  server: string,
  { method, params }: { method: string; params?: unknown },
  context: ToolContext,
): Promise<Record<string, unknown>> {
  switch (method) {
    case "elicitation/create":
      return elicit(server, params, context);
    case "sampling/createMessage":
      return sample(server, params, context);
    case "roots/list":
      return rootsOf(context);
    default:
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `${method} is not supported`);
  }
}

/** The folders that the caller may use. Between calls there are none. */
export function rootsOf(context: ToolContext | undefined) {
  const roots = context?.roots ?? [];
  return { roots: roots.map((root) => ({ uri: pathToFileURL(root).href, name: basename(root) })) };
}
