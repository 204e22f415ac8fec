import { type Drafts, draftRequest, NEW_CHAT } from "../../protocol/drafts.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Files } from "../../protocol/files.ts";
import { readRequest } from "../body.ts";
import { authenticate, chatOf } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import { shownFile } from "./files.ts";

/** What people have written and not sent. */
export function draftRoutes(): Route[] {
  return [
    route("GET /me/drafts", async (c) => {
      const { id } = await authenticate(c);
      const { files } = c.get("server").deps;
      const listed = await draftsOf(c).list(id);
      const drafts = listed.map(async ({ attachments = [], ...draft }) => ({
        ...draft,
        attachments: await Promise.all(attachments.map((one) => shownAttachment(one, files))),
      }));
      return c.json({ drafts: await Promise.all(drafts) });
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

/** A file that is gone has no address. */
async function shownAttachment(attached: { fileId: string }, files: Files | undefined): Promise<object> {
  const file = await files?.get(attached.fileId);
  return file && files ? shownFile(file, files) : { ...attached, url: "" };
}

/** Files of other people get no address. */
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
