/** Those that models write, each followed by its character. */
const NAMED = new Map(
  `amp& lt< gt> quot" apos' nbsp\u00a0 ensp\u2002 emsp\u2003 ndash– mdash— hellip… bull• middot· lsquo‘ rsquo’ ldquo“ rdquo” laquo« raquo» larr← uarr↑ rarr→ darr↓ harr↔ rArr⇒ times× divide÷ minus− plusmn± le≤ ge≥ ne≠ asymp≈ infin∞ radic√ sum∑ deg° micro\u00b5 sup2² sup3³ frac12½ euro€ pound£ yen¥ cent¢ sect§ para¶ copy© reg® trade™ check✓ cross✗`
    .split(" ")
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)] as const),
);

/** Replaces character references by their characters. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(\w{2,6}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED.get(name as string) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
