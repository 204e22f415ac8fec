import {
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
  UriTemplate,
} from "@modelcontextprotocol/server";
import { mapText, mapTexts } from "../../../protocol/content.ts";
import { toFailure } from "../../../protocol/failure.ts";
import type { OfferContext, OfferedPrompt, OfferedResource } from "../../../protocol/offerings.ts";
import type { ClientContext } from "./open-call.ts";
import type { McpCaller, McpDependencies } from "./server.ts";

const MAX_COMPLETIONS = 100;
const PAGE = 200;

/** Runs what may ask the client. */
export type RunOpen = <Result>(
  context: ServerContext,
  subject: unknown,
  work: (context: OfferContext) => Promise<Result>,
) => Promise<Result | InputRequiredResult>;

/** Answers requests about prompts, resources and completions. */
export function addOfferings(server: Server, parts: McpDependencies, caller: McpCaller, run: RunOpen): void {
  const { principal } = caller;
  const { offerings, hide } = parts;

  server.setRequestHandler("prompts/list", async ({ params }) => {
    const { page, nextCursor } = pageOf(await offerings.prompts(principal), params?.cursor);
    const prompts = page.map(({ name, title, description, arguments: args }) => ({
      name,
      description,
      ...(title === undefined ? {} : { title }),
      ...(args.length > 0 ? { arguments: args } : {}),
    }));
    return { prompts, ...nextCursor };
  });
  server.setRequestHandler("prompts/get", async ({ params }, context) => {
    const { name, arguments: args = {} } = params;
    const prompt = await promptNamed(name);
    const missing = prompt.arguments.find((one) => one.required && args[one.name] === undefined);
    if (missing) throw invalid(`The argument ${missing.name} is missing.`);
    return run(context, ["prompt", name, args], async (offer) => {
      const messages = await prompt.get(args, offer);
      const hidden = messages.flatMap(({ role, content }) =>
        mapTexts([content], hide).map((one) => ({ role, content: one })),
      );
      return { description: prompt.description, messages: hidden };
    });
  });

  server.setRequestHandler("resources/list", async ({ params }) => {
    const all = (await offerings.resources(principal)).filter(({ template }) => !template);
    const { page, nextCursor } = pageOf(all, params?.cursor);
    return { resources: page.map(({ uri, ...resource }) => ({ uri, ...facts(resource) })), ...nextCursor };
  });
  server.setRequestHandler("resources/templates/list", async () => {
    const all = (await offerings.resources(principal)).filter(({ template }) => template);
    return {
      resourceTemplates: all.map(({ uri, size: _, ...resource }) => ({
        uriTemplate: uri,
        ...facts(resource),
      })),
    };
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
    const { resource, variables } = await resourceAt(uri);
    return run(context, ["resource", uri], async (offer) => {
      const contents = await resource.read(uri, variables, offer).catch((thrown: unknown) => {
        const { code } = toFailure(thrown);
        // What belongs to somebody else does not exist for this caller.
        if (code === "NOT_FOUND" || code === "FORBIDDEN") throw new ResourceNotFoundError(uri);
        throw thrown;
      });
      return { contents: contents.map((one) => mapText(one, hide)) };
    });
  });

  server.setRequestHandler("completion/complete", async ({ params: { ref, argument, context } }) => {
    const given = context?.arguments ?? {};
    const complete =
      ref.type === "ref/prompt"
        ? (await promptNamed(ref.name)).complete
        : (await offerings.resources(principal)).find(({ uri }) => uri === ref.uri)?.complete;
    const found = (await complete?.(argument.name, argument.value, given)) ?? [];
    const values = found.map(String).slice(0, MAX_COMPLETIONS);
    return { completion: { values, total: found.length, hasMore: found.length > values.length } };
  });

  async function promptNamed(name: string): Promise<OfferedPrompt> {
    const prompt = (await offerings.prompts(principal)).find((one) => one.name === name);
    if (!prompt) throw invalid(`There is no prompt "${name.slice(0, 100)}".`);
    return prompt;
  }

  async function resourceAt(
    uri: string,
  ): Promise<{ resource: OfferedResource; variables: Record<string, string> }> {
    const all = await offerings.resources(principal);
    const exact = all.find((one) => !one.template && one.uri === uri);
    if (exact) return { resource: exact, variables: {} };
    for (const resource of all) {
      const match = resource.template ? new UriTemplate(resource.uri).match(uri) : null;
      if (match)
        return {
          resource,
          variables: Object.fromEntries(Object.entries(match).map(([name, value]) => [name, String(value)])),
        };
    }
    throw new ResourceNotFoundError(uri);
  }
}

/** Keeps which resources a client follows. Returns a function that says whether it follows one. */
export function addSubscriptions(server: Server): (uri: string) => boolean {
  const followed = new Set<string>();
  server.setRequestHandler("resources/subscribe", ({ params }) => {
    if (followed.size < PAGE) followed.add(params.uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    followed.delete(params.uri);
    return {};
  });
  return (uri) => followed.has(uri);
}

/** The context of a prompt or resource. */
export function offerContext(
  caller: McpCaller,
  signal: AbortSignal,
  { ask, client }: ClientContext,
): OfferContext {
  return { principal: caller.principal, signal, ask, client };
}

function facts({ name, title, description, mimeType, size }: Omit<OfferedResource, "uri">) {
  return Object.fromEntries(
    Object.entries({ name, title, description, mimeType, size }).filter(([, value]) => value !== undefined),
  ) as {
    name: string;
  };
}

function pageOf<Item>(all: readonly Item[], cursor: string | undefined) {
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(from) || from < 0) throw invalid("The cursor is not valid.");
  const next = from + PAGE;
  return { page: all.slice(from, next), nextCursor: next < all.length ? { nextCursor: String(next) } : {} };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
