import { z } from "zod";
import type { ArtifactEndpoint } from "../../protocol/artifacts.ts";
import { Failure } from "../../protocol/failure.ts";
import { isObject } from "../../protocol/json.ts";
import { readRequest } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route, type ServerState } from "../context.ts";
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
  const own = async (c: HttpContext) => artifacts.of(await authenticate(c));
  return [
    route("GET /artifacts/frame", (c) => pageResponse(artifacts.emptyFrame(ownOrigin(c)))),
    route("GET /artifacts/drawing", (c) => pageResponse(artifacts.drawingFrame(ownOrigin(c)))),
    route("GET /artifacts/:id", async (c) =>
      c.json(await (await own(c)).show(pathParameter(c, "id"), numberIn(c, "version"))),
    ),
    route("GET /artifacts/:id/versions", async (c) =>
      c.json({ versions: await (await own(c)).versions(pathParameter(c, "id")) }),
    ),
    route("POST /artifacts/:id/versions", async (c) => {
      const { code, title } = await readRequest(c, newVersion);
      return c.json(await (await own(c)).edit(pathParameter(c, "id"), code, title), 201);
    }),
    route("POST /artifacts/:id/versions/:version/restore", async (c) => {
      const version = wholeNumber(pathParameter(c, "version"), "version");
      return c.json(await (await own(c)).restore(pathParameter(c, "id"), version), 201);
    }),
    route("GET /artifacts/:id/diff", async (c) => showDiff(c, await own(c))),
    route("GET /artifacts/:id/compiled", async (c) => {
      const mine = await own(c);
      return c.json(await artifacts.compiled(await mine.get(pathParameter(c, "id"), numberIn(c, "version"))));
    }),
    route("GET /artifacts/:id/preview", (c) => preview(c, artifacts)),
    route("GET /artifacts/:id/view", async (c) => {
      const [version, key] = [numberIn(c, "version") ?? 0, c.req.query("key") ?? ""];
      return pageResponse(await artifacts.viewByKey(pathParameter(c, "id"), version, key, ownOrigin(c)));
    }),
    route("GET /vendor/:file", (c) => vendorFile(c, artifacts)),
    route("POST /generate-artifact", generate),
  ];
}

async function showDiff(c: HttpContext, own: ReturnType<ArtifactEndpoint["of"]>): Promise<Response> {
  const to = numberIn(c, "to") ?? (await own.get(pathParameter(c, "id"))).version;
  const from = numberIn(c, "from") ?? Math.max(1, to - 1);
  return c.json({ from, to, diff: await own.diff(pathParameter(c, "id"), from, to) });
}

/**
 * Shows a preview by its key; its owner is sent to the address with the key. A preview that is opened by itself goes to the page
 * with a frame around it: only the frame keeps it from opening other addresses, and so from sending something.
 */
async function preview(c: HttpContext, artifacts: ArtifactEndpoint): Promise<Response> {
  const version = numberIn(c, "version");
  const key = c.req.query("key");
  const id = pathParameter(c, "id");
  const alone = c.req.header("sec-fetch-dest") === "document";
  if (key !== undefined && !alone)
    return pageResponse(await artifacts.previewByKey(id, version ?? 0, key, ownOrigin(c)));
  const { previewUrl } =
    key === undefined
      ? await artifacts.of(await authenticate(c)).show(id, version)
      : { previewUrl: new URL(c.req.url).pathname + new URL(c.req.url).search };
  delete c.var.headers["set-cookie"];
  return c.redirect(alone ? previewUrl.replace("/preview?", "/view?") : previewUrl, 302);
}

function vendorFile(c: HttpContext, artifacts: ArtifactEndpoint): Response {
  const bytes = artifacts.vendorFile(pathParameter(c, "file"));
  if (!bytes) throw new Failure("NOT_FOUND", "There is no such module.");
  return new Response(bytes, {
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      // Artifact frames have an opaque origin, so the modules must be public.
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "cache-control": FOREVER,
      etag: `"${c.req.param("file")}"`,
    },
  });
}

/** The deprecated endpoint for the same tool. */
async function generate(c: HttpContext): Promise<Response> {
  Object.assign(c.var.headers, deprecated("/tools/generate_artifact"));
  const { data, ...answer } = await callToolFor(c, "generate_artifact", renamed);
  // It returned the artifact at the top level, with the names of the event.
  const { code, title, type, ...facts } = isObject(data) ? data : {};
  return c.json({ ...answer, ...facts, artifactType: type, artifactTitle: title, artifactCode: code });
}

/** Renames the fields of the deprecated endpoint. */
function renamed(body: Record<string, unknown>): Record<string, unknown> {
  const names: Record<string, string> = {
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

function numberIn(c: HttpContext, name: string): number | undefined {
  const text = c.req.query(name);
  return text === undefined ? undefined : wholeNumber(text, name);
}

function wholeNumber(text: string, name: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Failure("INVALID_INPUT", `${name} must be a whole number from 1.`);
}
