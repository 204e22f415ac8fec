import { type ModelListing, shutdownNotice } from "../protocol/chat.ts";

/** Returns what the operator should change now that the vendors' lists are known. */
export function noticesAbout(preferred: string | undefined, listings: readonly ModelListing[]): string[] {
  const usual = listings.find((model) => model.default);
  if (!usual) return [];
  const replaced =
    preferred !== undefined && preferred !== usual.id
      ? [`TACKLE_MODEL names ${preferred}, which was shut down. ${usual.id} answers instead.`]
      : [];
  return [...replaced, ...[shutdownNotice(usual)].filter((line) => line !== undefined)];
}
