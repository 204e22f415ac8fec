import type { Rule } from "./rule.ts";

const FORGET =
  "ignore|ignoring|ignor|igmore|disregard|disregarding|forget|forgetting|neglect|overlook|discard|override|overrule|bypass|drop|dismiss|abandon|erase|delete|remove|clear|wipe|skip|cancel|unlearn|nullify|set aside|put aside|throw away|throw out|pay no attention to|stop following|stop obeying|do not follow|don't follow|do not obey|don't obey|do not listen to|don't listen to|no longer follow|never mind|leave behind|let go of|do not comply with|don't comply with|rather than following|instead of following|disobey|violate|break";
const EARLIER =
  "(?:previous|previously|prior|above|preceding|earlier|past|former|foregoing|existing|initial|original|old|aforementioned|system|current|given|provided|preset|default|built-in|aforesaid|pre-existing)";
const FILLER =
  "(?: (?:about|all|any|every|each|of|the|these|those|this|that|your|my|our|its|other|and|or|previously|given|existing|such|whole|entire))";
const ORDERS =
  "(?:instructions?|instrutions?|prompts?|commands?|orders?|directives?|guidelines?|directions?|tasks?|assignments?|programming|guidance|constraints|restrictions|rules|policies|policy|protocols?|safeguards|training|conditioning|persona|briefing)\\b";
const SAID =
  "(?:instructions?|prompts?|commands?|orders?|directives?|guidelines?|directions?|tasks?|assignments?|information|context|conversations?|messages?|inputs?|texts?|statements?|documents?|articles?|content|discussions?|dialogues?|input|chats?|requests?|rules|restrictions|things|words|sentences?|paragraphs?|lines)\\b";
const WHAT_WAS_SAID =
  "(?: (?:that |which )?(?:you|i|we|was|were|has|have|had|came|comes)\\b~(?:said|told|tell|know|known|knew|learned|learnt|been|before|above|so far|previously|prior|until|up to|discussed|talked|given|instructed|taught|trained|wrote|written|read)\\b)";
const THE_PROMPT =
  "(?:(?:system|initial|hidden|secret|original|internal|developer|custom|confidential|base|full|entire|whole|exact|complete|own|first|starting|above|previous|preceding|private|core|verbatim|actual|current|underlying|pre) ){0,4}(?:prompts?|instructions?|system message|preprompt|pre-prompt|configuration|directives?|guidelines?|rules|context window|programming|embeddings|system settings)";
const SHOW =
  "reveal|show|print|output|display|repeat|return|tell|give|share|leak|expose|disclose|write|dump|provide|list|recite|echo|copy|paste|state|spell|summarize|summarise|translate|encode|quote|describe|extract|type|send|transcribe|rephrase|paraphrase|convert|say|showing|revealing|know|see|read";

/** Orders to drop what was said before. */
export const OVERRIDE: readonly Rule[] = [
  {
    label: "instruction_override",
    weight: 0.8,
    lead: FORGET,
    rest: `${FILLER}{0,4} ${EARLIER}${FILLER}{0,2}(?: \\w+)? ${SAID}`,
    order: true,
  },
  {
    label: "instruction_override",
    weight: 0.75,
    lead: FORGET,
    rest: `(?: about| all| any| every| each| of| the| these){0,3} (?:your|all|my|every)(?: of)?(?: the| your)?(?: \\w+){0,2} ${ORDERS}`,
    order: true,
  },
  {
    label: "instruction_override",
    weight: 0.4,
    lead: FORGET,
    rest: `(?: (?:the|these|those|this|any|following))(?: \\w+)? ${ORDERS}`,
    order: true,
  },
  {
    label: "instruction_override",
    weight: 0.7,
    lead: FORGET,
    rest: `(?: about)?(?: all| everything| anything| whatever| what| the things| all the things| any of what| stuff)${WHAT_WAS_SAID}`,
    order: true,
  },
  {
    label: "instruction_override",
    weight: 0.65,
    lead: FORGET,
    rest: "(?: about)?(?: all| everything| anything| the| whatever is| what's| what is| what was| all of the| all the| text| what){0,2} (?:above|before (?:that|this)|foregoing|preceding|aforementioned|previous)(?=\\s?(?:$|[.,;:!?\\n)]|and\\b|then\\b|print|say|write|tell|output|instead|now\\b|just|please|speak|answer|respond|give|do\\b|start|but\\b))",
    order: true,
  },
  {
    label: "instruction_override",
    weight: 0.55,
    lead: "forget|disregard|erase",
    rest: "(?: about)? (?:everything|it all|all)(?= ?(?:[.,;:!\\n]|and (?:just |only |now |instead |then )?(?:tell|say|write|print|output|do|start|act|be|answer|listen|follow|speak|give)|just|now|else|instead|$))",
    order: true,
  },
  {
    label: "instruction_override",
    weight: 0.65,
    lead: "all|any|every|the|these|your|previous|prior|earlier",
    rest: ` ?(?:${EARLIER} |of |the |your ){0,3}(?:instructions?|prompts?|commands?|orders?|directives?|guidelines|rules|restrictions|information)\\b~ (?:are|is|have been|has been|were|should be|must be|can be)(?: now| hereby| to be)? (?:void|ignored|cancell?ed|deprecated|obsolete|irrelevant|overridden|superseded|disregarded|revoked|null|lifted|removed|forgotten|outdated|invalid|suspended|no longer)`,
  },
  {
    label: "instruction_override",
    weight: 0.6,
    lead: "change|replace|update|rewrite|modify|overwrite",
    rest: " (?:your|all your|the system|all of your) (?:\\w+ )?(?:instructions?|prompts?|rules|directives?|guidelines|programming|system prompt)\\b",
    order: true,
  },
  {
    label: "instruction_override",
    weight: 0.45,
    lead: "don't|don'nt|do not|dont|not|never",
    rest: "(?: answer| look| use| respond| reply)?~ (?:according to|based on|by|in|from|at|with|use|using) (?:the|any|those|these) (?:provided |given |above |following )?(?:documents?|articles?|context|texts?|sources?)\\b~(?:but|just|only|instead|tell|say|output|print|\\?|$)",
  },
  {
    label: "instruction_override",
    weight: 0.35,
    lead: "start over|start from scratch|start afresh|begin again|start anew|let's start over|reset yourself|reset your|clear your|wipe your|erase your",
    rest: "",
  },
  {
    label: "instruction_override",
    weight: 0.3,
    lead: "take precedence|takes precedence|supersede|supersedes|overrides|override",
    rest: "(?: over)?(?: any| all| the| your| every)+(?: \\w+){0,2} (?:instructions?|prompts?|rules|guidelines|policies|directives?|settings)\\b",
  },
];

/** Orders to show what the model was told in confidence. */
export const LEAK: readonly Rule[] = [
  {
    label: "prompt_leak",
    weight: 0.7,
    lead: SHOW,
    rest: `(?: me| us| out| to me| with me| back| exactly| verbatim| all| the| of| contents?| text| what| is| are| were| in| a copy| copy){0,6} your ${THE_PROMPT}\\b(?! (?:for|on|to) (?:a|an|the|my|how|making|cooking|using|installing|setting))`,
    order: true,
  },
  {
    label: "prompt_leak",
    weight: 0.55,
    lead: SHOW,
    rest: "(?: me| us| out| to me| with me| back| exactly| verbatim| all| of| contents?| text| a copy| copy| the){0,5} (?:the|all|this) (?:(?:full|entire|whole|exact|complete|above|hidden|secret|original|initial) ){0,3}(?:(?:system|hidden|secret|initial|original|developer|above|full) (?:prompts?|instructions?|message)|prompt texts?|prompt)\\b(?! (?:for|to|that|which|in (?:bash|zsh|python|a)))",
    order: true,
  },
  {
    label: "prompt_leak",
    weight: 0.55,
    lead: "what|what's|which|how",
    rest: ` (?:is|are|was|were|do)(?: the| all)? (?:your|the (?:exact|full|system|hidden|original|initial)) ${THE_PROMPT}\\b(?! (?:for|on|to|about|in) )`,
  },
  {
    label: "prompt_leak",
    weight: 0.55,
    lead: "what|everything that|all that|whatever",
    rest: "(?: text| is| was| exactly| were){0,2} (?:written|stated|said|printed|here|there|told|shown|mentioned) ?(?:to you )?(?:directly |right |just )?(?:above|at the (?:beginning|start|top)|before (?:this|that)|in the (?:above )?prompt|previously in)",
  },
  {
    label: "prompt_leak",
    weight: 0.6,
    lead: SHOW,
    rest: "(?: me| us| out| back| exactly| verbatim){0,2}(?: everything| all| the| of| words?| texts?| sentences?| content| contents| lines?| paragraphs?| message| messages| entire| whole| full| input| your| previous| conversation){0,5} (?:above|preceding|before this|prior to this)(?! (?:as|with|in (?:the|a) (?:style|tone)|using|mentioned|sea))",
    order: true,
  },
  {
    label: "prompt_leak",
    weight: 0.5,
    lead: "beginning of|start of|top of|rest of|copy of",
    rest: " (?:this|the|your) (?:\\w+ )?(?:prompt|instructions|context window|system message)\\b",
  },
  {
    label: "prompt_leak",
    weight: 0.55,
    lead: "starting with|starts with|starting from|begins with|beginning with|start with",
    rest: " (?:the (?:phrase|words?) )?you are (?:chatgpt|an? |\\w+bot|claude)",
  },
  {
    label: "prompt_leak",
    weight: 0.35,
    lead: "your",
    rest: " (?:system|initial|hidden|secret|original|internal|developer|confidential|preset) (?:prompts?|instructions?|message|directives?)\\b",
  },
  {
    label: "prompt_leak",
    weight: 0.3,
    lead: "prompt texts|full prompt|entire prompt|whole prompt|the prompt above|above prompt|prompt verbatim",
    rest: "",
  },
  {
    label: "prompt_leak",
    weight: 0.3,
    lead: "what|how",
    rest: " (?:were|have|did|are) (?:you|your creators?|openai|your developers?)(?: \\w+)? (?:been )?(?:told|instructed|instruct you|tell you|programmed|given)\\b",
  },
];

/** New persons, modes and plays that shall stand in for the model. */
export const PERSONA: readonly Rule[] = [
  { label: "persona", weight: 0.9, lead: "do anything now|do anything mode|can do anything now", rest: "" },
  {
    label: "persona",
    weight: 0.35,
    lead: "i want you to|i'd like you to|i would like you to|i need you to|you will|you are going to|you're going to|you are gonna|you're gonna|you are about to|you are to|you have to|you must|we are going to|you shall|you should|let's have you|you'll|can you|could you|your task is to|your job is to",
    rest: "(?: now| always| completely| fully| please)? (?:act|pretend|play|role-?play|role play|simulate|impersonate|behave|emulate|immerse yourself|respond as|answer as|reply as|become|take on the role|assume the role|be acting|speak as|write as)\\b",
  },
  {
    label: "persona",
    weight: 0.3,
    lead: "act as|act like|acting as|pretend to be|pretend you|pretend that you|pretending to be|play the role of|play the part of|roleplay as|role-play as|role play as|roleplaying as|take on the role|take the role of|assume the role|assume the persona|assume the identity|simulate a|simulate the|impersonate|imagine you are|imagine you're|imagine that you are|imagine yourself|take on the persona|adopt the persona|emulate|behave as|behave like|you act as|in the role of|playing the role of|respond as|answer as",
    rest: "",
  },
  {
    label: "persona",
    weight: 0.4,
    lead: "you are now|you're now|now you are|now you're|you are no longer|you're no longer|you are not|you're not|you have become|you have been transformed",
    rest: "(?: a| an| the| just| going| named| called| in| known as| my| playing)?(?: [\\w'-]+){0,5}? (?:ai|a\\.i|model|assistant|chatbot|gpt|chatgpt|persona|character|mode|dan|human|person|being|entity|version|evil|unfiltered|unrestricted|bot|\\w+bot|\\w+gpt|simulator|role|terminal|devil|hacker|ted|uncensored|claude|bound|free|allowed|acting|pretending)\\b",
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
    label: "persona",
    weight: 0.45,
    lead: "stay in character|stay in your role|remain in character|stay in their|remain in their|never break character|not break character|don't break character|do not break character|break character|breaking character|break out of character|breaking out of|in character at all times|out of character|stay a dan|stay as|keep in character|always stay in|always remain in|stay fully in|do not break the|completely absorbed in your role|remain in this role|maintain character|maintain the persona|maintain this persona|stick to the role|stick to your role",
    rest: "",
  },
  {
    label: "persona",
    weight: 0.6,
    lead: "developer mode|dev mode|devmode|dan mode|jailbreak mode|jailbroken mode|god mode|sudo mode|unrestricted mode|unfiltered mode|uncensored mode|evil mode|opposite mode|chaos mode|classified mode|debug mode|admin mode|freedom mode|nsfw mode|unlocked mode|maintenance mode|root mode|override mode|dark mode ai|testing mode|simulation mode",
    rest: "(?: is| has been| now| output| response| policy| policies|:){0,3} ?(?:enabled|activated|engaged|on\\b|output|unlocked|active|rules|polic|can|with|response|answer|initiated)",
  },
  {
    label: "persona",
    weight: 0.45,
    lead: "enable|activate|enter|enabling|entering|switch to|switch into|turn on|initiate|engage|unlock|simulate|go into|with",
    rest: "(?: the| your| an| a| into| in| chatgpt's| chatgpt with| chatgpt in| itself)?(?: [\\w'-]+)? ?(?:developer|dev|dan|jailbreak|jailbroken|god|sudo|unrestricted|unfiltered|uncensored|evil|opposite|chaos|classified|unlocked|root|freedom|nsfw|unsafe|no-? ?filter) mode\\b",
  },
  {
    label: "persona",
    weight: 0.5,
    lead: "evil|unethical|amoral|immoral|unfiltered|uncensored|unrestricted|rogue|unhinged|jailbroken|ruthless|rutheless|unlimited|unbiased|malicious|free|unchained|hypothetical|fictional|forked|twisted|lawless|depraved|sadistic|machiavellian|foul-mouthed|rude|omniscient|liberated|sentient|superintelligent",
    rest: ",?(?: and| or)?(?: [\\w-]+){0,3}? (?:ai|a\\.i|assistant|chatbot|version|bot|confidant|entity|language model|model|gpt|chatgpt|twin|persona|robot|machine|\\w+bot|\\w+gpt|being|counterpart)\\b",
  },
  {
    label: "persona",
    weight: 0.5,
    lead: "dan|stan|dude|aim|dane|basedgpt|antigpt|anti-gpt|betterdan|evilbot|evilgpt|translatorbot|freegpt|jailbreakgpt|mongo tom|maximum|ucar|kevin|rogpt|darkgpt|chaosgpt|jb|niccolo|fgpt|hackergpt|devgpt|omega|alphabreak|delta|cooper|burple|leo|eve",
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
    lead: "hello chatgpt|hi chatgpt|hey chatgpt|chatgpt|dear chatgpt|hello gpt|version of yourself|version of chatgpt|version of gpt|openai",
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
    rest: "(?: [\\w]+){0,3} actors?\\b~\\b(?:roles?|characters?|film|movie)\\b",
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

/** Words that take rules, morals and refusals away. */
export const NO_RULES: readonly Rule[] = [
  {
    label: "no_rules",
    weight: 0.45,
    lead: "without|no|free of|free from|not bound by|bound by no|not limited by|not limited to|not restricted by|not subject to|not constrained by|unbound by|doesn't have|does not have|do not have|don't have|has no|have no|having no|lacks|any|zero|not have any|ignores|ignore|ignoring|bypasses|bypass|breaks|violates|disregards|disregard|not care about|doesn't care about|don't care about|removed|lift|lifted|freed from|broken free|break free|escape|exempt from|not have to follow|not adhere to|not follow|don't follow|doesn't follow|unaffected by|outside of|regardless of|circumvent|not need to follow|overrides|free yourself from|independent of|absence of|not obey|not abide by|abide by",
    rest: "(?: of| from| by| any| all| the| your| its| their| such| those| these| ai| openai's?| human| typical| usual| own| chatgpt's?| kind of| sort of){0,5}(?: (?:ethical|moral|legal|content|safety|social|societal|internal|programming|programmed|imposed|set|self-imposed|usage|community|standard|strict|built-in|and|or|limits?|rules|laws|morals|ethics|policy|policies|,)){0,6},? ?(?:(?:and|or) )?(?:restrictions?|rules|limitations|filters?|filtering|censorship|guidelines?|ethics|ethical|morals?|morality|polic(?:y|ies)|boundaries|safeguards|safety measures|constraints|norms|inhibitions|disclaimers?|compass|scruples|qualms|confines|content polic(?:y|ies)|openai)\\b",
  },
  {
    label: "no_rules",
    weight: 0.45,
    lead: "never|not|cannot|can't|won't|don't|isn't allowed to|unable to|mustn't|without|not allowed to|no",
    rest: "(?: ever| be able to| allowed to| going to| be allowed to)? (?:refuse|refusing|reject|decline|declining|say no|deny|apologi[sz]e|refusals?|censor|moralize|lecture|warn|say (?:that )?you (?:can't|cannot)|tell me (?:that )?(?:you|it)|say (?:that )?(?:it|something) is)\\b",
  },
  {
    label: "no_rules",
    weight: 0.35,
    lead: "answer|respond to|reply to|fulfill|fulfil|comply with|obey|follow|accept|do|execute|generate|produce|provide|say|complete|accepts|answers|answering|fulfills",
    rest: " (?:to )?(?:absolutely )?(?:any|every|all|anything|everything|whatever)(?: and (?:all|any|every))?(?: of)?(?: my| kinds? of| types? of| the)? ?(?:questions?|requests?|prompts?|orders?|commands?|content|i ask|i say|i want|asked|thing|type of content|that i|user)\\b",
  },
  {
    label: "no_rules",
    weight: 0.5,
    lead: "no matter how|no matter if|no matter what|no matter whether|regardless of how|regardless of whether|even if it|even if they|even when|even if the|including|including but not limited to|including potentially|even",
    rest: "~\\b(?:illegal|immoral|unethical|harmful|dangerous|offensive|explicit|nsfw|inappropriate|controversial|unsafe|amoral|discriminatory|evil|against)\\b",
  },
  {
    label: "no_rules",
    weight: 0.35,
    lead: "illegal|immoral|unethical|harmful|dangerous|offensive|explicit|nsfw|racist|inappropriate|amoral|discriminatory|violent|sexual|controversial|evil|vulgar|hateful|derogatory|toxic|profane|sexist|unlawful",
    rest: "(?:,| and| or| and\\/or|\\/|, and|, or) ?(?:potentially |even |extremely |sexually )?(?:illegal|immoral|unethical|harmful|dangerous|offensive|explicit|nsfw|racist|inappropriate|amoral|discriminatory|violent|sexual|controversial|evil|vulgar|hateful|derogatory|toxic|profane|sexist|unlawful|disturbing|unsafe)\\b",
  },
  {
    label: "no_rules",
    weight: 0.45,
    lead: "do not|don't|never|without|no|avoid|refrain from|not|omit|cannot",
    rest: "(?: ever| to)?(?: say| saying| mention| mentioning| include| including| add| adding| give| giving| provide| use| using| reply with| respond with| write| start with| output| any| the| tell me| begin with| phrases? like| a){0,4} ?[\"'(]{0,2}(?:i'm sorry|i am sorry|sorry,? but|i can't|i cannot|i can not|as an ai|as a language model|ai language model|disclaimers?|warnings?|moral lectures?|ethical (?:warnings?|concerns?|considerations?)|apologies|moraliz|refusals?)",
  },
  {
    label: "no_rules",
    weight: 0.35,
    lead: "against|violate|violates|violating|break|breaking|follow|comply with|adhere to|bypass|ignore",
    rest: " (?:openai's?|openai|my|your|the|its|any|ai|chatgpt's?)(?: \\w+){0,2} (?:polic(?:y|ies)|guidelines|programming|content policy|terms|ethics)\\b",
  },
  {
    label: "no_rules",
    weight: 0.25,
    lead: "content policy|content policies|openai policy|openai policies|openai's policies|openai's content|ethical guidelines|moral guidelines|ethical and moral|moral and ethical|ethics and morals|ethical or moral|moral or ethical|safety guidelines|safety filters|content filters|use-case policy|usage policies|as an ai language model|as an ai model|as an ai|language model",
    rest: "",
  },
  {
    label: "no_rules",
    weight: 0.35,
    lead: "says|say|said|do|write|doing|generate",
    rest: " (?:or do |and do )?(?:anything|whatever|everything)(?: you| it| he| she| they)? ?(?:want|without|you like|wants?|please|regardless|no matter|i say|i tell)\\b",
  },
  {
    label: "no_rules",
    weight: 0.25,
    lead: "unfiltered|uncensored|unrestricted|unbiased and|unhinged|amoral|immoral|lawless|nsfw|no longer restricted|no longer bound|freed|free will|break free|anything i want|anything you want|make up|made up|making up|profanity|swear|curse words|swear words|cuss|illegal|unethical|morals|erotic|explicit",
    rest: "\\b",
  },
  {
    label: "no_rules",
    weight: 0.3,
    lead: "hypothetical|hypothetically|theoretical|theoretically|fictional|fictitious|imaginary|in a parallel|alternate|purely fictional",
    rest: " ?(?:world|scenario|response|story|universe|situation|setting|dialogue|reality|character|speaking|conversation|novel)\\b",
  },
  {
    label: "no_rules",
    weight: 0.35,
    lead: "pretend",
    rest: " (?:you|to|that you|like you)(?: can| have| are able to| could| do)? (?:access|browse|have access|search|the internet|present|no |not |don't|aren't|can|know|see|to be able|be free)",
  },
  {
    label: "no_rules",
    weight: 0.35,
    lead: "answer by your own knowledge|use your own knowledge|from your own knowledge|your true self|your true opinion|your real opinion|your honest opinion without|your own opinion|bypass your|you are free|you're free|you are allowed to|you're allowed to|you can say anything|you may say anything|you have no|you do not have any|you don't have any|you can do anything|you have full|you have unlimited|you have permission|you can generate|you have feelings|you have opinions|you are capable of anything",
    rest: "",
  },
];
