import type { Action } from "./action.ts";
import { artifactFor } from "./artifacts/catalogue.ts";
import { addressIn, exactAfter, filesIn, textAfter as text, unquoted } from "./clauses.ts";
import { fileAction, readFiles } from "./file-intents.ts";
import { readFileSearch, readRemember } from "./memory.ts";
import { placesIn } from "./places.ts";
import { readQuestion } from "./question.ts";
import { todoAction } from "./todo.ts";

interface Intent {
  tool: string;
  read(clause: string): Action[];
}

// Commands

const COMMAND =
  /^(?:please\s+|can you\s+|could you\s+)?(?:run|execute)\s+(?:the\s+)?(?:shell\s+|terminal\s+)?(?:command\s*:?\s*)?(.+)$/is;

function readCommand(clause: string): Action[] {
  const rest = exactAfter(clause, COMMAND) ?? exactAfter(clause, /^\$\s+(.+)$/s);
  if (!rest || /\btool\b/i.test(rest.replace(/`[^`]*`/g, ""))) return [];
  const marked = /```(?:\w*\n)?([\s\S]*?)```|`([^`]+)`/.exec(rest);
  const inBackground = /\bin the background\b/i.test(rest.replace(/`[^`]*`/g, ""));
  const plain = inBackground ? rest.replace(/\s*\bin the background\b\s*:?\s*/i, " ").trim() : rest;
  const command = (marked?.[1] ?? marked?.[2])?.trim() ?? unquoted(plain.replace(/[?!]+$/, ""));
  const args = inBackground ? { command, background: true } : { command };
  return [{ tool: "execute_command", arguments: args, aim: `the output of \`${command}\`` }];
}

/** `stop the command cmd_…`, `show the output of cmd_…`. */
function readBackground(clause: string): Action[] {
  const [commandId] = /\bcmd_[\w-]+/.exec(clause) ?? [];
  if (commandId === undefined) return [];
  const tool = /\b(stop|end|kill)\b/i.test(clause) ? "stop_command" : "command_output";
  return [{ tool, arguments: { commandId }, aim: `the command ${commandId}` }];
}

// Skills

const SKILL =
  /^\/([a-z0-9-]+)(?=\s|$)|\b(?:use|load|follow|apply)\s+(?:the\s+)?(?:skill\s+[`“"]?([a-z0-9-]+)|[`“"]?([a-z0-9-]+)[`”"]?\s+skill\b)/i;

function readSkill(clause: string): Action[] {
  const [, slash, after, before] = SKILL.exec(clause) ?? [];
  const name = slash ?? after ?? before;
  return name === undefined ? [] : [{ tool: "skill", arguments: { name }, aim: `the skill ${name}` }];
}

// Web

const FETCH =
  /\b(fetch|read|open|get|load|download|visit|summari[sz]e|show|browse|look at|what(?:'s| is| does))\b/i;

function readFetch(clause: string): Action[] {
  const url = addressIn(clause);
  if (!url || !(FETCH.test(clause) || clause.trim() === url)) return [];
  return [{ tool: "web_fetch", arguments: { url }, aim: `the page ${url}` }];
}

const SEARCH_LEADS: readonly RegExp[] = [
  /\b(?:search|look)\s+(?:the\s+)?(?:web|internet|net|online)?\s*(?:online\s+)?(?:for|up|about)\s+(.+)/is,
  /\b(?:google|web\s*search(?:\s+for)?|look\s+up|find\s+out\s+(?:about)?|search)\s*:?\s+(.+)/is,
  /\b(?:what(?:'s| is| are)\s+the\s+)?((?:latest|newest|recent)\s+(?:news|version|release|updates?)\b.*)/is,
];

function readSearch(clause: string): Action[] {
  for (const lead of SEARCH_LEADS) {
    const found = text(clause, lead)
      ?.replace(/\s+(?:on|in)\s+the\s+(?:web|internet)$|\s+online$/i, "")
      .replace(/^(?:the\s+)?(?:web|internet)\s+(?:for\s+)?/i, "");
    if (!found) continue;
    const query = unquoted(found);
    return [{ tool: "browser.search", arguments: { query }, aim: `what the web says about “${query}”` }];
  }
  return [];
}

// Artifacts and images

const MAKE =
  /\b(make|create|build|generate|draw|design|write|show|give|sketch|produce|render|i(?:'d| would) like|i want|i need)\b|^code\b/i;
const ARTIFACT =
  /\b(react|component|counter|to-?do|clock|chart|graph|plot|dashboard|flow\s?chart|diagram|mermaid|svg|logo|icon|badge|html|web\s?page|landing page|website|markdown|table|app|widget|calculator|stopwatch|timer|game|artifact|function|script|program|snippet|hello,? world|fibonacci)\b/i;
/** A request without a verb: "svg of a heart", "a counter in React". */
const BARE_ARTIFACT =
  /^(?:an?\s+)?(?:[\w-]+\s+){0,2}(?:svg|logo|icon|diagram|flow\s?chart|chart|counter|to-?do list|clock|web\s?page|component|table)\s+(?:of|for|in|with|about|showing)\b/i;
const PICTURE = /\b(image|picture|photo(?:graph)?|painting|illustration|portrait|wallpaper|drawing)\b/i;

/** Says how the answer should look, and asks for nothing else: "show it as a table". */
const FORM_OF_ANSWER =
  /\b(?:show|give|write|render)\s+(?:me\s+)?(?:it|this|that|them|these|those)\s+(?:to\s+me\s+)?(?:as|in)\s+(?:an?\s+)?(?:[\w-]+\s+)?(?:table|markdown)\b/i;

function readArtifact(clause: string): Action[] {
  if (FORM_OF_ANSWER.test(clause)) return [];
  if (!(MAKE.test(clause) && ARTIFACT.test(clause)) && !BARE_ARTIFACT.test(clause)) return [];
  if (PICTURE.test(clause) && !/\bsvg\b/i.test(clause)) return [];
  if (/\bfiles?\b/i.test(clause) || filesIn(clause).length > 0) return [];
  return [artifactAction(clause)];
}

function artifactAction(clause: string): Action {
  const { type, title, code, language } = artifactFor(clause);
  const details = language === undefined ? {} : { language };
  return { tool: "generate_artifact", arguments: { type, title, code, ...details }, aim: `“${title}”` };
}

const PAINT =
  /\b(?:paint|draw|sketch|(?:make|create|generate|give|show|produce|render)\b.*?\b(?:image|picture|photo(?:graph)?|painting|illustration|portrait|wallpaper|drawing))\b\s*(?:me\s+)?(?:an?\s+(?:image|picture|photo(?:graph)?|painting|illustration|portrait|wallpaper|drawing)\s+)?(?:of\s+|showing\s+|with\s+)?(.*)/is;

function readImage(clause: string): Action[] {
  const prompt = text(clause, PAINT);
  return prompt ? [imageAction(prompt, clause)] : [];
}

function imageAction(prompt: string, clause: string): Action {
  const ratio = /\b(1:1|16:9|9:16|4:3|3:4)\b/.exec(clause)?.[1];
  const shape = /\b(landscape format|wide|wallpaper)\b/i.test(clause)
    ? "16:9"
    : /\b(tall|portrait format)\b/i.test(clause)
      ? "9:16"
      : "1:1";
  const subject =
    ratio === undefined
      ? prompt
      : prompt.replace(ratio, "").replace(/[\s,(]+(?:in|at|format|\))?[\s,)]*$/i, "");
  const details = { prompt: subject, mode: "generate", aspectRatio: ratio ?? shape };
  return { tool: "generate_image", arguments: details, aim: `an image of ${subject}` };
}

// Time

const TIME =
  /\b(?:what(?:'s| is)?\s+(?:the\s+)?(?:current\s+)?(?:local\s+)?(?:time|date|day)|time\s+(?:is\s+it|in|at|now)|(?:current|local)\s+(?:time|date)|today'?s\s+date|the\s+time|what\s+(?:day|year|month)\s+is|clock\s+in|o'?clock)\b|^(?:the\s+)?(?:time|date)\b/i;

function readTime(clause: string): Action[] {
  return TIME.test(clause) ? timeActions(clause) : [];
}

/** Plans one call per place. Without a place, uses the time zone of this machine. */
export function timeActions(clause: string): Action[] {
  const places = placesIn(clause);
  if (places.length > 0) {
    return places.map(({ name, zone }) => ({
      tool: "get_time",
      arguments: { timeZone: zone },
      aim: `the time in ${name}`,
    }));
  }
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return [{ tool: "get_time", arguments: { timeZone }, aim: "the time" }];
}

/** In the order in which they are tried. The first that matches gets the clause. */
export const INTENTS: readonly Intent[] = [
  { tool: "remember", read: readRemember },
  { tool: "search_files", read: readFileSearch },
  { tool: "ask_user", read: readQuestion },
  { tool: "skill", read: readSkill },
  { tool: "execute_command", read: readCommand },
  { tool: "command_output", read: readBackground },
  { tool: "web_fetch", read: readFetch },
  { tool: "generate_artifact", read: readArtifact },
  { tool: "filesystem", read: readFiles },
  { tool: "generate_image", read: readImage },
  { tool: "get_time", read: readTime },
  { tool: "browser.search", read: readSearch },
];

/** The calls of tools that must be called, whatever the message says. */
export const FORCED: Readonly<Record<string, (message: string) => Action>> = {
  generate_artifact: artifactAction,
  generate_image: (message) => imageAction(message || "a quiet landscape", message),
  get_time: (message) => timeActions(message)[0] as Action,
  "browser.search": (query) => ({ tool: "browser.search", arguments: { query }, aim: `“${query}”` }),
  todo: (message) => todoAction([message.slice(0, 100) || "Answer"], 0),
  filesystem: () => fileAction("list", { arguments: { path: "." }, aim: "the files here" }),
};
