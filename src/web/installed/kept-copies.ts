/** Begins the names of the caches with a person's conversations. */
export const COPIES = "tackle-copies-";

let copying = new AbortController();

/** Aborts when everyone's copies are deleted. What is asked for after that is refused, or belongs to the next person. */
export function untilForgotten(): AbortSignal {
  return copying.signal;
}

/** Lets copies be made again, for a person who stays. */
export function allowCopies(): void {
  copying = new AbortController();
}

/** Deletes the conversations that this browser keeps for reading offline, of everyone or of all but one person. */
export async function forgetCopies(but?: string): Promise<void> {
  if (but === undefined) copying.abort();
  if (!("caches" in globalThis)) return; // Only pages that are served securely keep copies.
  if (but === undefined) await unsubscribe();
  const names = (await caches.keys()).filter((name) => name.startsWith(COPIES) && name !== but);
  await Promise.all(names.map((name) => caches.delete(name)));
}

/** Ends the notifications of the person before, who would otherwise be told here. */
async function unsubscribe(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}

/** Whether a copy was shown instead of what the server has now. */
export const copyShown = { yet: false };

/** Returns the copy of what a path answers, if there is one. */
export async function readCopy(address: URL): Promise<Response | undefined> {
  if (!("caches" in globalThis) || address.searchParams.has("before") || address.searchParams.has("query"))
    return undefined;
  const name = (await caches.keys()).find((one) => one.startsWith(COPIES));
  const pinned = address.searchParams.get("pinned") === "true" ? "?pinned=true" : "";
  const copy = name && (await caches.match(`${address.pathname}${pinned}`, { cacheName: name }));
  if (copy) copyShown.yet = true;
  return copy || undefined;
}
