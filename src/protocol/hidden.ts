/** Replaces a secret in a tool's output. No program prints this text by itself. */
export function hiddenMark(what: string): string {
  return `[${what} hidden]`;
}

/** True for text that contains such a placeholder. Written to a file, it would overwrite the secret. */
export function hasHiddenMark(text: string): boolean {
  return /\[(?:key|token|secret|credentials|private key|webhook) hidden\]/.test(text);
}

/** False for a secret that is too short to be searched for: in a text, it would match parts of ordinary words. */
export function isSearchable(secret: string): boolean {
  return secret.length >= 8;
}

/** Removes secrets that an upstream was sent and may repeat. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.filter(isSearchable).reduce((clean, secret) => clean.replaceAll(secret, "[key]"), text);
}
