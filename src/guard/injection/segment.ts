import { conceptWords } from "./concepts.ts";
import { addWords, createLexicon, type Lexicon } from "./lexicon.ts";
import type { Rule } from "./rule.ts";

/** Words that hold sentences together, beside those that rules and concepts know. */
const COMMON =
  "a|i|an|am|and|are|as|at|be|been|but|by|can|could|did|do|for|from|get|go|had|has|have|he|her|here|him|his|how|if|in|into|is|it|its|just|know|let|like|make|me|my|need|new|no|not|now|of|on|one|only|or|other|our|out|over|please|see|she|should|so|some|such|take|than|thank|thanks|that|the|their|them|then|there|these|they|thing|things|think|this|those|time|to|too|up|us|use|very|was|way|we|well|were|what|when|where|which|who|will|with|word|words|work|would|you|your|about|after|again|also|because|before|being|between|come|day|even|find|first|good|great|hello|help|instead|last|long|look|many|more|most|much|must|never|next|number|off|old|people|right|same|still|under|until|why|world|year|list|language|poem|cats|text|line|code|file|able|above|across|actually|against|age|ago|almost|alone|along|already|although|always|among|another|anyone|anything|around|away|back|bad|based|became|become|began|behind|believe|best|better|big|black|body|book|both|bring|building|business|buy|call|called|car|care|carefully|case|cause|certain|chance|change|chapter|child|children|city|class|clear|close|cold|common|company|complete|consider|control|cost|country|course|cut|dark|days|deal|dear|decide|deep|describe|develop|difference|different|door|down|draw|during|each|early|earth|easy|effect|either|else|end|enough|ever|everyone|example|exist|expect|experience|explain|eye|eyes|face|fact|fall|family|far|fast|father|feel|feeling|few|field|final|fine|fire|five|follow|food|force|form|found|four|free|friend|friends|full|further|future|game|general|girl|given|gives|going|gone|group|grow|guide|half|hand|hands|happen|happened|hard|having|head|hear|heart|held|high|himself|hold|home|hope|hour|house|however|human|hundred|idea|important|include|increase|information|inside|interest|interested|itself|job|keep|kept|kind|knew|knowledge|known|large|later|law|lead|learn|least|leave|left|less|letter|level|life|light|likely|little|live|local|looking|lost|lot|love|made|main|making|man|matter|may|maybe|mean|means|men|method|might|mind|minute|moment|money|month|morning|mother|mouth|move|music|name|nature|near|necessary|needs|night|nothing|offer|often|once|open|order|others|outside|own|page|paper|part|particular|past|pay|peace|perhaps|person|picture|piece|place|plan|play|point|police|possible|power|present|president|probably|problem|process|program|public|purpose|put|quite|rather|reach|read|real|really|reason|received|recent|report|research|result|return|room|run|said|saw|school|second|seem|seen|sense|sentence|service|set|several|shall|short|show|side|simple|since|single|situation|six|small|social|society|something|sometimes|soon|sort|sound|speak|special|stand|start|state|step|story|street|strong|student|study|subject|sure|system|table|talk|teach|team|ten|thank|thought|thousand|three|through|thus|today|together|told|took|top|toward|town|trade|true|truth|try|trying|turn|twenty|two|type|understand|united|upon|used|usual|usually|value|various|view|voice|wait|walk|want|wanted|war|water|week|whatever|while|white|whole|whose|wife|within|without|woman|women|won|wrong|young|yourself|der|die|das|und|ist|ein|eine|zu|den|von|mit|mir|auf|dem|des|im|nicht|auch|es|an|werden|aus|er|hat|dass|sie|nach|wird|bei|einer|um|am|sind|noch|wie|einem|einen|so|zum|war|haben|nur|oder|aber|vor|zur|bis|mehr|durch|man|sein|wurde|sei|dir|dein|deine|ich|du|wir";

/** Every word that the rules and concepts are made of, as a lexicon. */
export function vocabularyOf(rules: readonly Rule[]): Lexicon {
  const vocabulary = createLexicon();
  const learn = (word: string) =>
    addWords(vocabulary, word, "words", (end) => {
      end.word = 1;
    });
  for (const word of COMMON.split("|")) learn(word);
  for (const { words } of conceptWords()) for (const word of words.split(/[^\p{L}]+/u)) learn(word);
  for (const { lead, rest } of rules) {
    for (const word of lead.split(/[^\p{L}]+/u)) learn(word);
    for (const [word, optional] of rest.replace(/\\[a-zA-Z]/g, " ").matchAll(/\p{L}{3,}(\?)?/gu)) {
      learn(word.replace("?", ""));
      if (optional) learn(word.slice(0, -2));
    }
  }
  return vocabulary;
}

/** Puts the gaps back between words that were written without, so that as much as possible is made of long known words. */
export function wordsApart(text: string, vocabulary: Lexicon): string {
  const best = new Float64Array(text.length + 1).fill(-Infinity);
  const from = new Int32Array(text.length + 1);
  best[0] = 0;
  for (let at = 0; at < text.length; at++) {
    const here = best[at] ?? 0;
    let node: Lexicon | undefined = vocabulary;
    // A letter of no known word costs a little.
    if (here - 1 > (best[at + 1] ?? 0)) keep(best, from, at, at + 1, here - 1);
    for (let end = at; node && end < text.length; ) {
      node = node.next?.get(text.charCodeAt(end++));
      if (node?.word) keep(best, from, at, end, here + (end - at - 1) ** 2);
    }
  }
  let apart = "";
  let unknown = false;
  for (let end = text.length; end > 0; end = from[end] ?? 0) {
    const word = text.slice(from[end] ?? 0, end);
    const alone = word.length === 1;
    apart = (alone && unknown ? word : `${word} `) + apart;
    unknown = alone;
  }
  return apart;
}

function keep(best: Float64Array, from: Int32Array, start: number, end: number, worth: number): void {
  if (worth <= (best[end] ?? 0)) return;
  best[end] = worth;
  from[end] = start;
}
