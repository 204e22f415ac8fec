/** What is put in place of something: `key` becomes `[key]`. */
export type Mark = (what: string) => string;

export function plainMark(what: string): string {
  return `[${what}]`;
}
