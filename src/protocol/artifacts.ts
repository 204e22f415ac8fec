import type { Principal } from "./principal.ts";
import type { StoredArtifact } from "./store.ts";
import type { UserArtifacts } from "./tool.ts";

/** What a person can do with artifacts of their own. Everything refuses what is somebody else's. */
export interface OwnArtifacts extends UserArtifacts {
  show(id: string, version?: number): Promise<ShownArtifact>;
  versions(id: string): Promise<ShownArtifact[]>;
  /** What changed between two versions, as a unified diff. */
  diff(id: string, from: number, to: number): Promise<string>;
  /** A new version of the person's own writing, through the same checks. Throws INVALID_INPUT where it does not work. */
  edit(id: string, code: string, title?: string): Promise<ShownArtifact>;
  /** Makes an old version the newest one again: a new version with its content. */
  restore(id: string, version: number): Promise<ShownArtifact>;
}

/** A version with the address that shows it. */
export type ShownArtifact = StoredArtifact & { previewUrl: string };

/** A page whose headers are part of it: they are what contains it. */
export interface ContainedPage {
  body: string;
  headers: Record<string, string>;
}

/** Artifacts as the HTTP routes offer them. */
export interface ArtifactEndpoint {
  of(principal: Principal): OwnArtifacts;
  /** The page behind an address with a key. Throws NOT_FOUND. */
  previewByKey(id: string, version: number, key: string, origin: string): Promise<ContainedPage>;
  preview(artifact: StoredArtifact, origin: string): Promise<ContainedPage>;
  /** A page around the one behind an address with a key, for looking at it alone. Throws NOT_FOUND. */
  viewByKey(id: string, version: number, key: string, origin: string): Promise<ContainedPage>;
  /** A page that has loaded what components need and waits for one. */
  emptyFrame(origin: string): ContainedPage;
  /** A page that draws the diagrams of answers. */
  drawingFrame(origin: string): ContainedPage;
  /** What that page is sent to show a component. */
  compiled(artifact: StoredArtifact): Promise<{ script: string; css: string }>;
  /** A module that artifacts import, by the name of its file. */
  vendorFile(name: string): Uint8Array<ArrayBuffer> | undefined;
}
