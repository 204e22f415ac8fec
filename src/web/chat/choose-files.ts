import { createRef } from "react";
import { attach } from "../state/attachments.ts";
import { draft, writeDraft } from "../state/draft.ts";

/** The field of the composer that lets the person choose files. */
export const fileField = createRef<HTMLInputElement>();

/** What to write once files are chosen, if nothing is written yet. */
let words = "";

/** Lets the person choose files for the message, for which `wanted` is then written. */
export function chooseFiles(wanted = ""): void {
  words = wanted;
  fileField.current?.click();
}

/** Attaches the files that the person chose. */
export function takeChosen(field: HTMLInputElement): void {
  void attach([...(field.files ?? [])]);
  field.value = "";
  if (words !== "" && draft.getState().text.trim() === "") writeDraft(words, draft.getState().attachments);
}
