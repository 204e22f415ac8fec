import type { ArtifactType } from "../pipeline.ts";

/** An artifact as a model wrote it, and what a person has to see of it. */
export interface ArtifactCase {
  name: string;
  type?: ArtifactType;
  code: string;
  /** Text that has to show. */
  shows: string;
  /** Buttons that are pressed first, by their text; `shows` is looked for afterwards. */
  press?: string[];
}
