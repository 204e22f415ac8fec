/** Words that begin a new request: "… and list the files". */
const OPENERS =
  "(?:please\\s+)?(?:list|read|show|search|find|look|fetch|open|get|run|execute|write|create|save|make|build|draw|design|paint|generate|what(?:'s)?|which|who|tell|give|check|does|is there|delete|remove|rename|move|replace|call|use|invoke|grep|calculate|how|count|roll)\\b";

const BOUNDARY = new RegExp(
  `\\s*(?:;|\\n+|[.?!](?=\\s)|,?\\s+(?:and\\s+)?then\\b|(?:,|,?\\s+and(?:\\s+also)?|,?\\s+also)(?=\\s+${OPENERS}))\\s*`,
  "gi",
);

const PROTECTED = /```[\s\S]*?```|`[^`]*`|"[^"]*"|(?<!\w)'[^']*'(?!\w)|https?:\/\/[^\s"'<>`)]+|\{[\s\S]*\}/g;

/** The most requests that are read from one message. */
const MOST_CLAUSES = 24;

/** Splits a message into requests. Quoted text, code, JSON and URLs are never split. */
export function clausesOf(message: string): string[] {
  const kept: string[] = [];
  const masked = message.replace(PROTECTED, (text) => `\uE000${kept.push(text) - 1}\uE000`);
  return masked
    .split(BOUNDARY)
    .map((clause) => clause.replace(/\uE000(\d+)\uE000/g, (_, index) => kept[Number(index)] ?? "").trim())
    .filter((clause) => /[\p{L}\p{N}]/u.test(clause))
    .slice(0, MOST_CLAUSES);
}

/** Returns the first text in backticks or quotes. */
export function quotedIn(text: string): string | undefined {
  const match = /```(?:\w*\n)?([\s\S]*?)```|`([^`]+)`|"([^"]+)"|(?<!\w)'([^']+)'(?!\w)|“([^”]+)”/.exec(text);
  return (match?.[1] ?? match?.[2] ?? match?.[3] ?? match?.[4] ?? match?.[5])?.trim();
}

/** Removes quotes or backticks around a whole text. */
export function unquoted(text: string): string {
  const trimmed = text.trim();
  const inner = /^(["'`“])([^"'`”]*)["'`”]$/s.exec(trimmed)?.[2];
  return inner ?? trimmed;
}

/** Returns the first URL. A bare host counts if it has a common ending. */
export function addressIn(text: string): string | undefined {
  const full = /https?:\/\/[^\s"'<>`)]+/.exec(text)?.[0].replace(/[.,;:!?]+$/, "");
  const host = /(?<![\w@/.])(?:[a-z\d-]+\.)+(?:com|org|net|dev|io|edu|gov)(?:\/[^\s"'<>`)]*)?(?![\w.])/i.exec(
    text,
  )?.[0];
  return full ?? (host === undefined ? undefined : `https://${host}`);
}

const FILE =
  /(?<![\w/:@])(?:~?\.{0,2}\/)?(?:[\w@.-]+\/)*[\w@-]*\.?[\w-]+\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])/g;
const BARE_FILE = /(?<![\w/])(?:README|LICENSE|CHANGELOG|Makefile|Dockerfile|\.[a-z][\w.-]+)(?![\w/])/;

/** Returns the files that a text names, in order. */
export function filesIn(text: string): string[] {
  // No path is so long, and the search below would take the cube of its length.
  const plain = text.replace(/https?:\/\/\S+|[\w@./-]{160,}/g, " ");
  const named = plain.match(FILE) ?? [];
  if (named.length > 0) return [...new Set(named)];
  const bare = BARE_FILE.exec(plain)?.[0];
  return bare ? [bare] : [];
}

/** Returns the folder that a text names, if any: "in src/tools", "the docs folder". */
export function folderIn(text: string): string | undefined {
  const inside =
    /\b(?:in|inside|under|of|within)\s+(?:the\s+)?[`"']?((?:~|\.{1,2})?\/?[\w@.-]+(?:\/[\w@.-]+)*\/?)[`"']?/i;
  const before = /\bthe\s+[`"']?([\w@./-]+)[`"']?\s+(?:folder|directory)\b/i;
  const name = before.exec(text)?.[1] ?? inside.exec(text)?.[1];
  return name && !NOT_FOLDERS.has(name.toLowerCase()) ? name : undefined;
}

const NOT_FOLDERS = new Set(
  "this here current my your our the it there project folder directory working workspace repo repository root files file code all a an me".split(
    " ",
  ),
);

/** Returns what a pattern's first group matches. */
export function exactAfter(clause: string, pattern: RegExp): string | undefined {
  return pattern.exec(clause)?.[1]?.trim();
}

/** Returns the same without trailing punctuation. */
export function textAfter(clause: string, pattern: RegExp): string | undefined {
  return exactAfter(clause, pattern)?.replace(/[\s?!.]+$/, "");
}
