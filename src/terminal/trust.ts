import type { Chat } from "../protocol/chat.ts";
import type { WorkspaceListing } from "../protocol/workspace.ts";
import { clean } from "./clean.ts";
import type { SlashCommand } from "./commands.ts";
import { truncate, wrap } from "./lines.ts";
import type { Conversation } from "./repl.ts";
import type { Screen } from "./screen.ts";
import { oneLine } from "./wording.ts";

const SHOWN_LINES = 30;

/** Asks once whether the model may use what the folder says. Without a keyboard, says that it does not. */
export async function askTrust(conversation: Conversation): Promise<void> {
  const { chat, screen, attended } = conversation;
  const found = await chat.workspace();
  if (found.trusted || found.declined || found.hash === undefined) return;
  if (!attended) {
    screen.say("This folder has instructions for the model.");
    screen.say("They are not used, because no person is here to ask. --trust uses them.");
    screen.print("");
    return;
  }
  screen.print(...questionLines(found, screen));
  const trusted = await conversation.confirm("Use them? y yes · any other key no");
  await chat.trustWorkspace(found.hash, trusted);
  screen.print(
    screen.paint("dim", trusted ? "  Trusted, until they change." : "  Not used. /skills asks again."),
    "",
  );
  await conversation.known.learnOwn();
}

/** Lists the instructions and skills. Asks again about what was declined. */
export async function showSkills(conversation: Conversation): Promise<void> {
  const { screen, chat } = conversation;
  const found = await chat.workspace();
  screen.print(...workspaceLines(found, screen));
  if (found.declined) await chat.trustWorkspace();
  await askTrust(conversation);
}

/** Returns the skills that may be used, as commands. */
export async function skillCommands(chat: Chat): Promise<SlashCommand[]> {
  const { skills, trusted } = await chat.workspace();
  return skills.filter(({ source }) => source === "person" || trusted).map(sentCommand);
}

/** The prompts of MCP servers as commands: `/server.prompt`. */
export async function promptCommands(chat: Chat): Promise<SlashCommand[]> {
  const tools = await chat.tools();
  return tools.flatMap(({ source, commands = [] }) =>
    commands.map(({ name, description }) => sentCommand({ name: `${source}.${name}`, description })),
  );
}

/** A command that the model gets as the person typed it. */
function sentCommand({ name, description }: { name: string; description: string }): SlashCommand {
  return {
    name,
    usage: `/${name} […]`,
    summary: oneLine(description).slice(0, 80),
    run: (conversation, given) => conversation.send({ text: `/${name} ${given}`.trim(), images: [] }),
  };
}

/** The instructions and skills with where they come from, for `/skills`. */
function workspaceLines(found: WorkspaceListing, { columns, paint }: Screen): string[] {
  const inert = (source: string) =>
    source === "project" && !found.trusted ? paint("yellow", " (not trusted)") : "";
  const isUsed = found.trusted && found.hash !== undefined;
  const lines = [
    ...found.instructions.map(({ path, source }) => `${oneLine(path)}${inert(source)}`),
    ...found.skills.map(
      ({ name, description, source }) =>
        `${paint("bold", `/${name}`)}${inert(source)} ${paint("dim", truncate(oneLine(description), Math.max(10, columns - name.length - 20)))}`,
    ),
    ...(isUsed ? [paint("dim", "What this folder says is trusted, until it changes.")] : []),
    ...found.warnings.map((warning) => paint("yellow", truncate(`! ${oneLine(warning)}`, columns))),
  ];
  return lines.length > 0
    ? lines
    : [paint("dim", "There are no skills. Put them into .agents/skills or ~/.tackle/skills.")];
}

function questionLines(found: WorkspaceListing, { columns, paint }: Screen): string[] {
  const lines = [
    ...wrap(
      [
        { text: "? ", format: "yellow" },
        { text: "This folder has instructions for the model. Do you trust them?", format: "bold" },
      ],
      columns,
      paint,
    ),
  ];
  for (const { path, source, text } of found.instructions) {
    if (source !== "project") continue;
    const all = clean(text).split("\n");
    lines.push(`  ${paint("bold", oneLine(path))}`);
    for (const line of all.slice(0, SHOWN_LINES))
      lines.push(...wrap([{ text: line, format: "dim" }], columns - 4, paint).map((one) => `    ${one}`));
    if (all.length > SHOWN_LINES)
      lines.push(paint("dim", `    … ${all.length - SHOWN_LINES} more lines in the file`));
  }
  for (const { name, description, source } of found.skills)
    if (source === "project")
      lines.push(
        `  ${paint("bold", `skill ${name}`)} ${paint("dim", truncate(oneLine(description), Math.max(10, columns - name.length - 10)))}`,
      );
  const text = "They can tell the model what to do. They cannot approve anything.";
  lines.push(...wrap([{ text, format: "dim" }], columns - 2, paint).map((line) => `  ${line}`));
  return lines;
}
