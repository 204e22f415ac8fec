/** Returns a fence for a code block that the text cannot close. */
export function fenceFor(text: string): string {
  let fence = "```";
  // One by one: a long text may have more runs of backticks than a call may have arguments.
  for (const [run] of text.matchAll(/`{3,}/g)) if (run.length >= fence.length) fence = `${run}\``;
  return fence;
}
