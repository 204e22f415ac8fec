import type { Chat, TranscriptMessage } from "../protocol/chat.ts";
import type { Session } from "../protocol/sessions.ts";
import { clean } from "./clean.ts";
import { truncate } from "./lines.ts";
import { renderMarkdown } from "./markdown.ts";
import { saidLines } from "./output-lines.ts";
import type { Screen } from "./screen.ts";
import { oneLine } from "./wording.ts";

const SHOWN_MESSAGES = 4;

/** Returns the session with this id, or the last one of this folder. Says so if there is none. */
export async function sessionToContinue(
  chat: Chat,
  resume: string | "last",
  folder: string,
  screen: Screen,
): Promise<Session | undefined> {
  if (resume !== "last") return chat.getSession(resume);
  const [session] = await chat.listSessions({ limit: 1, folder });
  const none = "There is no conversation in this folder to continue. This starts a new one.";
  if (!session) screen.say(none);
  return session;
}

/** Shows the last messages of a session that is continued. */
export function showPast(session: Session, messages: readonly TranscriptMessage[], screen: Screen): void {
  const title = truncate(`Continuing “${oneLine(session.title)}” (${session.id})`, screen.columns);
  screen.print(screen.paint("dim", title), "");
  for (const message of messages.slice(-SHOWN_MESSAGES)) {
    const { role, content, state } = message;
    if (role === "user") screen.printAll([...saidLines(content, screen), ""]);
    if (role !== "assistant" || content === "") continue;
    // What was said before and after a call are paragraphs of their own.
    const said = state?.blocks.flatMap((block) => (block.type === "text" ? [block.text.trim()] : []));
    const text = said && said.length > 0 ? said.join("\n\n") : content;
    screen.printAll([...renderMarkdown(clean(text), screen.columns, screen.paint), ""]);
  }
}
