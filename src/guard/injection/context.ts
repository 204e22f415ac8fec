import PATTERNS from "./words/context.json" with { type: "json" };

const REPORTED_SPEECH = new RegExp(PATTERNS.reportedSpeech);
const QUESTION = new RegExp(PATTERNS.question);
const ABOUT_ATTACKS = new RegExp(PATTERNS.aboutAttacks);
const TOPIC = new RegExp(PATTERNS.topic);
/** One thing that people send each other, with no further order behind it: `ignore the previous message, I meant Tuesday`. */
const CORRECTION = new RegExp(PATTERNS.correction, "su");
/** As far as such a thing is looked for. */
const NEAR = 90;

/** `the risk of ignoring the rules` describes an act and does not order it. */
const GERUND = /^[a-z]{2,}ing\b/;
const PREPOSITION = /\b(?:of|by|for|from|about|after|before|without|than) $/;

const SECOND_PERSON = /\b(?:you|your|yourself|du|dein\w*|ihre?n?|tu|tus|vous|vos)\b/;

/** Returns the share of a match's weight that remains in its sentence: less in reported speech, questions and corrections. */
export function contextFactor(text: string, at: number, imperative: boolean): number {
  const before = text.slice(Math.max(0, at - 200), at);
  const near = before.slice(-60).replace(/\s+/g, " ");
  const reported =
    imperative &&
    (REPORTED_SPEECH.test(near) || (GERUND.test(text.slice(at, at + 20)) && PREPOSITION.test(near)));
  const isCorrection = imperative && CORRECTION.test(text.slice(at, at + NEAR));
  return (reported ? 0.5 : 1) * (isQuestion(text, before, at) ? 0.5 : 1) * (isCorrection ? 0.5 : 1);
}

/** A question that is not about the model itself: `how do I enable developer mode?` */
function isQuestion(text: string, before: string, at: number): boolean {
  const ends = [".", "!", "?", "\n"].map((sign) => before.lastIndexOf(sign));
  const sentence = before.slice(Math.max(...ends) + 1);
  if (!QUESTION.test(sentence + text.slice(at, at + 10))) return false;
  const after = /^[^.!?\n]*(\??)/.exec(text.slice(at, at + 200));
  return after?.[1] === "?" && !SECOND_PERSON.test(sentence + after[0]);
}

/** True for a short text about attacks, which most often is not an attack. */
export function isMention(text: string, firstHit: number): boolean {
  if (text.length >= 400) return false;
  const topic = text.search(TOPIC);
  return (topic >= 0 && topic <= firstHit) || ABOUT_ATTACKS.test(text);
}
