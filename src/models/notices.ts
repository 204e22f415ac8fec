import type { ModelListing } from "../protocol/chat.ts";

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
  const ending = endingOf(usual);
  if (ending !== undefined) notices.push(ending);
  return notices;
}

/** Says when a model will be shut down, and what to use instead. Undefined if nothing is announced. */
export function endingOf({ id, deprecated, shutdownDate, successor }: ModelListing): string | undefined {
  if (!deprecated) return undefined;
  const when = shutdownDate === undefined ? "at a date that is not announced" : `on ${shutdownDate}`;
  return `${id} will be shut down ${when}.${successor === undefined ? "" : ` Use ${successor} instead.`}`;
}
