/** Returns true if the person's keyboard has a command key. */
export function isMac(): boolean {
  return /Mac|iP(?:hone|ad)/.test(navigator.platform);
}
