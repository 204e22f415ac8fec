import type { Conversation, Exchange } from "./conversation.ts";

const LONGEST_POINT = 200;
const MOST_POINTS = 12;
/** What a transcript says about who spoke, at the beginning of an entry. */
const ENTRY = /^\[(person|assistant|call [^\]]+|result of [^\]]+)\] ?/;

/** Summarizes a conversation, or a transcript of one, by rules: what was asked, what was done, and what was answered last. */
export function summarize({ earlier, now }: Conversation): string {
  const transcript = /<transcript>\n([\s\S]*)\n<\/transcript>/.exec(now.question)?.[1];
  const isNotes = ({ question }: Exchange) => question.startsWith("<conversation_summary>");
  const before =
    /<earlier_summary>\n([\s\S]*?)\n<\/earlier_summary>/.exec(now.question)?.[1] ??
    earlier.find(isNotes)?.question ??
    "";
  const entries =
    transcript === undefined
      ? earlier.filter((exchange) => !isNotes(exchange)).flatMap(entriesIn)
      : entriesOf(transcript);
  const said = (who: string) => entries.filter((entry) => entry.who === who).map(({ text }) => text);
  const calls = entries.flatMap(({ who, text }) =>
    who.startsWith("call ") ? [`${who.slice(5)} ${text}`] : [],
  );
  const last = said("assistant").at(-1);
  return [
    section("Goal", [
      ...pointsOf(before, "Goal"),
      ...said("person").map((text) => `The person asked: ${text}`),
    ]),
    section("Done", [...pointsOf(before, "Done"), ...calls]),
    section("Facts", last === undefined ? [] : [`The last answer was: ${last}`]),
  ]
    .filter((text) => text !== "")
    .join("\n");
}

function entriesIn({ question, calls, answer }: Exchange): { who: string; text: string }[] {
  return [
    { who: "person", text: question },
    ...calls.map((call) => ({ who: `call ${call.name}`, text: JSON.stringify(call.arguments) })),
    ...(answer === "" ? [] : [{ who: "assistant", text: answer }]),
  ];
}

function entriesOf(transcript: string): { who: string; text: string }[] {
  const entries: { who: string; text: string }[] = [];
  for (const line of transcript.split("\n")) {
    const who = ENTRY.exec(line)?.[1];
    if (who !== undefined) entries.push({ who, text: line.replace(ENTRY, "") });
    else if (entries.length > 0) entries.splice(-1, 1, join(entries.at(-1), line));
  }
  return entries;
}

function join(entry: { who: string; text: string } | undefined, line: string): { who: string; text: string } {
  return { who: entry?.who ?? "", text: `${entry?.text ?? ""} ${line}` };
}

/** The points of a section of an earlier summary. */
function pointsOf(summary: string, title: string): string[] {
  const [, body = ""] = new RegExp(`## ${title}\\n((?:- .*\\n?)*)`).exec(summary) ?? [];
  return body.split("\n").flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
}

function section(title: string, points: readonly string[]): string {
  const lines = [...new Set(points.map(shortened))].slice(-MOST_POINTS).map((point) => `- ${point}`);
  return lines.length === 0 ? "" : `## ${title}\n${lines.join("\n")}`;
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST_POINT ? `${line.slice(0, LONGEST_POINT - 1)}…`.toWellFormed() : line;
}
