import { Failure } from "../../protocol/failure.ts";
import { type Share, type Shares, shareChange, shareRequest } from "../../protocol/shares.ts";
import { aboutAct } from "../audited.ts";
import { readOptionalRequest, readRequest } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import { fileHeaders } from "../file-headers.ts";
import { ownOrigin, publicOrigin } from "../own-origin.ts";
import { loadSharedPage, SHARED_HEADERS } from "../shared-page.ts";
import { filesOf, sendFile } from "./files.ts";

/** Links to frozen copies of conversations, and the page that their readers get. */
export function shareRoutes(): Route[] {
  let page: ReturnType<typeof loadSharedPage> | undefined;
  const own = async (c: HttpContext) => sharesOf(c).of(await authenticate(c));
  const shown = (c: HttpContext) => withAddress(publicOrigin(c));
  return [
    route("GET /sessions/:id/share", async (c) => {
      const preview = await (await own(c)).preview(pathParameter(c, "id"));
      return c.json({ ...preview, shares: preview.shares.map(shown(c)) });
    }),
    route("POST /sessions/:id/share", async (c) => {
      const request = await readOptionalRequest(c, shareRequest);
      const share = await (await own(c)).share(pathParameter(c, "id"), request);
      aboutAct(c, { subject: { share: share.id, steps: share.steps, files: share.files } });
      return c.json(shown(c)(share), 201);
    }),
    route("GET /shares", async (c) => c.json({ shares: (await (await own(c)).list()).map(shown(c)) })),
    route("GET /shares/:id", async (c) => c.json(shown(c)(await (await own(c)).get(pathParameter(c, "id"))))),
    route("PATCH /shares/:id", async (c) => {
      const change = await readRequest(c, shareChange);
      const share = await (await own(c)).change(pathParameter(c, "id"), change);
      aboutAct(c, { subject: { steps: share.steps, files: share.files } });
      return c.json(shown(c)(share));
    }),
    route("DELETE /shares/:id", async (c) => {
      await (await own(c)).remove(pathParameter(c, "id"));
      return c.body(null, 204);
    }),
    route("GET /s/:token", (c) => {
      page ??= loadSharedPage(c.get("server").deps.config.webRoot);
      return readShared(c, sharesOf(c), page);
    }),
    route("GET /s/:token/files/:fileId", async (c) => {
      const file = await sharesOf(c).file(pathParameter(c, "token"), pathParameter(c, "fileId"));
      const { etag: _, ...headers } = fileHeaders(file);
      return sendFile(filesOf(c), file, {
        ...headers,
        ...SHARED_HEADERS,
        "content-length": String(file.size),
      });
    }),
    route("GET /s/:token/artifacts/:toolCallId", async (c) => {
      const token = pathParameter(c, "token");
      // Only the frame keeps the page from opening other addresses, and so from sending something.
      if (c.req.header("sec-fetch-dest") === "document") return c.redirect(`/s/${token}`, 302);
      const { body, headers } = await sharesOf(c).artifact(
        token,
        pathParameter(c, "toolCallId"),
        ownOrigin(c),
      );
      return new Response(body, { headers: { ...headers, ...SHARED_HEADERS } });
    }),
    route("POST /s/:token/continue", async (c) =>
      c.json(await (await own(c)).continue(pathParameter(c, "token")), 201),
    ),
  ];
}

function sharesOf(c: HttpContext): Shares {
  const { shares } = c.get("server").deps;
  if (shares) return shares;
  throw new Failure("NOT_FOUND", "This server does not share conversations.");
}

function withAddress(origin: string) {
  return (share: Share) => ({
    ...share,
    url: `${origin.replace(/\/$/, "")}${share.path}`,
    token: share.path.slice("/s/".length),
  });
}

async function readShared(
  c: HttpContext,
  shares: Shares,
  page: ReturnType<typeof loadSharedPage>,
): Promise<Response> {
  const accepted = c.req.header("accept") ?? "";
  const wantsJson = accepted.includes("application/json") && !accepted.includes("text/html");
  try {
    const shared = await shares.read(pathParameter(c, "token"));
    return wantsJson ? c.json(shared, 200, SHARED_HEADERS) : page.show(shared, publicOrigin(c));
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== "NOT_FOUND" || wantsJson) throw thrown;
    return page.missing(publicOrigin(c), thrown.publicMessage);
  }
}
