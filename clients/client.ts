import type { Installed } from "./install.ts";
import type { Lab } from "./lab.ts";

/** What is tried with each client. */
export const CELLS = {
  turns: "several turns",
  stream: "streaming",
  shell: "tool call",
  edit: "HTML edit",
  image: "image",
  fail: "failing tool",
  cancel: "cancelled turn",
  resume: "resumed session",
  fields: "structured output",
  error: "vendor's error",
} as const;
export type CellName = keyof typeof CELLS;

export type Outcome =
  | { state: "passed" }
  /** The program has no such feature. */
  | { state: "cannot"; why: string }
  | { state: "failed"; why: string };

export interface Client {
  name: string;
  /** What people call it. */
  title: string;
  kind: "agent" | "SDK";
  packages: readonly string[];
  /** The door of ours that it uses. */
  door: string;
  /** Tries everything, in order. */
  play(installed: Installed, lab: Lab, report: (cell: CellName, outcome: Outcome) => void): Promise<void>;
}
