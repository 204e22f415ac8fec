/** Returns true if the page runs from right to left. */
export function isRightToLeft(): boolean {
  return document.documentElement.dir === "rtl";
}

/** Returns the key as it would be on a page that runs from left to right, where the right arrow leads to what is next. */
export function readingKey(key: string): string {
  if (!isRightToLeft()) return key;
  return { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }[key] ?? key;
}
