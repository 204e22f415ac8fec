import { type Drafts, draftRequest, NEW_CHAT } from "../../protocol/drafts.ts";
import { Failure } from "../../protocol/failure.ts";
import { readRequest } from "../body.ts";
import { authenticate, chatOf } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";

/** What people have written and not sent. */
export function draftRoutes(): Route[] {
  return [
    route("GET /me/drafts", async (c) => {
      const { id } = await authenticate(c);
      const { files } = c.get("server").deps;
      const drafts = (await draftsOf(c).list(id)).map(({ attachments = [], ...draft }) => ({
        ...draft,
        attachments: attachments.map((one) => ({ ...one, url: files?.signedUrl(one.fileId) ?? "" })),
      }));
      return c.json({ drafts });
    }),
    route("PUT /me/drafts/:id", async (c) => {
      const draft = await readRequest(c, draftRequest);
      const { id } = await authenticate(c);
      const about = pathParameter(c, "id");
      if (about !== NEW_CHAT) await (await chatOf(c)).getSession(about);
      const own = await ownFiles(c, id, draft.attachments ?? []);
      await draftsOf(c).put(id, about, { ...draft, attachments: own });
      return c.body(null, 204);
    }),
  ];
}

/** Nobody gets an address of somebody else's file. */
async function ownFiles<Attached extends { fileId: string }>(
  c: HttpContext,
  userId: string,
  attachments: readonly Attached[],
): Promise<Attached[]> {
  const { files } = c.get("server").deps;
  for (const { fileId } of attachments) await files?.own(userId, fileId);
  return [...attachments];
}

function draftsOf(c: HttpContext): Drafts {
  const { drafts } = c.get("server").deps;
  if (drafts) return drafts;
  throw new Failure("NOT_FOUND", "This server does not store drafts.");
}
