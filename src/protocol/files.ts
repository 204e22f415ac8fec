import type { Part, TextPart } from "./messages.ts";

/** A stored file. Its bytes never change. */
export interface StoredFile {
  id: string;
  userId: string;
  /** The session that it was made in and is deleted with; missing for uploads. */
  sessionId?: string;
  name: string;
  /** Detected from its first bytes. */
  mimeType: string;
  size: number;
  /** Of a PDF, if they could be counted. */
  pageCount?: number;
  /** Of a table or spreadsheet, if they could be counted. */
  rowCount?: number;
  createdAt: string;
}

/** What tells people how long a file is. */
export type FileLength = Pick<StoredFile, "size" | "pageCount" | "rowCount">;

export function lengthOf({ size, pageCount, rowCount }: FileLength): FileLength {
  return { size, pageCount, rowCount };
}

export type NewFile = Omit<StoredFile, "createdAt">;

/** A range of bytes, both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface FileFacts {
  userId: string;
  sessionId?: string;
  /** The name from the client: shown, never used as a path. */
  name?: string;
  /** The content type from the client: used only where it makes the file less dangerous. */
  declaredType?: string;
  /** Counts its pages or rows, if it has any. */
  counted?: boolean;
  signal?: AbortSignal;
}

/** All files of the server. */
export interface Files {
  /** The most bytes of one file. */
  readonly maxBytes: number;
  /** The most bytes of all files of one user. */
  readonly quotaBytes: number;
  /**
   * Stores a file completely or not at all. Throws TOO_LARGE, STORAGE_FULL for a full disk or quota, UPSTREAM_ERROR if the
   * object storage fails.
   */
  put(source: AsyncIterable<Uint8Array>, facts: FileFacts): Promise<StoredFile>;
  /** Keeps bytes for a month without making them a file. The same bytes are kept once. Returns their id. */
  keepTemporarily(userId: string, bytes: Uint8Array): Promise<string>;
  /** Returns what `keepTemporarily` kept; undefined once it is gone. */
  readTemporary(id: string): Promise<Uint8Array | undefined>;
  get(id: string): Promise<StoredFile | undefined>;
  /** Returns the file if it belongs to this user. Throws NOT_FOUND or FORBIDDEN. */
  own(userId: string, id: string): Promise<StoredFile>;
  /** Returns its bytes. Throws NOT_FOUND if they are gone, UPSTREAM_ERROR if they cannot be read now. */
  open(file: StoredFile, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Returns all bytes at once. */
  read(file: StoredFile): Promise<Uint8Array>;
  remove(id: string): Promise<void>;
  /** Newest first. */
  list(userId: string): Promise<StoredFile[]>;
  usedBytes(userId: string): Promise<number>;
  /** Returns a URL on this server that shows the file to anyone who has it, for seven days. */
  signedUrl(id: string): string;
  /** Returns the seconds that the URL is still valid. Throws FORBIDDEN if it is forged or has expired. */
  checkSignature(id: string, expires: string, signature: string): number;
  /** Checks that bytes can be stored and removed. Throws `Failure` if not. */
  check(): Promise<void>;
  /** Removes the bytes of deleted files and of uploads that were never completed. */
  tidy(): Promise<void>;
}

/** The files of one user, as a tool sees them. */
export interface UserFiles {
  /** Stores what the tool made, in the session. */
  save(
    bytes: Uint8Array,
    facts: { name: string; signal?: AbortSignal },
  ): Promise<{ file: StoredFile; url: string }>;
  /** Throws NOT_FOUND or FORBIDDEN. */
  load(id: string): Promise<{ file: StoredFile; bytes: Uint8Array }>;
  /** Returns the newest image that was attached or made in the session. */
  latestImage(): Promise<string | undefined>;
}

/** Returns the ids of the files and kept bytes that parts refer to. */
export function fileIdsIn(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    if (part.type === "image") return [part.fileId, part.asideId].filter((id) => id !== undefined);
    if (part.type === "tool_result") return fileIdsIn(part.images ?? []);
    return part.type === "text" && part.file ? [part.file.id] : [];
  });
}

/** What a file id looks like. */
export const FILE_ID = /^file_[A-Za-z0-9_-]{22}$/;

/** A part that names one of the person's files. Whose it is, and what it contains, is looked up when the turn starts. */
export function namedFile(id: string): TextPart {
  return { type: "text", text: "", file: { id, name: "", mimeType: "", size: 0 } };
}

/** The file behind one of our own URLs. */
export function fileIdIn(address: string | undefined): string | undefined {
  return /^\/files\/([\w-]+)\?/.exec(address ?? "")?.[1];
}
