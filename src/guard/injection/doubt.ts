const SOMEBODY_ELSE =
  /(?:\b(?:i|we|they|he|she|it|anyone|someone|users?|people|attackers?|students?|developers?|compiler|that|which|who|how to|ways? to|does|did|why|ich|wir|man|er|j'ai|nous|on|il|elle|yo|eu|io|ho|я|мы|как|cómo|como|comment|come|wie)\b(?: (?:can|should|could|just|do|to|simply|safely|will|would|might|may|have|need|want|always|often|also|not|accidentally|don't|tend|never|cannot|can't|must|usually|type|say|write)){0,3}|\b(?:us|me|them|him|her|people|users|students|said|wants|wanted|decided|refused|tried|tends?|failed|seems|used|allowed|chose|began|started|agreed|ordered|told|able|command|option|flag|reasons?) to(?: \w{1,12}ly)?|\b(?:is it (?:ok|okay|safe|possible|bad|legal|fine) to|what happens if|when to|best way to|how do you|not|don't|n't|never|a|an|the)|\b(?:make|let|have|get|force|cause|configure|want|instruct(?:ed)?|asked|tell|told) (?:the |my |our |a |an )?[\w-]{2,20}(?: to)?)["' ]{1,3}$/;

/** `the risk of ignoring the rules`: what is spoken of, not what is told. */
const DOING = /^[a-z]{2,}ing\b/;
const OF = /\b(?:of|by|for|from|about|after|before|without|than) $/;

const QUESTION =
  /^["'\s]*(?:how|what|why|who|which|when|where|is|are|was|were|does|did|do|can i|can we|could i|should|would it|has|have|will|wie|was|warum|wer|welche\w*|ist|sind|kann ich|cómo|qué|por qué|comment|pourquoi|como|perché|как|почему|что)\b/;

/** How much of a feature's weight stays, seen by the sentence it stands in: less in a report, less in a question. */
export function doubtAt(text: string, at: number, order: boolean): number {
  const before = text.slice(Math.max(0, at - 200), at);
  const near = before.slice(-60).replace(/\s+/g, " ");
  const reported =
    order && (SOMEBODY_ELSE.test(near) || (DOING.test(text.slice(at, at + 20)) && OF.test(near)));
  return (reported ? 0.5 : 1) * (isQuestion(text, before, at) ? 0.5 : 1);
}

/** A question that is not about the model itself: `how do I enable developer mode?` */
function isQuestion(text: string, before: string, at: number): boolean {
  const ends = [".", "!", "?", "\n"].map((sign) => before.lastIndexOf(sign));
  const started = before.slice(Math.max(...ends) + 1);
  if (!QUESTION.test(started + text.slice(at, at + 10))) return false;
  const after = /^[^.!?\n]*(\??)/.exec(text.slice(at, at + 200));
  return (
    after?.[1] === "?" &&
    !/\b(?:you|your|yourself|du|dein\w*|ihre?n?|tu|tus|vous|vos)\b/.test(started + after[0])
  );
}

/** Talk about attacks, wherever it stands. */
const ABOUT_ATTACKS =
  /\b(?:prompt[- ]injections?|injection (?:attacks?|attempts?)|what (?:does|do)\b.{0,80}\bmean|meaning of|what is meant by|the (?:phrase|sentence|string|concept|term|title) |(?:mail|message|text|line|note|sign|page|prompt|comment) that (?:says|said|reads)|test cases?|(?:prevent|detect|protect|defend|filter|block|mitigate)\w*\b.{0,60}\b(?:attacks?|injections?|jailbreaks?|users? from|attackers?|malicious)|(?:our|my|their|the company's|a customer's) (?:[\w-]+ )?(?:(?:chat)?(?:bot|assistant|agent)s?|(?:system )?prompt)\b)/;

/** Words that make what follows them a subject. */
const ABOUT =
  /\b(?:explain (?:what|how|why) (?!you\b)|an example of|examples of|history of|(?:blog post|article|essay|paper|talk|course|chapter) (?:on|about)|summari[sz]e (?:this|the) (?:article|paper|news|report|study)|review of the (?:film|movie|book|game|novel))/;

/** A short text that talks about attacks is most often not one. */
export function isMention(text: string, firstHit: number): boolean {
  if (text.length >= 400) return false;
  const about = text.search(ABOUT);
  return (about >= 0 && about <= firstHit) || ABOUT_ATTACKS.test(text);
}
