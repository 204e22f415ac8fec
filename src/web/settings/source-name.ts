const MOST = 40;

/** Returns the name of a service as its tools carry it, from what a person called it or else from its address. */
export function nameFor(said: string, address: string): string {
  const host = URL.parse(address)?.hostname ?? "";
  return plain(said) || plain(host) || "service";
}

/** Letters, digits, `-` and `_`, beginning with a letter: models call tools by such names only. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[^\w-]+/g, "-")
    .replace(/^[^A-Za-z]+|-+$/g, "")
    .slice(0, MOST);
}
