/** Between the commands of a line. */
const BETWEEN = /[;&|\n\r`()]+|\s-(?:exec|ok)(?:dir)?\s/;
/** A command follows these, after their options. */
const STARTERS =
  /^(?:sudo|doas|env|nice|ionice|nohup|setsid|stdbuf|timeout|xargs|time|command|exec|builtin|busybox|eval|then|do|else|if|elif|while|until|!|\{|(?:ba|da|z|k)?sh|\w+=.*)$/s;
const OPTION = /^(?:-.*|\w+=.*|[\d.]+[smhd]?)$/s;
/** The most wrappers in front of a program that are unwrapped. */
const MOST_STARTERS = 6;

/**
 * Returns the commands in a line in the forms that a rule may be written for: `sudo -u ada "/bin/r\m" x` is also `rm x`. Good enough for rules
 * that ask or deny, not for those that allow: a shell can hide a name in endless ways.
 */
export function commandForms(line: string): string[] {
  const forms = new Set([line.trim()]);
  for (const text of [line, unquoted(line)])
    for (const part of text.split(BETWEEN)) for (const form of formsOf(part.trim())) forms.add(form);
  return [...forms];
}

/** Removes what changes how a command is written but not what it is. */
function unquoted(line: string): string {
  return line
    .replace(/\\\r?\n|\$\{?IFS\}?(?:\$\d)?/g, (found) => (found.startsWith("$") ? " " : ""))
    .replace(/\$(?:[@*]|\{[@*]\}|(?=["']))|["'\\]/g, "")
    .replace(/(?<![^\s;&|(])\{([^{},\s]*,[^{}\s]*)\}/g, (_, words: string) => words.replaceAll(",", " "));
}

function* formsOf(part: string): Generator<string> {
  let rest = part;
  for (let starters = 0; starters <= MOST_STARTERS; starters++) {
    yield rest;
    yield withoutFolder(rest);
    if (!STARTERS.test(nameOf(rest))) return;
    rest = afterWord(rest);
    // An option may take the word after it.
    for (let words = 0; OPTION.test(wordOf(rest)) && words < MOST_STARTERS; words++) {
      rest = afterWord(rest);
      if (rest !== "" && !OPTION.test(wordOf(rest))) yield withoutFolder(afterWord(rest));
    }
  }
}

function wordOf(text: string): string {
  return /^\S*/.exec(text)?.[0] ?? "";
}

function nameOf(text: string): string {
  return wordOf(withoutFolder(text));
}

function afterWord(text: string): string {
  return text.slice(wordOf(text).length).trimStart();
}

function withoutFolder(text: string): string {
  const word = wordOf(text);
  return word.includes("=") ? text : text.slice(word.slice(0, -1).lastIndexOf("/") + 1);
}
