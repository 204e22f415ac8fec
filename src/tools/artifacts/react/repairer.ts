import type { Edit } from "../source.ts";
import type { Problem } from "./parse.ts";

/** The place where the parser stopped, and what earlier repairs renamed. */
export interface Site {
  code: string;
  problem: Problem;
  /** The code from that place on. */
  after: string;
  /** The code up to that place. */
  before: string;
  /** Reserved words and their new names, so that later uses are renamed too. */
  renamed: Map<string, string>;
}

export interface Repair {
  message: string;
  edits: Edit[];
  /** Called when the parser accepts the repair. */
  accept?(): void;
}

/** Proposes repairs for the place where the parser stopped. Comments and strings before it are never touched. */
export type Repairer = (site: Site) => Repair[];

/** A repair that replaces the code between two offsets. */
export function replace(message: string, start: number, end: number, text: string): Repair {
  return { message, edits: [{ start, end, text }] };
}

export function insert(message: string, at: number, text: string): Repair {
  return replace(message, at, at, text);
}

export function remove(message: string, start: number, end: number): Repair {
  return replace(message, start, end, "");
}

/** A repair that puts text at two places, such as an opening and a closing bracket. */
export function surround(message: string, start: number, open: string, end: number, close: string): Repair {
  return {
    message,
    edits: [
      { start, end: start, text: open },
      { start: end, end, text: close },
    ],
  };
}
