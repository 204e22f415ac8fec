import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CELLS, type CellName, type Client, type Outcome } from "./client.ts";

export interface Row {
  client: Client;
  versions: string[];
  outcomes: Partial<Record<CellName, Outcome>>;
}

const page = join(import.meta.dirname, "../docs/clients.md");
const COLUMNS: Record<Client["kind"], CellName[]> = {
  agent: ["turns", "shell", "edit", "image", "fail", "cancel", "resume"],
  SDK: ["turns", "stream", "shell", "edit", "image", "fail", "fields", "error", "cancel", "resume"],
};

const INTRODUCTION = `# Clients that work unchanged

This page lists coding agents and SDKs that work with Tackle unchanged, with the versions that were tried. \`npm run clients\` writes it: it
installs the newest version of each program into \`~/.cache/tackle-clients\` and drives it through \`tackle serve\`. A scripted vendor on a
real socket calls the tools that the client offers, checks the results that come back, and says in its answer whether everything arrived.
\`npm run clients -- codex claude-code\` runs some of them and leaves the other rows as they are. A failure ends with exit code 1.

- **Several turns**: a second message in the same conversation.
- **Streaming**: the answer arrives in pieces.
- **Tool call**: a command that the client runs. Its output reaches the model.
- **HTML edit**: the client reads a file with \`<h1>Hi & bye</h1>\` and changes it. Every byte arrives, both ways.
- **Image**: a picture reaches the model.
- **Failing tool**: the model learns that the tool failed, and the client continues.
- **Structured output**: an answer that follows a schema, read by the client.
- **Vendor's error**: the client reports it as its own error kind.
- **Cancelled turn**: the client stops in the middle of an answer, and the request to the vendor ends.
- **Resumed session**: a new process continues the conversation.

✓ works · – the program has no such feature · ✗ fails
`;

/** Writes docs/clients.md. Rows of clients that did not run stay as they are. */
export function writeTable(clients: readonly Client[], rows: readonly Row[]): void {
  const old = existsSync(page) ? readFileSync(page, "utf8").split("\n") : [];
  const sections = (["agent", "SDK"] as const).map((kind) => {
    const columns = COLUMNS[kind];
    const shown = clients.filter((client) => client.kind === kind);
    const lines = shown.flatMap(({ title }) => {
      const row = rows.find(({ client }) => client.title === title);
      if (row) return [lineOf(row, columns)];
      return old.filter((line) => line.startsWith(`| ${title} |`));
    });
    const notes = shown.flatMap(({ title }) => {
      const row = rows.find(({ client }) => client.title === title);
      return row ? notesOf(row) : old.filter((line) => line.startsWith(`- ${title}, `));
    });
    const head = ["client", "version", "protocol", ...columns.map((column) => CELLS[column])];
    return [
      `## ${kind === "agent" ? "Coding agents" : "SDKs and frameworks"}`,
      [`| ${head.join(" | ")} |`, `| ${head.map(() => "---").join(" | ")} |`, ...lines].join("\n"),
      ...(notes.length > 0 ? [notes.join("\n")] : []),
    ].join("\n\n");
  });
  writeFileSync(page, `${[INTRODUCTION.trimEnd(), ...sections].join("\n\n")}\n`);
}

function lineOf({ client, versions, outcomes }: Row, columns: CellName[]): string {
  const version = client.packages.map((name, index) => `\`${name}\` ${versions[index] ?? "?"}`).join(", ");
  const cells = columns.map((column) => SIGNS[outcomes[column]?.state ?? "failed"]);
  return `| ${[client.title, version, client.door, ...cells].join(" | ")} |`;
}

function notesOf({ client, outcomes }: Row): string[] {
  return COLUMNS[client.kind].flatMap((column) => {
    const outcome = outcomes[column] ?? { state: "failed", why: "it was not reached" };
    return outcome.state === "passed" ? [] : [`- ${client.title}, ${CELLS[column]}: ${outcome.why}`];
  });
}

const SIGNS: Record<Outcome["state"], string> = { passed: "✓", cannot: "–", failed: "✗" };
