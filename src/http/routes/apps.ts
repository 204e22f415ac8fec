import { z } from "zod";
import { type AppEndpoint, appCallRequest } from "../../protocol/apps.ts";
import type { ArtifactEndpoint } from "../../protocol/artifacts.ts";
import { Failure } from "../../protocol/failure.ts";
import { readRequest } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route, type ServerState } from "../context.ts";
import { ownOrigin } from "../own-origin.ts";
import { whenCallerGone } from "../sse.ts";

export const resourceRequest = z.strictObject({ uri: z.string().min(1).max(2_000) });

/** The interfaces of tools: what they show, and what they ask for. */
export function appRoutes({ deps }: ServerState): Route[] {
  const { artifacts } = deps;
  return [
    route("GET /runs/:id/apps/:toolCallId", async (c) =>
      c.json(await appsOf(c).show(await authenticate(c), ...place(c))),
    ),
    route("POST /runs/:id/apps/:toolCallId/calls", async (c) => {
      const request = await readRequest(c, appCallRequest);
      const principal = await authenticate(c);
      const signal = AbortSignal.any([whenCallerGone(c), c.get("server").closing]);
      const { requestId, traceparent } = c.var;
      const options = { signal, requestId, traceparent };
      return c.json(await appsOf(c).call(principal, ...place(c), request, options));
    }),
    route("POST /runs/:id/apps/:toolCallId/resources", async (c) => {
      const { uri } = await readRequest(c, resourceRequest);
      const principal = await authenticate(c);
      return c.json(await appsOf(c).read(principal, ...place(c), uri, whenCallerGone(c)));
    }),
    ...(artifacts ? [route("GET /artifacts/apps/:id/:toolCallId", (c) => showPage(c, artifacts))] : []),
  ];
}

/** The page of an interface. Only the frame around it keeps it from opening other addresses, so it is not shown on its own. */
async function showPage(c: HttpContext, artifacts: ArtifactEndpoint): Promise<Response> {
  if (c.req.header("sec-fetch-dest") === "document")
    throw new Failure("NOT_FOUND", "This page is shown in its conversation only.");
  const [runId, toolCallId] = place(c);
  const page = await appsOf(c).page(runId, toolCallId, c.req.query("key") ?? "");
  const { body, headers } = await artifacts.appFrame(page, ownOrigin(c));
  return new Response(body, { headers });
}

function place(c: HttpContext): [runId: string, toolCallId: string] {
  return [pathParameter(c, "id"), pathParameter(c, "toolCallId")];
}

function appsOf(c: HttpContext): AppEndpoint {
  const { apps } = c.get("server").deps;
  if (apps) return apps;
  throw new Failure("NOT_FOUND", "This server shows no interfaces of tools.");
}
