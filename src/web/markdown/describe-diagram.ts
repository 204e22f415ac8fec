/** A long row of open brackets would be read again from each of them. */
const MOST_CHARACTERS = 5_000;

/** Describes a diagram for screen readers by its first labels, in order. */
export function describeDiagram(source: string): string {
  const words =
    source.slice(0, MOST_CHARACTERS).match(/\[[^\]]+\]|\{[^}]+\}|\([^)]+\)|"[^"]+"|:[^\n]+/g) ?? [];
  const names = words.map((word) => word.replace(/[[\](){}":]/g, " ").trim()).filter((word) => word !== "");
  return (names.length > 0 ? [...new Set(names)].slice(0, 12).join(", ") : source.trim()).slice(0, 300);
}
