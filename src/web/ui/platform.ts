/** Returns true if the person's keyboard has a command key. */
export function isMac(): boolean {
  return /Mac|iP(?:hone|ad)/.test(navigator.platform);
}

/** Names a shortcut with the command key as on the person's keyboard. */
export function shortcut(key: string, shift = false): string {
  return isMac() ? `⌘${shift ? "⇧" : ""}${key}` : `Ctrl ${shift ? "Shift " : ""}${key}`;
}
