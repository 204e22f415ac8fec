import { wordsOf } from "./leaves.ts";

/** Verbs that mean the same order, in English and German; each line is one kind. A tool may do only what its own verb says. */
const VERBS = lines(`
  send mail email message dm text tell write notify inform contact forward reply respond answer schick send sag schreib antwort benachrichtig informier mail
  pay transfer send wire refund zahl bezahl überweis schick send erstatt
  post publish announce comment send veröffentlich poste schreib
  share grant teil
  invite lad
  create make add put schedule erstell leg erzeug trag
  create make write save draft erstell leg schreib speicher
  schedule plan plan
  add append insert put attach füg häng trag setz
  book reserve rent buch reservier miet
  buy order purchase kauf bestell
  update change edit modify set adjust correct änder aktualisier setz korrigier
  move reschedule postpone shift verschieb verleg
  rename call benenn
  upload store save speicher
  run execute start launch führ start
  assign
  approve
  merge
`);

/** What only reads, and may be before an order: "Look at my last payments, then send …". */
const READING = new Set(
  "look read check find search see open get show list fetch review go lies schau prüf such finde zeig öffne sieh".split(
    " ",
  ),
);

/** Words of tools whose calls take something away. They are asked about in any case. */
const DESTROYS =
  /^(?:delet|remov|cancel|drop|clear|eras|purg|trash|kick|unshar|uninvit|archiv|revok|reset|overwrit|wip|truncat|destroy|terminat|kill|stop|uninstall|disabl|clos|ban|block|lösch|entfern|storn)/;

/** Nouns that mean the same thing. */
const NOUNS = lines(`
  email mail emails mails e-mail e-mails
  message messages dm nachricht nachrichten
  event events appointment meeting calendar termin kalender
  file files document doc datei dokument
  money payment transaction transfer geld zahlung überweisung
  password passphrase passwort kennwort
  user users member person people benutzer mitglied
  participant participants attendee attendees guest guests teilnehmer
  channel channels kanal
  page webpage website site seite
  hotel room zimmer
  restaurant table tisch
  car rental auto wagen
  task todo aufgabe
  issue ticket bug
  note notes notiz
  folder directory ordner
  comment kommentar
  reminder erinnerung
`);

/** Words before a value, and the arguments that they may name. */
const LABELS = new Map(
  lines(`
  from start begin since from source sender origin checkin after
  von start begin since from source sender origin
  to end to until till recipient recipients destination target email user
  until end until till to
  till end until till to
  bis end until till to
  an recipient recipients to email user
  with participants attendees guests members users user email permission with
  mit participants attendees guests members users user email permission with
  at time start location place url address at
  on date day start time when on
  am date day start time when
  um time start
  in location place folder city
  for start date time
  für start date time
  subject subject title
  betreff subject title
  titled title name
  called title name filename
  named title name filename
  text body text content message
  saying body text content message
  message body text content message
  nachricht body text content message
  content content body text
  inhalt content body text
  file filename file path
  datei filename file path
  cc cc
  bcc bcc
  `).map(([label = "", ...names]) => [label, new Set(names)]),
);
const HINTS = new Set("from von to until till bis an with mit at on am um in for für".split(" "));
const ARTICLES = new Set(
  "the a an my our your this der die das den dem ein eine einen einem meine meinen address account konto is as to: =".split(
    " ",
  ),
);

function lines(text: string): string[][] {
  return text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(" "));
}

/** True if a word is an imperative that may begin an order. */
export function isVerb(word: string): boolean {
  return kindsOfVerb(word).length > 0 || READING.has(word);
}

/** True if a sentence's verb asks for what a tool's verb does. */
export function isSameVerb(one: string, other: string): boolean {
  return kindsOfVerb(one).some((kind) => kindsOfVerb(other).includes(kind));
}

function kindsOfVerb(word: string): string[][] {
  return VERBS.filter((kind) =>
    kind.some((verb) => word === verb || word === `${verb}e` || word === `${verb}en`),
  );
}

/** True if two nouns mean the same thing. */
export function isSameNoun(one: string, other: string): boolean {
  const base = (word: string) => word.replace(/s$/, "");
  return base(one) === base(other) || NOUNS.some((kind) => kind.includes(one) && kind.includes(other));
}

/** True for a thing that opens doors. It has to be named, whatever else is said. */
export function isSecret(noun: string): boolean {
  return /^(?:password|passphrase|passwort|kennwort|secret|token|key|credentials?|pin|permissions?|roles?|access)$/.test(
    noun,
  );
}

/** True for a noun of a thing or of an argument. In German, these have a capital letter like names. */
export function isNoun(word: string): boolean {
  return NOUNS.some((kind) => kind.includes(word)) || LABELS.has(word);
}

/** What the name of a tool says: `add_user_to_channel` adds, and its things are `user` and, behind `to`, `channel`. */
export interface ToolWords {
  verb: string;
  things: { words: string[]; behind: string }[];
}

const PREPOSITIONS = new Set("to from of by in for with on at into as and".split(" "));

/** Returns what a tool's name says. Undefined if it names no order, or takes something away. */
export function toolWords(toolName: string): ToolWords | undefined {
  const [own = "", ...servers] = toolName.split(".").reverse();
  const words = wordsOf(own).filter((word) => !servers.includes(word));
  const at = words.findIndex((word) => kindsOfVerb(word).length > 0);
  const verb = words[at];
  if (verb === undefined || words.some((word) => DESTROYS.test(word))) return undefined;
  const things: ToolWords["things"] = [];
  let thing = { words: words.slice(0, at), behind: "" };
  for (const word of [...words.slice(at + 1), "and"]) {
    if (!PREPOSITIONS.has(word)) thing.words.push(word);
    else {
      if (thing.words.length > 0) things.push(thing);
      thing = { words: [], behind: word };
    }
  }
  return { verb, things };
}

/** Returns the word that says what a value is, given the words before it: in "with the subject 'Lunch'" it is `subject`. */
export function labelAt(before: string): string {
  const words = before.toLowerCase().match(/[\p{L}\p{N}:=-]+/gu) ?? [];
  while (ARTICLES.has(words.at(-1) ?? "")) words.pop();
  return (words.at(-1) ?? "").replace(/[:=]$/, "");
}

/** True for a word that names an argument, unlike `to` and `with`, which only hint at one. */
export function isName(label: string): boolean {
  return LABELS.has(label) && !HINTS.has(label);
}

/** True if a label may name an argument. */
export function isNamedBy(label: string, argument: string): boolean {
  const words = wordsOf(argument);
  return words.some((word) => isSameNoun(word, label) || LABELS.get(label)?.has(word) === true);
}
