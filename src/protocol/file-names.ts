/** Characters that a file system or a shell of some machine does not take, and those that hide or reorder others. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
const LONGEST = 80;

/** Returns a name for a file from a title, in the title's own script: `Lisbon office: budget` is `Lisbon office budget.md`. */
export function fileNameFrom(title: string, extension: string): string {
  const words = title.toWellFormed().normalize("NFC").replace(UNSAFE, " ").replace(/\s+/g, " ");
  const short = [...words]
    .slice(0, LONGEST)
    .join("")
    .replace(/^[\s.]+|[\s.]+$/g, "");
  const name = short === "" || RESERVED.test(short) ? `conversation ${short}`.trim() : short;
  return `${name}.${extension}`;
}
