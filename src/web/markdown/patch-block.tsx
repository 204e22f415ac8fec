import type { ReactNode } from "react";
import { Diff } from "../ui/diff.tsx";
import { isWholePatch } from "../ui/patch.ts";

/** A patch in an answer, with its line numbers. One that doesn't add up stays as it was written. */
export function PatchBlock({ code, children }: { code: string; children: ReactNode }) {
  return isWholePatch(code) ? <Diff text={code} /> : children;
}
