import type { Action } from "./action.ts";
import type { PastResult } from "./conversation.ts";
import { builtInName } from "./offered.ts";

/** How to get a tool that is not offered. */
const TO_HAVE: Record<string, string> = {
  filesystem:
    "I can't touch files here: no folder was opened to me. Set `TACKLE_ROOTS` to the folders I may use and restart, or start the terminal chat with `tackle` in the folder itself.",
  execute_command:
    "I can't run commands here: no folder was opened to me. Set `TACKLE_ROOTS` to the folders I may use and restart, or start the terminal chat with `tackle` in the folder itself.",
  "browser.search":
    "I have no search tool here. Set `TAVILY_API_KEY`, `EXA_API_KEY` or `SEARXNG_BASE_URL` and restart, or choose a search tool for this message.",
  web_fetch: "I can't open web pages here: the `web_fetch` tool is not offered for this message.",
  generate_image:
    "I can't make images here: that needs an image model. Set `OPENROUTER_API_KEY` (or name one in `TACKLE_IMAGE_MODEL`) and restart.",
  generate_artifact:
    "I can't make artifacts here: the `generate_artifact` tool is not offered for this message.",
  skill:
    "There is no such skill here. Skills are folders in `.agents/skills` or `~/.tackle/skills`; `/skills` lists them in the terminal.",
  get_time: "I can't read the clock here: the `get_time` tool is not offered for this message.",
};

/** Says which tools are missing and how to set them up. */
export function missingNote(missing: readonly Action[]): string {
  const notes = missing.map(
    ({ tool }) => TO_HAVE[builtInName(tool) ?? ""] ?? `The tool \`${tool}\` is not offered here.`,
  );
  return [...new Set(notes)].join("\n\n");
}

/** What the user can do about each kind of error. */
const ADVICE: Record<string, string> = {
  PermissionDenied: "Nothing was changed. If you do want it, ask again and allow it, or adjust the policy.",
  NotFound: "Check the name; I can list what there is.",
  InvalidArguments: "Say it in other words, or give me the exact values.",
  Timeout: "Trying again may help; so may a smaller request.",
  RateLimited: "Wait a little and try again.",
  Unavailable: "The service behind it is having trouble. Try again in half a minute.",
  LimitReached: "The limit of this request is used up; send the rest as a new message.",
  Cancelled: "It was stopped before it was done.",
  OutcomeUnknown: "It may or may not have happened: please check before you ask for it again.",
};

/** Explains a tool's error and what to do about it. */
export function noteOnError({ error, text }: Pick<PastResult, "error" | "text">): string {
  const message = (error?.message ?? text).trim().replace(/[.\s]*$/, ".");
  const advice =
    ADVICE[error?.type ?? ""] ?? "Trying again may help; if not, the message above says where to look.";
  return `That did not work: ${message}\n\n${advice}`;
}
