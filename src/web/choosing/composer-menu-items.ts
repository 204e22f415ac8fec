import type { Attachment, ToolListing } from "../../protocol/chat.ts";
import type { SavedPrompt } from "../../protocol/prompt-fields.ts";
import { t } from "../text/choosing.ts";

export type ComposerItem = { key: string; label: string; hint: string } & (
  | { type: "prompt"; prompt: SavedPrompt }
  | { type: "command"; text: string }
  | { type: "file"; file: Attachment }
  | { type: "manage" }
);

const MOST = 50;

/** Returns what a slash offers: saved prompts, then commands of the app and of connected services. */
export function slashItems(
  prompts: readonly SavedPrompt[],
  tools: readonly ToolListing[],
  query: string,
): ComposerItem[] {
  const commands = new Map(
    tools.flatMap(({ commands: all = [] }) => all.map((one) => [one.name, one.description])),
  );
  const items: ComposerItem[] = [
    ...prompts.map((prompt) => ({
      type: "prompt" as const,
      key: prompt.id,
      label: `/${prompt.name}`,
      hint: prompt.description ?? prompt.text.split("\n")[0] ?? "",
      prompt,
    })),
    { type: "command", key: "compact", label: "/compact", hint: t("compactHint"), text: "/compact " },
    ...[...commands].map(([name, hint]) => {
      const label = name.startsWith("/") ? name : `/${name}`;
      return { type: "command" as const, key: label, label, hint, text: `${label} ` };
    }),
  ];
  const found = items.filter(({ label, hint }) => matches(query, label.slice(1), hint));
  return [...found.slice(0, MOST), { type: "manage", key: "manage", label: t("managePrompts"), hint: "" }];
}

/** Returns the person's files that an @ offers, the newest first. */
export function fileItems(
  files: readonly (Attachment & { createdAt?: string })[],
  query: string,
): ComposerItem[] {
  return files
    .filter(({ name }) => name !== undefined && matches(query, name, ""))
    .slice(0, MOST)
    .map((file) => ({ type: "file", key: file.fileId, label: file.name ?? "", hint: t("attachFile"), file }));
}

/** The beginning of a name, or any part of it or of the hint. */
function matches(query: string, name: string, hint: string): boolean {
  const wanted = query.toLowerCase();
  return name.toLowerCase().includes(wanted) || (wanted.length > 2 && hint.toLowerCase().includes(wanted));
}
