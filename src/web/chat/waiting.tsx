import type { WaitingMessage } from "../../protocol/chat.ts";
import { changeWaiting, takeBack, waiting, withdrawWaiting } from "../state/waiting.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";

/** What was sent while an answer is being written, above the message field until it takes effect. */
export function WaitingMessages() {
  const messages = waiting((state) => state.messages);
  if (messages.length === 0) return null;
  return (
    <ul className="waiting-messages" data-part="queue" aria-label={t("waitingMessages")}>
      {messages.map((message) => (
        <Row key={message.messageId} message={message} />
      ))}
    </ul>
  );
}

function Row({ message }: { message: WaitingMessage }) {
  const { messageId, when, state } = message;
  const other = when === "now" ? "after" : "now";
  return (
    <li data-when={when} data-state={state}>
      <span className="waiting-when">
        {t(state === "returned" ? "notSent" : when === "now" ? "nextStep" : "afterThis")}
      </span>
      <span className="waiting-text">
        {message.message}
        {message.attachments?.map(({ fileId, name, mimeType }) => (
          <span key={fileId}> · {name ?? mimeType}</span>
        ))}
      </span>
      {state === "waiting" && (
        <Button className="link" onClick={() => changeWaiting(messageId, { when: other })}>
          {t(other === "now" ? "sendNow" : "sendAfter")}
        </Button>
      )}
      <IconButton icon="edit" label={t("editWaiting")} onClick={() => takeBack(message)} />
      <IconButton icon="close" label={t("withdraw")} onClick={() => withdrawWaiting(messageId)} />
    </li>
  );
}
