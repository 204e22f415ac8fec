/** Returns what matters if the text is the command `/compact [what matters]`, else undefined. */
export function compactFocus(text: string): string | undefined {
  const [command, ...words] = text.trim().split(/(?<=^\S+)\s/);
  return command === "/compact" ? words.join("").trim() : undefined;
}
