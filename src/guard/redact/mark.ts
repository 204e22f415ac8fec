/** Returns the text that replaces a secret: `[key]` for `key`. */
export type Mark = (what: string) => string;

export function plainMark(what: string): string {
  return `[${what}]`;
}
