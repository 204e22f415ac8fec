/** A stored file; its bytes never change, so its id stands for them. */
export interface StoredFile {
  id: string;
  userId: string;
  /** The conversation that it was made in and goes with; missing for uploads, which are the person's own. */
  sessionId?: string;
  name: string;
  /** What the bytes are, as we found out ourselves. */
  mimeType: string;
  size: number;
  createdAt: string;
}

export type NewFile = Omit<StoredFile, "createdAt">;

/** Which bytes of a file, both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface FileFacts {
  userId: string;
  sessionId?: string;
  /** As the sender calls it: shown, never used as a path. */
  name?: string;
  /** What the sender says the bytes are: believed only where it makes them less dangerous. */
  declaredType?: string;
  signal?: AbortSignal;
}

/** All files of the server, whoever they belong to and wherever their bytes lie. */
export interface Files {
  /** Bytes that one file may have. */
  readonly maxBytes: number;
  /** Bytes that all files of one user may have together. */
  readonly quotaBytes: number;
  /**
   * Keeps a file whole or not at all. Throws TOO_LARGE, STORAGE_FULL for a full disk or quota, UPSTREAM_ERROR where the
   * object storage does not take it.
   */
  put(source: AsyncIterable<Uint8Array>, facts: FileFacts): Promise<StoredFile>;
  /** Keeps bytes for a month without making them a file of the user's; the same bytes again are kept only once. */
  keepTemporarily(userId: string, bytes: Uint8Array): Promise<string>;
  /** What was set aside; undefined once it is gone. */
  readTemporary(id: string): Promise<Uint8Array | undefined>;
  get(id: string): Promise<StoredFile | undefined>;
  /** The file, if it is this user's. Throws NOT_FOUND or FORBIDDEN. */
  own(userId: string, id: string): Promise<StoredFile>;
  /** Its bytes. Throws NOT_FOUND where they are gone, UPSTREAM_ERROR where they cannot be had now. */
  open(file: StoredFile, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** All bytes at once. */
  read(file: StoredFile): Promise<Uint8Array>;
  remove(id: string): Promise<void>;
  /** Newest first. */
  list(userId: string): Promise<StoredFile[]>;
  usedBytes(userId: string): Promise<number>;
  /** An address on this server that shows the file to whoever has it, for seven days. */
  signedUrl(id: string): string;
  /** Seconds that the address still holds. Throws FORBIDDEN for one that is forged or has expired. */
  checkSignature(id: string, expires: string, signature: string): number;
  /** Shows that bytes can be stored and removed. Throws `Failure` where not. */
  check(): Promise<void>;
  /** Removes the bytes of files that are gone: of deleted sessions and users, and of uploads that never ended. */
  tidy(): Promise<void>;
}

/** The files of one person, as a tool sees them. */
export interface UserFiles {
  /** Keeps what the tool made, with the conversation it was made in. */
  save(
    bytes: Uint8Array,
    facts: { name: string; signal?: AbortSignal },
  ): Promise<{ file: StoredFile; url: string }>;
  /** Throws NOT_FOUND or FORBIDDEN. */
  load(id: string): Promise<{ file: StoredFile; bytes: Uint8Array }>;
  /** The newest image that was attached or made in the conversation. */
  latestImage(): Promise<string | undefined>;
}

/** What a file id looks like; anything else is none. */
export const FILE_ID = /^file_[A-Za-z0-9_-]{22}$/;

/** The file that one of our own addresses leads to. */
export function fileIdIn(address: string | undefined): string | undefined {
  return /^\/files\/([\w-]+)\?/.exec(address ?? "")?.[1];
}
