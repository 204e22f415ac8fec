export type ArtifactType = "react" | "html" | "svg" | "code" | "mermaid" | "markdown";

export interface Artifact {
  type: ArtifactType;
  title: string;
  code: string;
  language?: string;
}

/** A ready-made artifact, and the words that ask for it. */
export interface ArtifactTemplate {
  words: RegExp;
  write(request: string): Artifact;
}
