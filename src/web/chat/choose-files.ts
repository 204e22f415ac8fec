import { createRef } from "react";

/** The field of the composer that lets the person choose files. */
export const fileField = createRef<HTMLInputElement>();

/** Lets the person choose files for the message. */
export function chooseFiles(): void {
  fileField.current?.click();
}
