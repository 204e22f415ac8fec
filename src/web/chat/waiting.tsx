import { type KeyboardEvent, useState } from "react";
import type { WaitingMessage } from "../../protocol/chat.ts";
import { focusDraft } from "../state/draft.ts";
import { sendReturned } from "../state/questions.ts";
import { changeWaiting, takeBack, waiting, withdrawWaiting } from "../state/waiting.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";

/** What was sent while an answer is being written, above the message field until it takes effect. */
export function WaitingMessages() {
  const messages = waiting((state) => state.messages);
  const [dragged, setDragged] = useState<string>();
  if (messages.length === 0) return null;
  const move = (messageId: string, position: number) => {
    if (position >= 0 && position < messages.length) void changeWaiting(messageId, { position });
  };
  return (
    <ul className="queue" data-part="queue" aria-label={t("waitingMessages")}>
      {messages.map((message, at) => (
        <Row
          key={message.messageId}
          message={message}
          onMove={(by) => move(message.messageId, at + by)}
          onDrag={() => setDragged(message.messageId)}
          onDrop={() => dragged !== undefined && move(dragged, at)}
        />
      ))}
    </ul>
  );
}

interface RowProps {
  message: WaitingMessage;
  onMove(by: -1 | 1): void;
  onDrag(): void;
  onDrop(): void;
}

function Row({ message, onMove, onDrag, onDrop }: RowProps) {
  const { messageId, when, state } = message;
  const isPaused = state === "returned";

  const sendNow = () =>
    isPaused ? sendReturned(message) : when === "after" && changeWaiting(messageId, { when: "now" });

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      // The button that has the focus goes away.
      focusDraft();
      return void sendNow();
    }
    const by = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key] : undefined;
    if (by === undefined) return;
    event.preventDefault();
    onMove(by);
  }

  return (
    <li
      data-when={when}
      data-state={state}
      draggable={!isPaused}
      title={isPaused ? undefined : t("moveRow")}
      onDragStart={onDrag}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        onDrop();
      }}
      onKeyDown={onKeyDown}
    >
      <Icon name="menu" size="small" />
      <span className="queue-text" dir="auto">
        {message.message}
        {message.attachments?.map(({ fileId, name, mimeType }) => (
          <span key={fileId}> · {name ?? mimeType}</span>
        ))}
      </span>
      <span className="queue-when">
        {t(isPaused ? "paused" : when === "now" ? "nextStepRow" : "afterThisRow")}
      </span>
      <span className="grow" />
      {isPaused ? (
        <Button className="small" onClick={sendNow}>
          {t("send")}
        </Button>
      ) : (
        when === "after" && (
          <Button className="small" onClick={sendNow}>
            {t("sendNow")}
          </Button>
        )
      )}
      <IconButton icon="edit" label={t("editWaiting")} onClick={() => takeBack(message)} />
      <IconButton icon="close" label={t("withdraw")} onClick={() => withdrawWaiting(messageId)} />
    </li>
  );
}
