const HEX = "0123456789abcdef";
const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Well-formed secrets that are nobody's, made at run time so that no scanner takes this file for a leak. */
export function madeUp(seed: number) {
  let state = seed * 2_654_435_761 + 12_345;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  const from = (alphabet: string) => (length: number) =>
    Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]).join("");
  const hex = from(HEX);
  return {
    hex,
    mixed: from(ALPHANUMERIC),
    safe: from(`${ALPHANUMERIC}-_`),
    base64: from(`${ALPHANUMERIC}+/`),
    capitals: from(CAPITALS),
    lower: from("abcdefghijklmnopqrstuvwxyz0123456789"),
    letters: from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
    digits: from("0123456789"),
    uuid: () => [8, 4, 4, 4, 12].map(hex).join("-"),
  };
}
