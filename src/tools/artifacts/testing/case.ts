import type { ArtifactType } from "../pipeline.ts";

/** An artifact as a model wrote it, and what a person must see of it. */
export interface ArtifactCase {
  name: string;
  type?: ArtifactType;
  code: string;
  /** Text that must be visible. */
  shows: string;
  /** Labels of the buttons to press first; `shows` is checked afterwards. */
  press?: string[];
}
