import type { Action } from "./action.ts";
import { colorIn, recolored } from "./artifacts/recolor.ts";
import { filesIn } from "./clauses.ts";
import type { Conversation, Exchange } from "./conversation.ts";
import { timeActions } from "./intents.ts";
import { builtInName } from "./offered.ts";
import { placesIn } from "./places.ts";

const FOLLOW_UP =
  /^(?:and|what about|how about|and what about|also|now|what of)\b\s*(?:in|for|of|at)?\s*(.+?)[?.!]*$/i;

/** "And in London?" repeats the last call with another subject. */
export function followUp(clause: string, { earlier }: Conversation): Action[] {
  const color = colorIn(clause);
  const artifact = earlier.findLast(({ calls }) => calls.some(({ name }) => name === "generate_artifact"));
  if (artifact && color) return revision(artifact, color);
  const subject =
    FOLLOW_UP.exec(clause)?.[1] ?? (placesIn(clause).length > 0 && clause.length < 40 ? clause : undefined);
  const before = earlier.at(-1)?.calls.at(-1);
  if (!subject || !before) return [];
  const tool = builtInName(before.name);
  if (tool === "get_time" && placesIn(subject).length > 0) return timeActions(subject);
  if (tool === "filesystem" && filesIn(subject).length > 0) {
    const [path = "."] = filesIn(subject);
    return [{ tool, arguments: { ...before.arguments, path }, aim: `the same for ${path}` }];
  }
  if (tool === "browser.search")
    return [{ tool, arguments: { query: subject }, aim: `what the web says about “${subject}”` }];
  return [];
}

/** As other programs name it, and as our own tool does. */
const ARTIFACT_ID = /artifact\s?id\W+([\w-]+)|\bartifact (art_[\w-]+)/i;

/** "Make it green": the same artifact in another color, as a new version if its id is known. */
function revision({ calls, results }: Exchange, color: string): Action[] {
  const call = calls.findLast(({ name }) => name === "generate_artifact");
  const code = call?.arguments.code;
  if (!call || typeof code !== "string") return [];
  const text = results.find((result) => result.call === call)?.text ?? "";
  const artifactId = ARTIFACT_ID.exec(text)?.slice(1).find(Boolean) ?? call.arguments.artifactId;
  const known = artifactId === undefined ? {} : { artifactId };
  return [
    {
      tool: "generate_artifact",
      arguments: { ...call.arguments, ...known, code: recolored(code, color) },
      aim: `“${String(call.arguments.title)}” in ${color}`,
    },
  ];
}

/** The calls of the last exchange that had any. */
export function repeated({ earlier }: Conversation): Action[] {
  const last = earlier.findLast(({ calls }) => calls.length > 0);
  return (last?.calls ?? []).map((call) => ({
    tool: call.name,
    arguments: call.arguments,
    aim: "the same once more",
  }));
}
