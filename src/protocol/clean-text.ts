/** Control characters but for line breaks and tabs, and whatever no reader sees: zero-width, tag, direction marks. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]|(?![\n\t])\p{Cc}/gu;

/** Text from outside as it may be shown to a model or a person: nothing hidden in it, and not too much of it. */
export function cleanText(text: string, maxCharacters: number): string {
  // Cut first: what is thrown away need not be looked through.
  const bounded = text
    .slice(0, maxCharacters * 2)
    .replaceAll("\r\n", "\n")
    .replace(UNSEEN, "")
    .toWellFormed();
  return bounded.length <= maxCharacters ? bounded : `${bounded.slice(0, maxCharacters).toWellFormed()}…`;
}
