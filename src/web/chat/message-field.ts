import { type ClipboardEvent, type RefObject, useEffect, useLayoutEffect } from "react";
import { attach, attachIfTooLong } from "../state/attachments.ts";
import type { Draft } from "../state/draft.ts";

/** Fits the height of a field to its text, and gives it the focus, at its end, whenever `focus` counts up. */
export function useMessageField(
  field: RefObject<HTMLTextAreaElement | null>,
  text: string,
  focus: number,
): void {
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = text === "" ? "" : `${Math.min(area.scrollHeight, innerHeight * 0.4)}px`;
  }, [field, text]);

  useEffect(() => {
    if (focus === 0) return;
    field.current?.focus();
    field.current?.setSelectionRange(-1, -1);
  }, [field, focus]);
}

/** Attaches pasted files, and a text that is too long for the message. */
export function takePasted(event: ClipboardEvent<HTMLTextAreaElement>, to: Draft): void {
  const { clipboardData, currentTarget } = event;
  const files = [...clipboardData.files];
  const selected = currentTarget.selectionEnd - currentTarget.selectionStart;
  const rest = to.getState().text.length - selected;
  const isTooLong = attachIfTooLong(clipboardData.getData("text/plain"), rest, to);
  if (files.length > 0 && !isTooLong) void attach(files, to);
  if (files.length > 0 || isTooLong) event.preventDefault();
}
