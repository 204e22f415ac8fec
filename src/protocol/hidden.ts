/** Replaces a secret in a tool's output. No program prints this text by itself. */
export function hiddenMark(what: string): string {
  return `[${what} hidden]`;
}

/** True for text that contains such a placeholder. Written to a file, it would overwrite the secret. */
export function hasHiddenMark(text: string): boolean {
  return /\[(?:key|token|secret|credentials|private key|webhook) hidden\]/.test(text);
}
