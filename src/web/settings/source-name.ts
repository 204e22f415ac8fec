const MOST = 40;

/**
 * Returns the name of a service as its tools carry it, from what a person called it or else from its address. Names in other
 * scripts become numbers, so that two of them stay apart.
 */
export function nameFor(said: string, address: string): string {
  const host = URL.parse(address)?.hostname ?? "";
  return plain(said) || plain(host) || `service-${numberOf(said.trim())}`;
}

function numberOf(text: string): string {
  let number = 0;
  for (const character of text) number = (number * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 32;
  return number.toString(36);
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
