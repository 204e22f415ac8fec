/** Control characters except line breaks and tabs, and invisible characters: zero-width, tag and direction marks. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]|(?![\n\t])\p{Cc}/gu;

/** Removes invisible characters from text that comes from outside, and limits its length. */
export function cleanText(text: string, maxCharacters: number): string {
  // Cut first, so that the rest need not be searched.
  const bounded = text
    .slice(0, maxCharacters * 2)
    .replaceAll("\r\n", "\n")
    .replace(UNSEEN, "")
    .toWellFormed();
  return cutText(bounded, maxCharacters);
}

/** Cuts a text that is too long, and says so by an ellipsis. */
export function cutText(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters).toWellFormed()}…`;
}
