import { useEffect } from "react";
import { commands, lookForCommands, stopCommand } from "../state/commands.ts";
import { conversation } from "../state/conversation.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";

/** One line for each command that continues in the background, with a button that stops it. */
export function BackgroundCommands() {
  const sessionId = conversation((state) => state.sessionId);
  const calls = conversation((state) => state.live?.state.toolCalls);
  const running = commands((state) => state.running);
  // A call of the answer may have started one, so each new call and the end of the answer are reasons to look.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const over = new AbortController();
    void lookForCommands(sessionId, over.signal);
    return () => over.abort();
  }, [sessionId, calls]);
  if (sessionId === undefined || running.length === 0) return null;
  return (
    <ul className="background-commands" aria-label={t("backgroundCommands")}>
      {running.map(({ commandId, command }) => (
        <li key={commandId}>
          <span className="dot" data-active />
          <code title={command}>{command}</code>
          <Button className="link" onClick={() => stopCommand(sessionId, commandId)}>
            {t("stopCommand")}
          </Button>
        </li>
      ))}
    </ul>
  );
}
