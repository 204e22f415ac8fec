import type { TranscriptMessage } from "../../protocol/chat.ts";
import { goTo } from "../shell/address.ts";
import { conversation } from "../state/conversation.ts";
import { attempt, notify } from "../state/notices.ts";
import { person } from "../state/person.ts";
import { chat } from "../state/server.ts";
import { refreshSessions } from "../state/sessions.ts";
import { canReadAloud, speech } from "../state/speech.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import type { MenuItem } from "../ui/menu.tsx";

/** Returns what else can be done with a finished answer. */
export function moreOf(message: TranscriptMessage): MenuItem[] {
  const { sessionId, live } = conversation.getState();
  if (sessionId === undefined) return [];
  const busy = live !== undefined;
  return [
    ...(canReadAloud() && message.content !== "" ? [readItem(message)] : []),
    ...(person.getState().models.length < 2
      ? []
      : (
          [
            ["askAgainWith", "retry", "ask-with"],
            ["compareModel", "sidebar", "compare"],
          ] as const
        ).map(([text, icon, kind]) => ({
          label: t(text),
          icon,
          disabled: busy,
          run: () => view.setState({ over: { kind, message } }),
        }))),
    { label: t("branchHere"), icon: "branch", run: () => void branchFrom(sessionId, message.id) },
    {
      label: t("allVersions"),
      icon: "data",
      run: () => view.setState({ over: { kind: "tree", sessionId } }),
    },
  ];
}

/** Makes a separate conversation from everything up to a message, and opens it. */
async function branchFrom(sessionId: string, messageId: string): Promise<void> {
  await attempt(async () => {
    const { id } = await chat.forkSession(sessionId, messageId);
    goTo(id);
    notify({ text: t("branched") });
    await refreshSessions();
  });
}

function readItem({ id, content }: TranscriptMessage): MenuItem {
  const isRead = speech.getState().reading?.messageId === id;
  return {
    label: t(isRead ? "stopReading" : "readAloud"),
    icon: "speaker",
    run: () =>
      void attempt(async () => {
        const { readAloud, stopReading } = await import("../speech/read-aloud.ts");
        return isRead ? stopReading() : readAloud(id, content);
      }),
  };
}
