import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
} from "react";
import { callsOf } from "../../protocol/reduce.ts";
import { AddMenu, ModeChip } from "../choosing/add-menu.tsx";
import { ComposerMenu } from "../choosing/composer-menu.tsx";
import { ModelPicker } from "../choosing/model-picker.tsx";
import { DictationButton, Heard } from "../speech/dictation-button.tsx";
import { attach, attachIfTooLong } from "../state/attachments.ts";
import { type ConversationState, conversation, isNewChat } from "../state/conversation.ts";
import { draft, isReady, stopEditing } from "../state/draft.ts";
import { stop } from "../state/live-run.ts";
import { person } from "../state/person.ts";
import { editLast, sendDraft } from "../state/questions.ts";
import { sendingOf } from "../state/send-key.ts";
import type { TextKey } from "../text/english.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Attachments } from "./attachments.tsx";
import { fileField, takeChosen } from "./choose-files.ts";
import { ToolPicker } from "./tool-picker.tsx";

const STILL = "(prefers-reduced-motion: reduce)";
const GLIDE = { duration: 260, easing: "cubic-bezier(0.2, 0, 0, 1)" };

/** The message field with its buttons. */
export function Composer() {
  const text = draft((state) => state.text);
  const focus = draft((state) => state.focus);
  const ready = draft(isReady);
  const most = person((state) => state.me?.accepts?.characters);
  const busy = conversation((state) => state.live !== undefined);
  const placeholder = conversation(placeholderOf);
  const field = useRef<HTMLTextAreaElement>(null);
  const box = useRef<HTMLFormElement>(null);

  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = text === "" ? "" : `${Math.min(area.scrollHeight, innerHeight * 0.4)}px`;
  }, [text]);

  useEffect(() => {
    if (focus === 0) return;
    field.current?.focus();
    field.current?.setSelectionRange(-1, -1);
  }, [focus]);

  useGlide(box);

  function onKeyDown(event: KeyboardEvent): void {
    // Enter confirms a word of an input method.
    if (event.nativeEvent.isComposing) return;
    const sending = sendingOf(event);
    if (sending !== undefined) {
      event.preventDefault();
      void sendDraft(sending);
    } else if (event.key === "ArrowUp" && !event.altKey && text === "" && !busy) {
      event.preventDefault();
      editLast();
    } else if (event.key === "Escape" && draft.getState().editing) {
      event.preventDefault();
      stopEditing();
    } else if (event.key === "Escape" && busy) void stop();
  }

  function onPaste(event: ClipboardEvent): void {
    const files = [...event.clipboardData.files];
    const area = field.current;
    const selected = area ? area.selectionEnd - area.selectionStart : 0;
    const isTooLong = attachIfTooLong(event.clipboardData.getData("text/plain"), text.length - selected);
    if (files.length > 0 && !isTooLong) void attach(files);
    if (files.length > 0 || isTooLong) event.preventDefault();
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
      <Editing />
      <Attachments />
      <textarea
        ref={field}
        data-part="composer-text"
        value={text}
        rows={1}
        maxLength={most}
        aria-label={t("messageLabel")}
        placeholder={t(placeholder)}
        onChange={({ target }) => draft.setState({ text: target.value })}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        autoFocus
      />
      <Heard />
      <div className="composer-tools">
        <AddMenu />
        <input ref={fileField} type="file" multiple hidden onChange={({ target }) => takeChosen(target)} />
        <ToolPicker />
        <ComposerMenu field={field} />
        <ModeChip />
        <span className="grow" />
        <ModelPicker shortcut />
        <DictationButton field={field} />
        {busy && <StopButton />}
        {(!busy || ready) && <SendButton label={t("send")} disabled={!ready} />}
      </div>
    </form>
  );
}

function placeholderOf({ live, messages, projectId }: ConversationState): TextKey {
  if (!live && messages.length > 0) return "reply";
  if (!live) return projectId === undefined ? "messagePlaceholder" : "projectMessage";
  const decides = callsOf(live.state).some(({ status }) => status === "waiting");
  return decides ? "replyInstead" : "messageMeanwhile";
}

/** With the first question the field moves from the middle to the bottom, by a transform alone: nothing is laid out twice. */
function useGlide(box: RefObject<HTMLElement | null>): void {
  const isNew = conversation(isNewChat);
  const before = useRef<number>(undefined);
  useLayoutEffect(() => {
    const top = box.current?.getBoundingClientRect().top;
    const from = before.current;
    before.current = isNew ? top : undefined;
    if (isNew || from === undefined || top === undefined || matchMedia(STILL).matches) return;
    box.current?.animate([{ transform: `translateY(${from - top}px)` }, { transform: "none" }], GLIDE);
  }, [isNew, box]);
}

/** Says that a message is being edited, with a button to stop that. */
function Editing() {
  const editing = draft((state) => state.editing !== undefined);
  if (!editing) return null;
  return (
    <p className="editing">
      <Icon name="edit" />
      <span>{t("editing")}</span>
      <IconButton icon="close" label={t("stopEditing")} onClick={stopEditing} />
    </p>
  );
}

function SendButton({ disabled, label }: { disabled: boolean; label: string }) {
  return (
    <button type="submit" className="send" disabled={disabled} aria-label={label} title={label}>
      <Icon name="send" />
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
