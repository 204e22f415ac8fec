/** Reads what this browser has stored. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // This browser stores nothing.
  }
}

/** Stores a text in this browser, or removes it. */
export function store(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // This browser stores nothing: the text is lost when the page is closed.
  }
}
