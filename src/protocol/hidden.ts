/** What stands in a tool's output in place of a secret: no text of a program looks like it. */
export function hiddenMark(what: string): string {
  return `[${what} hidden]`;
}

/** True for text that holds such a mark: written to a file, it would take the place of the secret itself. */
export function hasHiddenMark(text: string): boolean {
  return /\[(?:key|token|secret|credentials|private key|webhook) hidden\]/.test(text);
}
