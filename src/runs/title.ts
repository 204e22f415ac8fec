const LONGEST_FIRST_WORDS = 60;
const LONGEST_TITLE = 50;
/** The model is asked for so many. More do not fit into the list. */
const MOST_WORDS = 5;
/** More than this of a message is never part of its title. */
const MOST_READ = 1_000;
/** A longer line is an answer, not a title. */
const LONGEST_LINE = 150;

/** The title of a session in which nothing was said yet. */
export const UNTITLED = "New session";

/** The title of a new session: the first words of its first message, cut at a word. */
export function titleFrom(text: string): string {
  const line = text.trimStart().slice(0, MOST_READ).trim().split("\n", 1)[0]?.replace(/\s+/g, " ") ?? "";
  return cutAtWord(line, LONGEST_FIRST_WORDS) || UNTITLED;
}

/** Returns the title in a model's answer, or undefined if there is none. */
export function cleanTitle(answer: string): string | undefined {
  const said = answer.replace(/<(think|thinking|thought|reasoning)>[\s\S]*?(?:<\/\1>|$)/gi, "");
  const line = said
    .split("\n")
    .map((one) => one.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim())
    .find((one) => one !== "");
  if (line === undefined || line.length > LONGEST_LINE) return undefined;
  const bare = line
    .replace(/^(?:#+ *|[*_`]+)?(?:title|titel|titre|título|titolo) *: */i, "")
    .replace(/^[\s#*_`"'“”„«»‹›‘’「」『』]+|[\s*_`"'“”„«»‹›‘’「」『』]+$/g, "")
    .replace(/[.。]+$/, "")
    .replace(/\s+/g, " ");
  const words = bare.split(" ");
  const few =
    words.length > MOST_WORDS
      ? `${words
          .slice(0, MOST_WORDS)
          .join(" ")
          .replace(/[,;:]$/, "")}…`
      : bare;
  return cutAtWord(few, LONGEST_TITLE, LONGEST_TITLE - 1) || undefined;
}

/** Cuts a line that is too long to `kept` characters, at a word if there is one, and marks that with `…`. */
function cutAtWord(line: string, longest: number, kept = longest): string {
  const characters = [...line];
  if (characters.length <= longest) return line;
  const cut = characters.slice(0, kept).join("");
  const space = cut.lastIndexOf(" ");
  return `${space > longest / 2 ? cut.slice(0, space) : cut}…`;
}
