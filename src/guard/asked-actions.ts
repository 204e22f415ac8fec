import { wordsOf } from "./leaves.ts";
import { once } from "./once.ts";
import { isSameNoun, isSecret } from "./order-words.ts";

/**
 * Beginnings of words for what a call may do, in English and German; each line is one kind of action. A tool that is named after one
 * of them does what the person asked for if the person used a word of the same kind.
 */
const KINDS = [
  "send mail email messag dm tell writ reply respon answer forward shar text notif inform contact ask invit post publish comment announc grant allow giv permi schick sag schreib antwort leit teil benachricht veröffentlich freigeb erlaub",
  "pay transfer sen money wire refund settl bill rent donat buy order purchas zahl bezahl überweis erstatt kauf bestell",
  "delet remov cancel drop clear eras purg trash kick unshar uninvit archiv lösch entfern storn absag",
  "creat add mak schedul book reserv put set plan append save writ regist sign invit draft record stor upload updat chang edit modif renam mov reschedul adjust correct fix replac increas decreas rais lower postpon erstell anleg hinzu füg buch reservier eintrag speicher notier änder bearbeit verschieb aktualis setz ersetz",
  "run execut start launch trigger deploy restart stop open clos merg approv reject assign ausführ stopp öffne schließ",
].map((line) => line.split(" "));

/** Returns the name of a tool if it names an action that the person did not ask for, or else nothing. */
export function unaskedAction(toolName: string, personTexts: readonly string[]): string {
  const name = toolName.slice(toolName.lastIndexOf(".") + 1);
  const kindsOf = (word: string) => KINDS.filter((kind) => kind.some((stem) => isOf(word, stem)));
  // The first such word says what is done, the others to what: `delete_payment`.
  const [kinds] = wordsOf(name)
    .map(kindsOf)
    .filter((found) => found.length > 0);
  if (!kinds) return "";
  const stems = new Set(kinds.flat());
  const spoken = wordsIn(personTexts);
  const said = spoken.some((word) => [...stems].some((stem) => isOf(word, stem)));
  const secrets = wordsOf(name).filter(isSecret);
  return said && secrets.every((thing) => spoken.some((word) => isSameNoun(word, thing))) ? "" : name;
}

/** True if the person has named something that a tool is named after: the mail of `delete_email`. */
export function namesThing(toolName: string, personTexts: readonly string[]): boolean {
  const [, ...things] = wordsOf(toolName.slice(toolName.lastIndexOf(".") + 1));
  return wordsIn(personTexts).some((word) => things.some((thing) => isSameNoun(word, thing)));
}

/** The words in texts, each once. */
const wordsIn = once((texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => text.toLowerCase().match(/\p{L}+/gu) ?? [])),
]);

function isOf(word: string, stem: string): boolean {
  return stem.length <= 3
    ? word === stem || (word.startsWith(stem) && word.length <= stem.length + 3)
    : word.startsWith(stem);
}
