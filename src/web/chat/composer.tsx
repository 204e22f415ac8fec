import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { callsOf } from "../../protocol/reduce.ts";
import { AddMenu, Chips } from "../choosing/add-menu.tsx";
import { ComposerMenu } from "../choosing/composer-menu.tsx";
import { ModelPicker } from "../choosing/model-picker.tsx";
import { DictationButton, Heard } from "../speech/dictation-button.tsx";
import { unchoose } from "../state/answering.ts";
import { type ConversationState, conversation, isNewChat } from "../state/conversation.ts";
import { draft, isReady } from "../state/draft.ts";
import { stop } from "../state/live-run.ts";
import { person } from "../state/person.ts";
import { editLast, sendDraft } from "../state/questions.ts";
import { sendingOf } from "../state/send-key.ts";
import { view } from "../state/view.ts";
import type { TextKey } from "../text/english.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Attachments } from "./attachments.tsx";
import { fileField, takeChosen } from "./choose-files.ts";
import { ContextGauge } from "./context-gauge.tsx";
import { takePasted, useMessageField } from "./message-field.ts";
import { PartChip } from "./part-chip.tsx";
import { ToolPicker } from "./tool-picker.tsx";

const STILL = "(prefers-reduced-motion: reduce)";
const GLIDE = { duration: 260, easing: "cubic-bezier(0.2, 0, 0, 1)" };

/** The message field with its buttons. */
export function Composer() {
  const text = draft((state) => state.text);
  const focus = draft((state) => state.focus);
  const ready = draft(isReady);
  const uploading = draft((state) => state.uploading.length > 0);
  const sending = draft((state) => state.sending !== undefined);
  const most = person((state) => state.me?.accepts?.characters);
  const busy = conversation((state) => state.live !== undefined);
  const beside = view((state) => state.artifact !== undefined);
  const placeholder = conversation((state) => placeholderOf(state, beside));
  const field = useRef<HTMLTextAreaElement>(null);
  const box = useRef<HTMLFormElement>(null);

  useMessageField(field, text, focus);
  useGlide(box);

  function onKeyDown(event: KeyboardEvent): void {
    const sending = sendingOf(event);
    if (sending !== undefined) {
      event.preventDefault();
      void sendDraft(sending);
    } else if (event.key === "ArrowUp" && !event.altKey && text === "" && !busy) {
      event.preventDefault();
      editLast();
    } else if (event.key === "Backspace" && text === "" && unchoose()) event.preventDefault();
    else if (event.key === "Escape" && busy) void stop();
  }

  return (
    <form
      ref={box}
      className="composer"
      data-part="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void sendDraft();
      }}
    >
      <PartChip />
      <Attachments />
      <textarea
        ref={field}
        id="message-box"
        data-part="composer-text"
        value={text}
        rows={1}
        maxLength={most}
        aria-label={t("messageLabel")}
        placeholder={t(placeholder)}
        onChange={({ target }) => draft.setState({ text: target.value })}
        onKeyDown={onKeyDown}
        onPaste={(event) => takePasted(event, draft)}
        autoFocus
      />
      <Heard />
      <div className="composer-tools">
        <AddMenu />
        <input ref={fileField} type="file" multiple hidden onChange={({ target }) => takeChosen(target)} />
        <ToolPicker />
        <ComposerMenu field={field} />
        <Chips />
        <span className="grow" />
        <ContextGauge />
        <ModelPicker shortcut />
        <DictationButton field={field} />
        {busy && <StopButton />}
        {(!busy || ready || uploading) && (
          <SendButton
            label={t(!sending ? "send" : uploading ? "sendsUploaded" : "sendsLater")}
            waits={sending}
            disabled={!ready && !uploading}
          />
        )}
      </div>
    </form>
  );
}

function placeholderOf({ live, messages, projectId }: ConversationState, beside: boolean): TextKey {
  if (!live && messages.length > 0) return beside ? "askForChange" : "reply";
  if (!live) return projectId === undefined ? "messagePlaceholder" : "projectMessage";
  const waiting = callsOf(live.state).filter(({ status }) => status === "waiting");
  if (waiting.length === 0) return "messageMeanwhile";
  return waiting.some(({ question }) => !question) ? "replyInstead" : "reply";
}

/** With the first question the field moves from the middle to the bottom, by a transform alone: nothing is laid out twice. */
function useGlide(box: RefObject<HTMLElement | null>): void {
  const isNew = conversation(isNewChat);
  const before = useRef<number>(undefined);
  useEffect(() => {
    // At the last moment: the size of the window, what has loaded late and a long draft have moved it since it was drawn.
    return conversation.subscribe((now, last) => {
      if (isNewChat(last) && !isNewChat(now)) before.current = box.current?.getBoundingClientRect().top;
    });
  }, [box]);
  useLayoutEffect(() => {
    const top = box.current?.getBoundingClientRect().top;
    const from = before.current;
    before.current = undefined;
    if (isNew || from === undefined || top === undefined || matchMedia(STILL).matches) return;
    box.current?.animate([{ transform: `translateY(${from - top}px)` }, { transform: "none" }], GLIDE);
  }, [isNew, box]);
}

function SendButton({ disabled, waits, label }: { disabled: boolean; waits: boolean; label: string }) {
  return (
    <button
      type="submit"
      className="send"
      disabled={disabled}
      aria-busy={waits}
      aria-label={label}
      title={label}
    >
      {waits ? <span className="ring" /> : <Icon name="send" />}
    </button>
  );
}

function StopButton() {
  const stopping = conversation((state) => state.live?.stopping ?? false);
  const known = conversation((state) => state.live?.runId !== undefined);
  const label = t(stopping ? "stopping" : "stop");
  return (
    <Button
      className="send stop"
      disabled={stopping || !known}
      onClick={stop}
      aria-label={label}
      title={label}
    >
      <Icon name="stop" />
    </Button>
  );
}
