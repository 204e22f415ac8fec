/** The entry of the history that stands for what covers the page of a phone. */
const COVER = "over";

/** Adds an entry for what covers the page now. */
export function pushCover(): void {
  history.pushState(COVER, "");
}

export function isCover(): boolean {
  return history.state === COVER;
}

/** Opens an address. It takes the place of the entry for what covered the page, so that Back and Forward don't stop there. */
export function go(hash: string): void {
  if (isCover()) location.replace(hash);
  else location.hash = hash;
}
