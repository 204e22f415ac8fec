import type { AppPage } from "./apps.ts";
import type { ArtifactIssue, EventOf } from "./events.ts";
import type { Principal } from "./principal.ts";

/** More than artifacts need, and still fast to check. */
export const MAX_CODE_LENGTH = 400_000;

/** The artifacts of one person. Every method refuses those of others. */
export interface OwnArtifacts extends UserArtifacts {
  show(id: string, version?: number): Promise<ShownArtifact>;
  versions(id: string): Promise<ShownArtifact[]>;
  /** The changes between two versions, as a unified diff. */
  diff(id: string, from: number, to: number): Promise<string>;
  /** Stores code that the person wrote as a new version, after the same checks. Throws INVALID_INPUT if it does not work. */
  edit(id: string, code: string, title?: string): Promise<ShownArtifact>;
  /** Stores the content of an old version as a new one. */
  restore(id: string, version: number): Promise<ShownArtifact>;
}

/** A version with the URL of its preview. */
export type ShownArtifact = StoredArtifact & { previewUrl: string };

/** A page with the headers that confine it. */
export interface ContainedPage {
  body: string;
  headers: Record<string, string>;
}

/** Artifacts as the HTTP routes offer them. */
export interface ArtifactEndpoint {
  of(principal: Principal): OwnArtifacts;
  /** The page of an artifact, for a frame. The server that serves it checks who may see it. */
  preview(artifact: StoredArtifact, origin: string): Promise<ContainedPage>;
  /** The preview behind a URL with a key. Throws NOT_FOUND. */
  previewByKey(id: string, version: number, key: string, origin: string): Promise<ContainedPage>;
  /** A full page around the preview behind a URL with a key. Throws NOT_FOUND. */
  viewByKey(id: string, version: number, key: string, origin: string): Promise<ContainedPage>;
  /** A page that has loaded the libraries of components and waits for one. */
  emptyFrame(origin: string): ContainedPage;
  /** A page that draws diagrams in answers. */
  drawingFrame(origin: string): ContainedPage;
  /** The page of an app. */
  appFrame(page: AppPage, origin: string): Promise<ContainedPage>;
  /** What the empty frame is sent to show a component. */
  compiled(artifact: StoredArtifact): Promise<{ script: string; css: string }>;
  /** A module that artifacts import, by its file name. */
  vendorFile(name: string): Uint8Array<ArrayBuffer> | undefined;
}

/** One version of an artifact. */
export interface StoredArtifact {
  id: string;
  /** Missing if a person called the tool directly. */
  sessionId?: string;
  userId: string;
  /** The run that made this version; missing if a person did. */
  runId?: string;
  version: number;
  type: EventOf<"artifact_complete">["artifactType"];
  title: string;
  language?: string;
  code: string;
  issues: ArtifactIssue[];
  createdAt: string;
}

/** A version to write; the store gives it its number. */
export type NewArtifactVersion = Omit<StoredArtifact, "version" | "createdAt"> & {
  /** The same for every attempt at one call: a second attempt replaces what the first wrote. */
  callKey?: string;
};

/** The artifacts of one person. */
export interface UserArtifacts {
  /** The newest version, or the given one. Throws NOT_FOUND or FORBIDDEN. */
  get(id: string, version?: number): Promise<StoredArtifact>;
  /** Stores the next version and returns it with the URL of its preview. */
  save(version: ArtifactDraft): Promise<{ artifact: StoredArtifact; previewUrl: string }>;
}

export type ArtifactDraft = Omit<NewArtifactVersion, "userId">;
