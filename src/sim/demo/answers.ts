import { isObject, parseObject } from "../../protocol/json.ts";
import type { Action } from "./action.ts";
import type { Exchange, PastResult } from "./conversation.ts";
import { passagesAnswer } from "./memory.ts";
import { missingNote, noteOnError } from "./notes.ts";
import { builtInName } from "./offered.ts";
import { cityOf, type Place, placesIn } from "./places.ts";
import { questionAnswer } from "./question.ts";
import { fenced, MOST_LINES, quoted, shortened } from "./quoting.ts";
import { searchAnswer } from "./search-answer.ts";

/** Writes an answer from the results, in the order of the calls. */
export function answerFrom({ question, results }: Exchange, missing: readonly Action[]): string {
  const sections: string[] = [];
  let times: PastResult[] = [];
  const flush = () => {
    if (times.length > 0) sections.push(timeAnswer(times, placesIn(question)));
    times = [];
  };
  for (const result of results) {
    if (result.success && builtInName(result.call.name) === "get_time") {
      times.push(result);
      continue;
    }
    flush();
    // The person sees the list itself.
    if (result.success && builtInName(result.call.name) === "todo" && result !== results.at(-1)) continue;
    sections.push(result.success ? describe(result) : noteOnError(result));
  }
  flush();
  if (missing.length > 0) sections.push(missingNote(missing));
  return sections.join("\n\n");
}

function describe(result: PastResult): string {
  const describer = DESCRIBERS[builtInName(result.call.name) ?? ""] ?? otherAnswer;
  return describer(result);
}

const DESCRIBERS: Record<string, (result: PastResult) => string> = {
  filesystem: fileAnswer,
  execute_command: commandAnswer,
  web_fetch: pageAnswer,
  generate_artifact: ({ call }) => {
    const title = String(call.arguments.title ?? "Your piece");
    return `**${title}** is ready. Tell me what to change, and it becomes a new version.`;
  },
  generate_image: ({ call }) =>
    `Here is your image of ${String(call.arguments.prompt ?? "what you asked for")}.`,
  "browser.search": searchAnswer,
  ask_user: questionAnswer,
  delegate: ({ call, text }) =>
    `A helper worked on “${String(call.arguments.task)}”. It says:\n\n${quoted(text)}`,
  skill: ({ call, text }) =>
    `I have read the skill **${String(call.arguments.name)}**. It says:\n\n${fenced(text.split("\n\n").slice(1).join("\n\n") || text)}`,
  remember: () => "I'll remember that. You can see and change what I remember in Settings, Memory.",
  search_files: passagesAnswer,
  propose_plan: () => "You approved the plan.",
  todo: ({ call: { arguments: given } }) =>
    `The list has ${Array.isArray(given.items) ? given.items.length : 0} points: all that I can do is done.`,
};

// Time

const TIME =
  /\bis (?<weekday>\w+), (?<date>\d{4}-\d{2}-\d{2}),? (?<time>\d{2}:\d{2})(?::\d{2})? in (?<zone>[\w/+-]+)(?: \(UTC(?<offset>[^)]*)\))?/;

function timeAnswer(results: readonly PastResult[], places: readonly Place[]): string {
  // Use the user's own name for a place rather than its time zone.
  const nameOf = (zone = "UTC") => places.find((place) => place.zone === zone)?.name ?? cityOf(zone);
  const rows = results.map((result) => ({ result, facts: TIME.exec(result.text)?.groups }));
  if (rows.length === 1) {
    const { result, facts } = rows[0]!;
    if (!facts) return result.text;
    return `It is **${facts.time}** in ${nameOf(facts.zone)}, on ${facts.weekday}, ${longDate(facts.date)} (UTC${facts.offset ?? ""}).`;
  }
  const lines = rows.map(({ result, facts }) => {
    if (!facts)
      return `| ${String(result.call.arguments.timeZone ?? "")} | ${result.text.split("\n")[0]} | |`;
    return `| ${nameOf(facts.zone)} | **${facts.time}** | ${facts.weekday}, ${longDate(facts.date)} |`;
  });
  return ["| Place | Time | Date |", "| --- | --- | --- |", ...lines].join("\n");
}

function longDate(date: string | undefined): string {
  const options = { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" } as const;
  return new Date(`${date}T00:00:00Z`).toLocaleDateString("en-GB", options);
}

// Files

function fileAnswer({ call, text }: PastResult): string {
  const path = String(call.arguments.path ?? "the file");
  const place = path === "." ? "here" : `in \`${path}\``;
  switch (call.arguments.operation) {
    case "list": {
      const names = listed(text);
      if (names.length === 0) return `There is nothing ${place}.`;
      const shown = names.slice(0, MOST_LINES).map((name) => `- ${name.replace(/^(\S+)/, "`$1`")}`);
      const more = names.length > MOST_LINES ? [`- … and ${names.length - MOST_LINES} more`] : [];
      return [
        `There ${names.length === 1 ? "is 1 entry" : `are ${names.length} entries`} ${place}:`,
        "",
        ...shown,
        ...more,
      ].join("\n");
    }
    case "exists": {
      const exists = parseObject(text)?.exists ?? !/^(?:no|false)\b|\bnot\b/i.test(text);
      return exists ? `Yes, \`${path}\` exists.` : `No, there is no \`${path}\`.`;
    }
    case "read":
      return `\`${path}\` says:\n\n${fenced(withoutLineNumbers(text), extensionOf(path))}`;
    case "search": {
      const wanted = call.arguments.query ?? call.arguments.pattern ?? call.arguments.text ?? "that";
      if (text === "" || /^(?:nothing|no (?:matches|files|results))\b/i.test(text))
        return `Nothing here mentions “${wanted}”.`;
      return `Where “${wanted}” was found:\n\n${fenced(text)}`;
    }
    case "write":
    case "edit":
    case "delete":
    case "move":
      return changeAnswer(String(call.arguments.operation), path, text);
    default:
      return text.includes("\n") ? `About \`${path}\`:\n\n${fenced(text)}` : text;
  }
}

function withoutLineNumbers(text: string): string {
  const lines = text.split("\n");
  const isNumbered = lines.every((line, index) => /^\d+\t/.test(line) || index === lines.length - 1);
  return isNumbered ? lines.map((line) => line.replace(/^\d+\t/, "")).join("\n") : text;
}

const CHANGES: Record<string, string> = {
  write: "written",
  edit: "changed",
  delete: "deleted",
  move: "moved",
};

function changeAnswer(operation: string, path: string, text: string): string {
  const lasting = /cannot be undone/i.test(text);
  const undo = lasting ? "This cannot be undone." : "You can undo it.";
  return `\`${path}\` is ${CHANGES[operation]}. ${undo}`;
}

/** Returns the names in a listing, which may be JSON or lines. */
function listed(text: string): string[] {
  const json = parseAny(text);
  const entries = isObject(json) ? (json.entries ?? json.files ?? json.items) : json;
  if (Array.isArray(entries)) {
    return entries.map((entry) => (isObject(entry) ? String(entry.name ?? entry.path) : String(entry)));
  }
  return text
    .split("\n")
    .filter((line) => !/^ +[^\s*•-]/.test(line)) // What is deeper in a tree.
    .map((line) => line.replace(/^\s*(?:[-*•]\s+)?/, "").trim())
    .filter((line) => line !== "" && !/:$|^\[.*\]$|^the folder is empty/i.test(line));
}

// Commands

function commandAnswer({ call, text }: PastResult): string {
  const output = parseObject(text);
  const command = String(call.arguments.command ?? "");
  if (!output) return `\`${command}\` answered:\n\n${fenced(text)}`;
  if (typeof output.commandId === "string")
    return `\`${command}\` goes on in the background as \`${output.commandId}\`. Ask me to stop it when you are done.`;
  const stdout = String(output.stdout ?? "").trimEnd();
  const stderr = String(output.stderr ?? "").trimEnd();
  const sections = [
    output.exit_code === 0
      ? `\`${command}\` ran well.`
      : `\`${command}\` ended with exit code ${String(output.exit_code)}, which usually means that something went wrong.`,
  ];
  if (stdout !== "") sections.push(fenced(stdout));
  if (stderr !== "") sections.push(`It also wrote to the error output:\n\n${fenced(stderr)}`);
  if (stdout === "" && stderr === "") sections.push("It printed nothing.");
  return sections.join("\n\n");
}

// The rest

function pageAnswer({ call, text }: PastResult): string {
  const url = String(call.arguments.url ?? "");
  const title = /^#\s+(.+)$/m.exec(text)?.[1] ?? /^(?:title:\s*)(.+)$/im.exec(text)?.[1];
  const paragraphs = text
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph.length > 60 && !/^[#|>`\-*[]/.test(paragraph))
    .slice(0, 3);
  const body =
    paragraphs.length > 0
      ? paragraphs.map((paragraph) => `> ${shortened(paragraph, 400)}`).join("\n>\n")
      : fenced(text);
  return `**[${title ?? url}](${url})** begins like this:\n\n${body}`;
}

function otherAnswer({ call, text }: PastResult): string {
  const json = parseAny(text);
  if (text === "") return `\`${call.name}\` is done; it had nothing to say.`;
  if (json !== undefined && typeof json === "object") {
    return `\`${call.name}\` answered:\n\n${fenced(JSON.stringify(json, null, 2), "json")}`;
  }
  if (text.includes("\n")) return `\`${call.name}\` answered:\n\n${fenced(text)}`;
  return `\`${call.name}\` answered: **${shortened(text, 500)}**`;
}

function parseAny(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Plain text is the usual case.
    return undefined;
  }
}

function extensionOf(path: string): string {
  return /\.([A-Za-z0-9]{1,8})$/.exec(path)?.[1]?.toLowerCase() ?? "";
}
