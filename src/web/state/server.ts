import { createClient } from "../../client/chat.ts";
import { failureOf } from "../../client/failure.ts";
import { Failure } from "../../protocol/failure.ts";
import { connection } from "./connection.ts";

/** Every request goes through here, so that the app knows whether the server can be reached. */
async function watchedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, init);
    connection.setState({ reachable: true });
    return response;
  } catch (error) {
    if (!init?.signal?.aborted) connection.setState({ reachable: false });
    throw error;
  }
}

/** The chat of the server that this page came from. */
export const chat = createClient(location.origin, { fetch: watchedFetch });

export interface Me {
  id: string;
  kind: "owner" | "guest" | "account";
  role?: "admin" | "user";
  email?: string;
  name?: string;
  /** Dollars within the window of the limits, where something limits them. */
  budget?: { usd: number; spentUsd: number };
  /** By `chat` and by tool. */
  limits?: Record<string, { limit: number; remaining: number; resetAt: string } | undefined>;
}

export interface PersonalSettings {
  settings: Record<string, unknown>;
  keys: Record<string, { lastFour: string }>;
}

export interface UploadedFile {
  fileId: string;
  url: string;
  mimeType: string;
  size: number;
  name: string;
}

export interface ArtifactVersion {
  id: string;
  version: number;
  type: string;
  title: string;
  code: string;
  language?: string;
  previewUrl: string;
  createdAt?: string;
}

/** Asks for something beside the chat itself. Throws `Failure`. */
export async function ask<Answer>(
  method: string,
  path: string,
  body?: unknown,
  init: Pick<RequestInit, "keepalive"> = {},
): Promise<Answer> {
  let response: Response;
  try {
    response = await watchedFetch(path, {
      ...init,
      method,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    throw new Failure("UPSTREAM_ERROR", "The server cannot be reached right now.", { cause: error });
  }
  if (!response.ok) throw await failureOf(response);
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}

/** Keeps a file on the server; the answer has the id that a message can name. */
export async function upload(file: File): Promise<UploadedFile> {
  const response = await watchedFetch(`/files?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    headers: { "content-type": file.type || "application/octet-stream" },
    body: file,
  });
  if (!response.ok) throw await failureOf(response);
  return (await response.json()) as UploadedFile;
}
