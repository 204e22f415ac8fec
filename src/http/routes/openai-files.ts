import type { StoredFile } from "../../protocol/files.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import { speaksAnthropic } from "../dialects/anthropic/errors.ts";
import { missing, readChoice, readNumber } from "../dialects/openai/fields.ts";
import { fileHeaders } from "../file-headers.ts";
import { readFormUpload } from "../upload.ts";
import { beginUpload, filesOf, sendFile } from "./files.ts";

const MOST_LISTED = 10_000;
/** We do not keep what a file is for: any message may name it. */
const USUAL_PURPOSE = "user_data";

/** Files as OpenAI's clients upload them. Anthropic's get them in their own format. */
export function openAiFileRoutes(): Route[] {
  return [
    route("POST /v1/files", postFile),
    route("GET /v1/files", listFiles),
    route("GET /v1/files/:id", async (c) => c.json(shown(c, await ownFile(c)))),
    route("GET /v1/files/:id/content", async (c) => {
      const file = await ownFile(c);
      return sendFile(filesOf(c), file, { ...fileHeaders(file), "content-length": String(file.size) });
    }),
    route("DELETE /v1/files/:id", async (c) => {
      const { id } = await ownFile(c);
      await filesOf(c).remove(id);
      return c.json(
        speaksAnthropic(c) ? { id, type: "file_deleted" } : { id, object: "file", deleted: true },
      );
    }),
  ];
}

async function ownFile(c: HttpContext): Promise<StoredFile> {
  const { id } = await authenticate(c);
  return filesOf(c).own(id, pathParameter(c, "id"));
}

async function postFile(c: HttpContext): Promise<Response> {
  const { files, put } = await beginUpload(c);
  let file: StoredFile | undefined;
  const { purpose } = await readFormUpload(
    c.req.raw,
    c.env?.incoming,
    files.maxBytes,
    async (given, field) => {
      if (field === "file" && !file) file = await put(given);
      else for await (const _ of given.body);
    },
  );
  if (!file) throw missing("file");
  return c.json(shown(c, file, purpose));
}

async function listFiles(c: HttpContext): Promise<Response> {
  const { id } = await authenticate(c);
  const query = c.req.query();
  const asked = query.limit === undefined ? {} : { limit: Number(query.limit) };
  const limit = readNumber(asked, "limit", { least: 1, most: MOST_LISTED, whole: true }) ?? MOST_LISTED;
  const isAscending = readChoice(query, "order", ["asc", "desc"]) === "asc";
  const newest = await filesOf(c).list(id);
  const ordered = isAscending ? newest.toReversed() : newest;
  const after = query.after ?? query.after_id;
  const rest = ordered.slice(after === undefined ? 0 : ordered.findIndex((file) => file.id === after) + 1);
  const data = rest.slice(0, limit).map((file) => shown(c, file));
  const has_more = rest.length > limit;
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return c.json(
    speaksAnthropic(c) ? { data, has_more, ...ends } : { object: "list", data, has_more, ...ends },
  );
}

function shown(
  c: HttpContext,
  { id, name, mimeType, size, createdAt }: StoredFile,
  purpose: string = USUAL_PURPOSE,
) {
  if (speaksAnthropic(c))
    return {
      id,
      type: "file",
      filename: name,
      mime_type: mimeType,
      size_bytes: size,
      created_at: createdAt,
      downloadable: true,
    };
  const created_at = Math.floor(Date.parse(createdAt) / 1000);
  const file = { id, object: "file", bytes: size, created_at, filename: name, purpose, status: "processed" };
  // Mistral's clients require these.
  return { ...file, sample_type: "ocr_input", source: "upload", deleted: false };
}
