import { Readable } from "node:stream";
import { Failure } from "../../protocol/failure.ts";
import { type ByteRange, type Files, lengthOf, type StoredFile } from "../../protocol/files.ts";
import { acceptCaller, authenticate, clientOf, identify } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import { fileHeaders } from "../file-headers.ts";
import type { FormFile } from "../multipart.ts";
import { whenCallerGone } from "../sse.ts";
import { readUpload } from "../upload.ts";

/** Files: uploaded by their owner, readable with a signed URL. */
export function fileRoutes(): Route[] {
  return [
    route("POST /files", postFile),
    route("GET /files", listFiles),
    route("GET /files/:id", getFile),
    route("DELETE /files/:id", async (c) => {
      const { id: userId } = await authenticate(c);
      const files = filesOf(c);
      const file = await files.own(userId, pathParameter(c, "id"));
      await files.remove(file.id);
      return c.body(null, 204);
    }),
  ];
}

/** The files of a server that stores them. */
export function filesOf(c: HttpContext): Files {
  const { deps } = c.get("server");
  if (deps.files) return deps.files;
  throw new Failure("NOT_FOUND", "This server does not store files.");
}

/** Counts an upload of the caller, and returns how to store it. */
export async function beginUpload(c: HttpContext) {
  const server = c.get("server");
  const files = filesOf(c);
  const caller = await identify(c);
  await server.deps.takeUpload?.(caller.principal, clientOf(c, caller));
  const { id: userId } = acceptCaller(c, caller);
  const signal = AbortSignal.any([whenCallerGone(c), server.closing]);
  const put = ({ body, ...facts }: FormFile & { counted?: boolean }) =>
    files.put(body, { ...facts, userId, signal });
  return { files, userId, put };
}

async function postFile(c: HttpContext): Promise<Response> {
  const { files, put } = await beginUpload(c);
  const sent = await readUpload(c.req.raw, c.env?.incoming, files.maxBytes);
  const file = await put({ ...sent, counted: true });
  return c.json(shownFile(file, files), 201);
}

async function listFiles(c: HttpContext): Promise<Response> {
  const files = filesOf(c);
  const { id } = await authenticate(c);
  const own = (await files.list(id)).map((file) => ({
    ...shownFile(file, files),
    createdAt: file.createdAt,
    sessionId: file.sessionId,
  }));
  return c.json({ files: own, usedBytes: await files.usedBytes(id), quotaBytes: files.quotaBytes });
}

/** Sends the bytes of a file. */
export async function sendFile(
  files: Files,
  file: StoredFile,
  headers: Record<string, string>,
): Promise<Response> {
  const bytes = await files.open(file);
  return new Response(Readable.toWeb(Readable.from(bytes)) as ReadableStream, { headers });
}

/** Checks only the signature, no credentials. Reveals nothing about a file before that. */
async function getFile(c: HttpContext): Promise<Response> {
  const files = filesOf(c);
  const id = pathParameter(c, "id");
  files.checkSignature(id, c.req.query("exp") ?? "", c.req.query("sig") ?? "");
  const file = await files.get(id);
  if (!file) throw new Failure("NOT_FOUND", "This file was deleted.");
  const headers = fileHeaders(file);
  if (c.req.header("if-none-match") === headers.etag) return new Response(null, { status: 304, headers });
  const range = readRange(c, file, headers.etag);
  if (range === "none") {
    const nothing = { ...headers, "content-range": `bytes */${file.size}`, "content-length": "0" };
    return new Response(null, { status: 416, headers: nothing });
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const sent = {
    ...headers,
    "content-length": String(end - start + 1),
    ...(range ? { "content-range": `bytes ${start}-${end}/${file.size}` } : {}),
  };
  const status = range ? 206 : 200;
  if (c.req.raw.method === "HEAD") return new Response(null, { status, headers: sent });
  const bytes = await files.open(file, range);
  return new Response(Readable.toWeb(Readable.from(bytes)) as ReadableStream, { status, headers: sent });
}

/** Reads a single range. Any other value returns the whole file. `none`: the range is beyond the end. */
function readRange(c: HttpContext, { size }: StoredFile, etag: string): ByteRange | "none" | undefined {
  const condition = c.req.header("if-range");
  const asked = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(c.req.header("range") ?? "");
  if (!asked || (condition !== undefined && condition !== etag)) return undefined;
  const [, from = "", to = ""] = asked;
  if (from === "" && to === "") return undefined;
  if (from === "") return to === "0" ? "none" : { start: Math.max(0, size - Number(to)), end: size - 1 };
  if (to !== "" && Number(to) < Number(from)) return undefined;
  if (Number(from) >= size) return "none";
  return { start: Number(from), end: Math.min(to === "" ? size - 1 : Number(to), size - 1) };
}

/** Returns a file as clients see it. */
export function shownFile(file: StoredFile, files: Files) {
  const { id, mimeType, name } = file;
  return { fileId: id, url: files.signedUrl(id), mimeType, ...lengthOf(file), name };
}
