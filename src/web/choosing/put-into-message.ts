import type { Project } from "../../protocol/projects.ts";
import { goToSettings } from "../shell/address.ts";
import { chooseTool } from "../state/answering.ts";
import { conversation } from "../state/conversation.ts";
import { draft, writeDraft } from "../state/draft.ts";
import { attempt, notify } from "../state/notices.ts";
import { chat } from "../state/server.ts";
import { refreshSessions } from "../state/sessions.ts";
import { t } from "../text/choosing.ts";
import type { Trigger } from "./composer-menu.tsx";
import type { ComposerItem } from "./composer-menu-items.ts";

/** Puts into the message what was chosen. */
export function putIntoMessage(item: ComposerItem, { from, query }: Trigger): void {
  const { text, attachments } = draft.getState();
  const before = text.slice(0, from);
  const after = text.slice(from + query.length + 1);
  const rest = before + after;
  let written = rest;
  let files = attachments;
  if (item.type === "prompt") written = item.prompt.text + rest;
  else if (item.type === "command") written = item.text + rest.trimStart();
  else if (item.type === "mention") written = before + item.text + after.trimStart();
  else if (item.type === "file")
    files = [...attachments.filter(({ fileId }) => fileId !== item.file.fileId), item.file];
  else if (item.type === "tool") chooseTool(item.name);
  else if (item.type === "project") void enterProject(item.project);
  writeDraft(written, files);
  if (item.type === "manage") goToSettings("prompts");
}

/** A new conversation begins in the project; another one is moved there. */
async function enterProject({ id, name }: Project): Promise<void> {
  const { sessionId } = conversation.getState();
  if (sessionId === undefined) {
    conversation.setState({ projectId: id });
    return;
  }
  await attempt(async () => {
    await chat.moveSession(sessionId, id);
    if (conversation.getState().sessionId === sessionId) conversation.setState({ projectId: id });
    notify({ text: t("movedToProject", { name }) });
    await refreshSessions();
  });
}

/** A new conversation begins in no project. */
export function leaveProject(): void {
  conversation.setState({ projectId: undefined });
}
