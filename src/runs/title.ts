const TITLE_LENGTH = 60;

/** The title of a new session: the first words of its first message, cut at a word. */
export function titleFrom(text: string): string {
  const line = text.trim().split("\n", 1)[0]?.replace(/\s+/g, " ") ?? "";
  const characters = [...line];
  if (characters.length <= TITLE_LENGTH) return line || "New session";
  const cut = characters.slice(0, TITLE_LENGTH).join("");
  const space = cut.lastIndexOf(" ");
  return `${space > TITLE_LENGTH / 2 ? cut.slice(0, space) : cut}…`;
}
