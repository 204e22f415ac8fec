import { MAX_CODE_LENGTH, type StoredArtifact } from "../../protocol/artifacts.ts";
import type { ArtifactIssue } from "../../protocol/events.ts";
import { processCode } from "./code.ts";
import { processHtml } from "./html.ts";
import { processMarkdown } from "./markdown.ts";
import { processMermaid } from "./mermaid.ts";
import { processReact } from "./react/index.ts";
import { processSvg } from "./svg.ts";
import { readVendor } from "./vendor.ts";

export type ArtifactType = StoredArtifact["type"];

export interface ProcessedArtifact {
  code: string;
  issues: ArtifactIssue[];
  /** False where an error could not be repaired. */
  ok: boolean;
  language?: string;
}

export interface RawArtifact {
  type: ArtifactType;
  code: string;
  language?: string;
}

/** Checks and repairs code according to its type. Never throws because of the code. */
export async function processArtifact(raw: RawArtifact): Promise<ProcessedArtifact> {
  const code = raw.code.toWellFormed().replaceAll("\r\n", "\n").replaceAll("\0", "");
  if (code.trim() === "") return failed(code, "There is no code.");
  if (code.length > MAX_CODE_LENGTH)
    return failed(code, `The code has ${code.length} characters; at most ${MAX_CODE_LENGTH} can be shown.`);
  const processed = await byType({ ...raw, code });
  return {
    ...processed,
    // What needed no repair stays as it was, line ends included.
    code: processed.code === code && raw.code.isWellFormed() ? raw.code.replaceAll("\0", "") : processed.code,
    ok: !processed.issues.some(({ severity }) => severity === "error"),
  };
}

async function byType({ type, code, language }: RawArtifact): Promise<Omit<ProcessedArtifact, "ok">> {
  switch (type) {
    case "react":
      return processReact(code, readVendor());
    case "html":
      return processHtml(code);
    case "svg":
      return processSvg(code);
    case "mermaid":
      return processMermaid(code);
    case "markdown":
      return processMarkdown(code);
    case "code":
      return processCode(code, language);
  }
}

function failed(code: string, message: string): ProcessedArtifact {
  return { code, issues: [{ severity: "error", message }], ok: false };
}
