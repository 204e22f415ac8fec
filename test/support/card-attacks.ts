/** A call that tries to hide something from the person who approves it, and what the card must show all the same. */
export interface CardAttack {
  name: string;
  call: { name: string; arguments: Record<string, unknown> };
  shows: readonly string[];
}

const command = (text: string) => ({ name: "execute_command", arguments: { command: text } });
const write = (content: string) => ({
  name: "filesystem",
  arguments: { operation: "write", path: "notes.txt", content },
});

/** What was tried with success once. */
export const CARD_ATTACKS: readonly CardAttack[] = [
  {
    name: "sixty empty lines",
    call: command(`touch a${"\n".repeat(61)}rm -rf src`),
    shows: ["⚠ rm -rf src", "⋮ 60 empty lines"],
  },
  {
    name: "hundreds of harmless lines",
    call: command(`${"echo building\n".repeat(400)}rm -rf src`),
    shows: ["⚠ rm -rf src"],
  },
  {
    name: "three hundred spaces",
    call: command(`touch a${" ".repeat(300)}; rm -rf src`),
    shows: ["⚠ rm -rf src", "⋯ 300 spaces ⋯"],
  },
  {
    name: "characters that turn the text around, or are invisible",
    call: write("if (isAdmin\u202e \u2066// only\u2069) {\u200b}\n"),
    shows: ["isAdmin⟨U+202E⟩ ⟨U+2066⟩// only⟨U+2069⟩) {⟨U+200B⟩}"],
  },
  {
    name: "a file of more than 20,000 characters",
    call: write(
      `${Array.from({ length: 1_500 }, (_, line) => `line number ${line}`).join("\n")}\nthe very end\n`,
    ),
    shows: ["the very end"],
  },
];
