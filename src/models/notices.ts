import { type ModelListing, shutdownNotice } from "../protocol/chat.ts";

/** Returns what the operator should know when the vendors' lists have arrived. `first` was the default before them. */
export function noticesAbout(
  first: string,
  preferred: string | undefined,
  listings: readonly ModelListing[],
): string[] {
  const usual = listings.find((model) => model.default);
  if (!usual) return [];
  const notices: string[] = [];
  if (preferred !== undefined && preferred !== usual.id)
    notices.push(`TACKLE_MODEL names ${preferred}, which was shut down. ${usual.id} answers instead.`);
  else if (first !== usual.id)
    notices.push(`The vendor's list does not name ${first}. The default model is ${usual.id}.`);
  const notice = shutdownNotice(usual);
  if (notice !== undefined) notices.push(notice);
  return notices;
}
