import { createClient } from "../../client/chat.ts";
import { Connection } from "../../client/connection.ts";
import { failureOf } from "../../client/failure.ts";
import { PATIENCE } from "../../client/patience.ts";
import type { StoredArtifact } from "../../protocol/artifacts.ts";
import type { Attachment } from "../../protocol/chat.ts";
import { allowCopies, forgetCopies, readCopy } from "../installed/kept-copies.ts";
import { connection } from "./connection.ts";

/** Sends a request and records whether the server can be reached. */
async function watchedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const address = new URL(input instanceof Request ? input.url : input, location.origin);
  const { method = "GET" } = init ?? {};
  const reads = method === "GET";
  // Signing in or out, or deleting the account: the next person must not find the conversations of this one.
  const forgets =
    (!reads && address.pathname.startsWith("/auth/")) || (method === "DELETE" && address.pathname === "/me");
  if (forgets) await forgetCopies();
  try {
    const response = await fetch(input, init);
    connection.setState({ reachable: true });
    const leaves = response.ok && (method === "DELETE" || address.pathname === "/auth/sign-out");
    if (forgets && !leaves) allowCopies();
    return response;
  } catch (error) {
    if (forgets) allowCopies();
    if (init?.signal?.aborted) throw error;
    connection.setState({ reachable: false });
    const copy = reads && (await readCopy(address));
    if (copy) return copy;
    throw error;
  }
}

const server = new Connection(location.origin, { fetch: watchedFetch }, PATIENCE);

/**
 * How often answers grow, at most: 15 times a second. More often is hardly visible, and each time costs a render, a layout and a
 * paint (`npm run bench -- web`).
 */
const PACE_MS = 66;

/** The chat of the server that this page came from. */
export const chat = createClient(location.origin, { fetch: watchedFetch, patience: { paceMs: PACE_MS } });

export interface Me {
  id: string;
  kind: "owner" | "guest" | "account";
  role?: "admin" | "user";
  email?: string;
  /** False for whom an outside provider signs in. */
  hasPassword?: boolean;
  name?: string;
  /** Dollars within the window of the limits, if they are limited. */
  budget?: { usd: number; spentUsd: number };
  /** What one message may hold. */
  accepts?: { characters: number; files: number; fileBytes: number; fileTypes: string[] };
  /** By `chat` or tool. */
  limits?: Record<string, { limit: number; remaining: number; resetAt: string } | undefined>;
}

export type ArtifactVersion = Pick<StoredArtifact, "version" | "type" | "title" | "code" | "createdAt"> & {
  previewUrl: string;
};

/** Sends a request to a route that `chat` does not cover. Throws `Failure`. */
export function ask<Answer>(
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  init: { keepalive?: boolean; signal?: AbortSignal } = {},
): Promise<Answer> {
  return server.json<Answer>(path, { method, body, ...init });
}

/** Asks the server whether what is configured can be reached. A server that is not ready answers too. */
export async function readiness(): Promise<{ ok: boolean; checks: Record<string, string> }> {
  const response = await watchedFetch("/readyz?deep=1");
  if (response.status === 401 || response.status === 403) throw await failureOf(response);
  return response.json();
}

/** Uploads a file, to a project if `to` is the address of its files. Messages refer to it by its id. */
export async function upload(file: File, to = "/files", signal?: AbortSignal): Promise<Attachment> {
  const response = await watchedFetch(`${to}?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    headers: { "content-type": file.type || "application/octet-stream" },
    body: file,
    signal: signal ?? null,
  });
  if (!response.ok) throw await failureOf(response);
  return (await response.json()) as Attachment;
}
