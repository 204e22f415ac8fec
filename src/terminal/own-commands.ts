import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { reveal } from "./clean.ts";
import type { SlashCommand } from "./commands.ts";
import { oneLine } from "./wording.ts";

const NAME = /^[a-z0-9][\w-]{0,63}\.md$/i;
const MOST_CHARACTERS = 50_000;

interface OwnCommand extends SlashCommand {
  body: string;
}

/**
 * Returns the person's own commands and those of the project. A project's command is shown and asked about before its text is
 * used for the first time: anybody may have written it.
 */
export function ownCommands(place: { data: string; folder: string; trust: boolean }): SlashCommand[] {
  const own = readCommands(join(place.data, "commands"));
  const names = new Set(own.map(({ name }) => name));
  const project = readCommands(join(place.folder, ".agents", "commands"));
  const asked = place.trust
    ? project
    : project.map((command) => askedFirst(command, join(place.data, "trusted-commands")));
  return [...own, ...asked.filter(({ name }) => !names.has(name))];
}

function askedFirst(command: OwnCommand, file: string): OwnCommand {
  const hash = createHash("sha256").update(command.body).digest("hex");
  return {
    ...command,
    async run(conversation, given) {
      if (!linesOf(file).includes(hash)) {
        const { screen } = conversation;
        screen.print(...command.body.split("\n").map((line) => screen.paint("dim", `  ${reveal(line)}`)));
        if (!(await conversation.confirm("This text comes with the project. Use it? y/n")))
          return screen.say("It was not sent.");
        appendFileSync(file, `${hash}\n`, { mode: 0o600 });
      }
      return command.run(conversation, given);
    },
  };
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
}

/** Reads commands from a folder: each `NAME.md` is a message, in which `$ARGUMENTS` stands for what follows the command. */
export function readCommands(folder: string): OwnCommand[] {
  return namesIn(folder).flatMap((file) => {
    const text = textOf(join(folder, file));
    if (text === undefined) return [];
    const { description, argumentHint, body } = parts(text);
    const name = basename(file, ".md");
    const summary = description || oneLine(body.split("\n").find((line) => line.trim() !== "") ?? "");
    const usage = [`/${name}`, argumentHint || (body.includes("$ARGUMENTS") ? "[…]" : "")]
      .filter(Boolean)
      .join(" ");
    return [
      {
        name,
        usage,
        body,
        summary: summary.slice(0, 80),
        run: (conversation, given) => conversation.send({ text: filled(body, given), images: [] }),
      },
    ];
  });
}

/** Puts the words after the command into its text: all of them, or one by one as `$1` to `$9`. Without a place, they follow it. */
export function filled(body: string, given: string): string {
  const words = given.split(/\s+/);
  const text = body.replace(/\$(ARGUMENTS|[1-9])/g, (_, place: string) =>
    place === "ARGUMENTS" ? given : (words[Number(place) - 1] ?? ""),
  );
  return text === body && given !== "" ? `${body}\n\n${given}` : text;
}

/** Front matter is optional. */
function parts(text: string): { description: string; argumentHint: string; body: string } {
  const found = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text);
  const [, head = "", body = text] = found ?? [];
  const field = (name: string) =>
    oneLine(new RegExp(`^${name}:[ \\t]*(.*)$`, "im").exec(head)?.[1] ?? "").replace(/^(["'])(.*)\1$/, "$2");
  return { description: field("description"), argumentHint: field("argument-hint"), body: body.trim() };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => NAME.test(file))
      .sort();
  } catch {
    return []; // There is no such folder.
  }
}

function textOf(file: string): string | undefined {
  try {
    const text = readFileSync(file, "utf8").slice(0, MOST_CHARACTERS);
    return text.trim() === "" ? undefined : text;
  } catch {
    return undefined; // It is a folder, or may not be read.
  }
}
