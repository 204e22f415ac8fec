import { z } from "zod";
import type { ArtifactEndpoint } from "../../protocol/artifacts.ts";
import { Failure } from "../../protocol/failure.ts";
import { isObject } from "../../protocol/json.ts";
import { parseRequest } from "../../protocol/requests.ts";
import { readJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import type { HttpContext, Route, ServerState } from "../context.ts";
import { ownOrigin } from "../own-origin.ts";
import { callToolFor, deprecated } from "../tool-call.ts";

export const newVersion = z.strictObject({
  code: z.string().min(1).max(400_000),
  title: z.string().min(1).max(100).optional(),
});
const FOREVER = "public, max-age=31536000, immutable";

/** Artifacts, their versions, and the pages that show them. */
export function artifactRoutes(server: ServerState): Route[] {
  const { artifacts } = server.deps;
  if (!artifacts) return [];
  const own = async (c: HttpContext) => artifacts.of(await authenticate(c, server));
  return [
    {
      method: "GET",
      path: "/artifacts/frame",
      handle: (c) => pageResponse(artifacts.emptyFrame(ownOrigin(c, server))),
    },
    {
      method: "GET",
      path: "/artifacts/drawing",
      handle: (c) => pageResponse(artifacts.drawingFrame(ownOrigin(c, server))),
    },
    {
      method: "GET",
      path: "/artifacts/:id",
      handle: async (c) => c.json(await (await own(c)).show(idOf(c), numberIn(c, "version"))),
    },
    {
      method: "GET",
      path: "/artifacts/:id/versions",
      handle: async (c) => c.json({ versions: await (await own(c)).versions(idOf(c)) }),
    },
    {
      method: "POST",
      path: "/artifacts/:id/versions",
      async handle(c) {
        const { code, title } = parseRequest(newVersion, await readJson(c.req.raw, c.env?.incoming));
        return c.json(await (await own(c)).edit(idOf(c), code, title), 201);
      },
    },
    {
      method: "POST",
      path: "/artifacts/:id/versions/:version/restore",
      async handle(c) {
        const version = wholeNumber(c.req.param("version") ?? "", "version");
        return c.json(await (await own(c)).restore(idOf(c), version), 201);
      },
    },
    { method: "GET", path: "/artifacts/:id/diff", handle: async (c) => showDiff(c, await own(c)) },
    {
      method: "GET",
      path: "/artifacts/:id/compiled",
      async handle(c) {
        const mine = await own(c);
        return c.json(await artifacts.compiled(await mine.get(idOf(c), numberIn(c, "version"))));
      },
    },
    { method: "GET", path: "/artifacts/:id/preview", handle: (c) => preview(c, server, artifacts) },
    {
      method: "GET",
      path: "/artifacts/:id/view",
      async handle(c) {
        const [version, key] = [numberIn(c, "version") ?? 0, c.req.query("key") ?? ""];
        return pageResponse(await artifacts.viewByKey(idOf(c), version, key, ownOrigin(c, server)));
      },
    },
    { method: "GET", path: "/vendor/:file", handle: (c) => vendorFile(c, artifacts) },
    { method: "POST", path: "/generate-artifact", handle: (c) => generate(c, server) },
  ];
}

async function showDiff(c: HttpContext, own: ReturnType<ArtifactEndpoint["of"]>): Promise<Response> {
  const to = numberIn(c, "to") ?? (await own.get(idOf(c))).version;
  const from = numberIn(c, "from") ?? Math.max(1, to - 1);
  return c.json({ from, to, diff: await own.diff(idOf(c), from, to) });
}

/** By its address alone, or for who made it. The page sees no cookies and sets none. */
async function preview(c: HttpContext, server: ServerState, artifacts: ArtifactEndpoint): Promise<Response> {
  const origin = ownOrigin(c, server);
  const version = numberIn(c, "version");
  const key = c.req.query("key");
  if (key !== undefined)
    return pageResponse(await artifacts.previewByKey(idOf(c), version ?? 0, key, origin));
  const own = artifacts.of(await authenticate(c, server));
  const artifact = await own.get(idOf(c), version);
  delete c.var.headers["set-cookie"];
  return pageResponse(await artifacts.preview(artifact, origin));
}

function vendorFile(c: HttpContext, artifacts: ArtifactEndpoint): Response {
  const bytes = artifacts.vendorFile(c.req.param("file") ?? "");
  if (!bytes) throw new Failure("NOT_FOUND", "There is no such module.");
  return new Response(bytes, {
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      // Frames of artifacts have an origin of their own, so the modules are for everyone.
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "cache-control": FOREVER,
      etag: `"${c.req.param("file")}"`,
    },
  });
}

/** The old single-purpose endpoint: the same tool, behind the same layers. */
async function generate(c: HttpContext, server: ServerState): Promise<Response> {
  Object.assign(c.var.headers, deprecated("/tools/generate_artifact"));
  const { data, ...answer } = await callToolFor(c, server, "generate_artifact", renamed);
  // What was asked for stood at the top there, under the names of the event.
  const { code, title, type, ...facts } = isObject(data) ? data : {};
  return c.json({ ...answer, ...facts, artifactType: type, artifactTitle: title, artifactCode: code });
}

/** Fields as the old endpoint and snake_case spell them. */
function renamed(body: Record<string, unknown>): Record<string, unknown> {
  const names: Record<string, string> = {
    artifact_id: "artifactId",
    artifactType: "type",
    artifact_type: "type",
    artifactTitle: "title",
    artifactCode: "code",
  };
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [Object.hasOwn(names, name) ? names[name] : name, value]),
  );
}

function pageResponse({ body, headers }: { body: string; headers: Record<string, string> }): Response {
  return new Response(body, { headers });
}

function idOf(c: HttpContext): string {
  return c.req.param("id") ?? "";
}

function numberIn(c: HttpContext, name: string): number | undefined {
  const text = c.req.query(name);
  return text === undefined ? undefined : wholeNumber(text, name);
}

function wholeNumber(text: string, name: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Failure("INVALID_INPUT", `${name} must be a whole number from 1.`);
}
