/** Moves the focus from a row that is about to go to the last button of the next row, or of the one before. */
export function focusBeside(): void {
  const row = document.activeElement?.closest("li");
  const beside = row?.nextElementSibling ?? row?.previousElementSibling;
  beside?.querySelector<HTMLElement>("button:last-of-type")?.focus();
}
