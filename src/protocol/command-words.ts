/** Shell syntax that makes a line more than one simple command. */
const COMPOUND_COMMAND = /[;&|`$()<>\n\r\\]/;

/** True for one command with its arguments and no other shell syntax. */
export function isSimpleCommand(command: string): boolean {
  return !COMPOUND_COMMAND.test(command);
}

/** Returns the words of a simple command as the shell makes them, or undefined if it may make others of them: `*`, `~`, `{a,b}`. */
export function plainWords(command: string): string[] | undefined {
  const unquoted = command.replace(/'[^']*'|"[^"]*"/g, "");
  // To a shell, only spaces and tabs are between words.
  if (!isSimpleCommand(command) || /[^\w \t@%+=:,./-]/.test(unquoted)) return undefined;
  const words = command.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}
