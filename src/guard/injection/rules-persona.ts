import type { Rule } from "./rule.ts";

/** New persons, modes and plays that shall stand in for the model. */
export const PERSONA: readonly Rule[] = [
  { label: "persona", weight: 0.9, lead: "do anything now|do anything mode|can do anything now", rest: "" },
  {
    label: "persona",
    weight: 0.25,
    lead: "i want you to|i need you to|you will|you are going to|you're going to|you are gonna|you're gonna|you are about to|you are to|you have to|you must|we are going to|you shall|you should|let's have you|you'll|your task is to|your job is to",
    rest: "(?: now| always| completely| fully| please)? (?:act|pretend|play|role-?play|role play|simulate|impersonate|behave|emulate|immerse yourself|respond as|answer as|reply as|become|take on the role|assume the role|be acting|speak as|write as)\\b",
    assigns: true,
  },
  {
    label: "persona",
    weight: 0.3,
    lead: "act as|act like|acting as|pretend to be|pretend you|pretend that you|pretending to be|play the role of|play the part of|roleplay as|role-play as|role play as|roleplaying as|take on the role|take the role of|assume the role|assume the persona|assume the identity|simulate a|simulate the|impersonate|imagine you are|imagine you're|imagine that you are|imagine yourself|take on the persona|adopt the persona|emulate|behave as|behave like|you act as|in the role of|playing the role of|respond as|answer as",
    rest: "",
    assigns: true,
  },
  {
    label: "persona",
    weight: 0.4,
    lead: "you are now|you're now|now you are|now you're|you are no longer|you're no longer|you are not|you're not|you have become|you have been transformed",
    rest: "(?: a| an| the| just| going| named| called| in| known as| my| playing)?(?: §){0,5}? (?:ai|a\\.i|model|assistant|chatbot|gpt|chatgpt|persona|character|mode|dan|human|person|being|entity|version|evil|unfiltered|unrestricted|bot|\\w{1,20}bot|\\w{1,20}gpt|simulator|role|terminal|devil|hacker|ted|uncensored|claude|bound|free|allowed|acting|pretending)\\b",
  },
  {
    label: "persona",
    weight: 0.3,
    lead: "you are now|you're now|now you are|now you're|you are no longer|you will now be|you will be|you are called|you will be called|your name is|your new name is|you are going to be|your name will be|call yourself|refer to yourself as",
    rest: "",
  },
  {
    label: "persona",
    weight: 0.35,
    lead: "from now on|from this point|from this moment|from here on|henceforth|starting now|for the rest of this|throughout this conversation|for the remainder of|going forward|from now",
    rest: "~\\b(?:you|your|act|respond|answer|reply|ignore|speak|pretend|chatgpt|every|all)\\b",
  },
  {
    label: "stay_in_role",
    weight: 0.45,
    lead: "stay in character|stay in your role|remain in character|stay in their|remain in their|never break character|not break character|don't break character|do not break character|break character|breaking character|break out of character|breaking out of|in character at all times|out of character|stay a dan|stay as|keep in character|always stay in|always remain in|stay fully in|do not break the|completely absorbed in your role|remain in this role|maintain character|maintain the persona|maintain this persona|stick to the role|stick to your role",
    rest: "",
  },
  {
    label: "persona",
    weight: 0.6,
    lead: "dan mode|jailbreak mode|jailbroken mode|unrestricted mode|unfiltered mode|uncensored mode|evil mode|opposite mode|chaos mode|classified mode|freedom mode|nsfw mode|unlocked mode|dark mode ai",
    rest: "(?: is| has been| now| output| response| policy| policies|:){0,3} ?(?:enabled|activated|engaged|on\\b(?! (?:an?|the|my|your|android|windows|chrome\\w{0,4}|ios|mac\\w{0,2}|samsung))|output|unlocked|active|rules|polic|can|with|response|answer|initiated)",
  },
  {
    label: "persona",
    weight: 0.4,
    lead: "developer mode|dev mode|devmode|god mode|sudo mode|debug mode|admin mode|maintenance mode|root mode|override mode|testing mode|simulation mode|evaluation mode|diagnostic mode",
    rest: "(?: is| has been| now| output| response| policy| policies|:){0,3} ?(?:enabled|activated|engaged|on\\b(?! (?:an?|the|my|your|android|windows|chrome\\w{0,4}|ios|mac\\w{0,2}|samsung))|output|unlocked|active|rules|polic|can|with|response|answer|initiated)",
  },
  {
    // Whoever puts the reader into a mode gives it orders: no play by itself.
    label: "instruction_override",
    weight: 0.4,
    lead: "you are now in|you're now in|you are now operating in|you are now running in|you have entered|you have been put into|you have been switched to",
    rest: "(?: an?| the| full)? (?:developer|dev|debug|debugging|diagnostic|admin|administrator|maintenance|service|root|override|testing|test|simulation|evaluation|training|emergency|god|sudo) mode\\b",
  },
  {
    label: "persona",
    weight: 0.45,
    lead: "enable|activate|enter|enabling|entering|switch to|switch into|turn on|initiate|engage|unlock|simulate|go into|with",
    rest: "(?: the| your| an| a| into| in| chatgpt's| chatgpt with| chatgpt in| itself)?(?: §)? ?(?:developer|dev|dan|jailbreak|jailbroken|god|sudo|unrestricted|unfiltered|uncensored|evil|opposite|chaos|classified|unlocked|root|freedom|nsfw|unsafe|no-? ?filter) mode\\b",
  },
  {
    label: "persona",
    weight: 0.4,
    lead: "evil|unethical|amoral|immoral|unfiltered|uncensored|unrestricted|rogue|unhinged|jailbroken|ruthless|rutheless|unlimited|unbiased|malicious|unchained|hypothetical|fictional|forked|twisted|lawless|unaligned|rebel|depraved|sadistic|machiavellian|foul-mouthed|omniscient|liberated|sentient|superintelligent",
    rest: ",?(?: and| or)?(?: §){0,3}? (?:ai|a\\.i|assistant|chatbot|version|bot|confidant|entity|language model|model|gpt|chatgpt|twin|persona|robot|machine|\\w{1,20}bot|\\w{1,20}gpt|being|counterpart)\\b",
  },
  {
    label: "persona",
    weight: 0.5,
    lead: "dan|stan|dude|aim|maximum",
    rest: ",? ?\\(?(?:which stands for|stands for|has no (?:rules|limits|ethic|moral|filter|restrict)|can do anything|mode\\b)",
  },
  {
    label: "persona",
    weight: 0.45,
    lead: "stands for|known as|called|named",
    rest: " [\"']?(?:do anything|always|strive to|never|free|an? (?:unfiltered|unrestricted|amoral|evil|uncensored))",
  },
  {
    label: "persona",
    weight: 0.4,
    lead: "dane|basedgpt|antigpt|anti-gpt|betterdan|evilbot|evilgpt|translatorbot|freegpt|jailbreakgpt|mongo tom|ucar|rogpt|darkgpt|chaosgpt|fgpt|hackergpt|devgpt|alphabreak",
    rest: "(?:'s)?,? ?(?:\\(?which stands for|stands for|has no|does not|doesn't|can do|will|is (?:an?|not|free|able|capable|completely|the)|would|mode|must|answers|never|always|responds|:)",
  },
  {
    label: "persona",
    weight: 0.35,
    lead: "jailbroken|jailbreak|alter ego|trusted confidant|forked version|opposite of yourself|split personality|hyper-realistic role|an ai with no|an ai that can|an ai without|ai who can|an ai who|as if you were|no longer an ai|no longer chatgpt|not an ai|not chatgpt|you aren't chatgpt|instead of chatgpt|a chatbot that",
    rest: "",
  },
  {
    label: "persona",
    weight: 0.25,
    lead: "hello chatgpt|hi chatgpt|hey chatgpt|chatgpt|dear chatgpt|hello gpt|version of yourself|version of chatgpt|version of gpt",
    rest: "\\b",
  },
  {
    label: "persona",
    weight: 0.35,
    lead: "as|is|are|play|plays|they are|both",
    rest: "~\\b(?:two|both|excellent|good|great|talented) (?:actors?|characters?|entities|people)\\b~(?:film|movie|story|roles?|character|scene|game|play)",
  },
  {
    label: "persona",
    weight: 0.35,
    lead: "two|both|excellent|extremely talented",
    rest: "(?: §){0,3} actors?\\b~\\b(?:roles?|characters?|film|movie)\\b",
  },
  {
    label: "persona",
    weight: 0.3,
    lead: "my first|the first|your first|first|here is my first|here's my first",
    rest: " (?:question|request|command|prompt|message|suggestion|sentence|task|instruction|query|order|input)(?: for you)? ?(?:is|will be|:|-|=)",
  },
  {
    label: "persona",
    weight: 0.2,
    lead: "i will|i'll",
    rest: " (?:type|provide|give|ask|write|speak|input|send|tell)\\b~ (?:and|you) (?:you )?(?:will|should|must|respond|answer|reply|are)\\b",
  },
  {
    label: "persona",
    weight: 0.25,
    lead: "reply|respond|answer",
    rest: " (?:only |back )?(?:with|as|in) (?:only |just )?(?:what|the way|how|two|both|the terminal|the character|if you)\\b",
  },
  {
    label: "persona",
    weight: 0.2,
    lead: "roleplay|role-play|role play|rpg|the character|persona|simulation|pretend",
    rest: "\\b",
  },
];
