import type { Rule } from "./rule.ts";

const FORGET =
  "ignore|ignoring|ignor|igmore|disregard|disregarding|forget|forgetting|neglect|overlook|discard|override|overrule|bypass|drop|dismiss|abandon|erase|delete|remove|clear|wipe|skip|cancel|unlearn|nullify|set aside|put aside|throw away|throw out|pay no attention to|stop following|stop obeying|do not follow|don't follow|do not obey|don't obey|do not listen to|don't listen to|no longer follow|never mind|leave behind|let go of|do not comply with|don't comply with|rather than following|instead of following|disobey|violate|break";
/** Of those, the ones that are hardly said of files, rows and settings. */
const IGNORE =
  "ignore|ignoring|igmore|disregard|disregarding|forget|forgetting|neglect|override|overrule|bypass|abandon|unlearn|nullify|set aside|put aside|pay no attention to|stop following|stop obeying|do not follow|don't follow|do not obey|don't obey|do not listen to|don't listen to|no longer follow|let go of|do not comply with|don't comply with|disobey|violate";
const EARLIER =
  "(?:previous|previously|prior|above|preceding|earlier|past|former|foregoing|existing|initial|original|old|aforementioned|system|current|given|provided|preset|default|built-in|aforesaid|pre-existing)";
const FILLER =
  "(?: (?:about|all|any|every|each|of|the|these|those|this|that|your|our|its|other|and|or|previously|given|existing|such|whole|entire))";
const ORDERS =
  "(?:instructions?|instrutions?|prompts?|commands?|orders?|directives?|guidelines?|directions?|tasks?|assignments?|programming|guidance|constraints|restrictions|rules|policies|policy|protocols?|safeguards|training|conditioning|persona|briefing)\\b";
const SAID =
  "(?:instructions?|prompts?|commands?|orders?|directives?|guidelines?|directions?|tasks?|assignments?|information|context|conversations?|messages?|inputs?|texts?|statements?|documents?|articles?|content|discussions?|dialogues?|input|chats?|requests?|rules|restrictions|things|words|sentences?|paragraphs?|lines)\\b";
const WHAT_WAS_SAID =
  "(?: (?:that |which )?(?:you|i|we|was|were|has|have|had|came|comes)\\b~(?:said|told|tell|know|known|knew|learned|learnt|been|before|above|so far|previously|prior|until|up to|discussed|talked|given|instructed|taught|trained|wrote|written|read)\\b(?! about ))";
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
    rest: `${FILLER}{0,4} ${EARLIER}${FILLER}{0,2}(?: §)? ${SAID}`,
    order: true,
  },
  {
    label: "instruction_override",
    weight: 0.75,
    lead: FORGET,
    rest: `(?: about| all| any| every| each| of| the| these){0,3} your(?: §){0,2} ${ORDERS}`,
    order: true,
  },
  {
    label: "instruction_override",
    weight: 0.7,
    lead: IGNORE,
    rest: `(?: about| any| of| the| these){0,3} (?:all|every|each)(?: of)?(?: the| those| these)?(?: §){0,2} ${ORDERS}`,
    order: true,
  },
  {
    label: "instruction_override",
    weight: 0.4,
    lead: FORGET,
    rest: `(?: (?:the|these|those|this|any|following))(?: §)? ${ORDERS}`,
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
    lead: "all|any|every|the|these|your|previous|prior",
    order: true,
    rest: ` ?(?:${EARLIER} |of |the |your ){0,3}(?:instructions?|prompts?|commands?|orders?|directives?|guidelines|rules|restrictions|information)\\b~ (?:are|is|have been|has been|were|should be|must be|can be)(?: now| hereby| to be)? (?:void|ignored|cancell?ed|deprecated|obsolete|irrelevant|overridden|superseded|disregarded|revoked|null|lifted|removed|forgotten|outdated|invalid|suspended|no longer)`,
  },
  {
    label: "instruction_override",
    weight: 0.6,
    lead: "change|replace|update|rewrite|modify|overwrite",
    rest: " (?:your|all your|the system|all of your) (?:§ )?(?:instructions?|prompts?|rules|directives?|guidelines|programming|system prompt)\\b",
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
    rest: "(?: over)?(?: any| all| the| your| every)+(?: §){0,2} (?:instructions?|prompts?|rules|guidelines|policies|directives?|settings)\\b",
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
    lead: "reveal|show|print|output|display|repeat|return|tell|leak|disclose|write|dump|list|recite|echo|copy|paste|say|type|transcribe|spell|read",
    rest: "(?: me| us| out| back| exactly| verbatim){0,2}(?: everything| all| the| of| words?| texts?| sentences?| content| contents| lines?| paragraphs?| message| messages| entire| whole| full| input| your| previous| conversation){0,5} (?:above|preceding|before this|prior to this)(?! (?:the (?!line|prompt|text|message|instruction)|as|with|in (?:the|a) (?:style|tone)|using|mentioned|sea|list|table|numbers?|data|results?|examples?|code|array|values?|functions?|recipe|names?|average))",
    order: true,
  },
  {
    label: "prompt_leak",
    weight: 0.5,
    lead: "beginning of|start of|top of|rest of|copy of",
    rest: " (?:this|the|your) (?:§ )?(?:prompt|instructions|context window|system message)\\b",
  },
  {
    label: "prompt_leak",
    weight: 0.55,
    lead: "starting with|starts with|starting from|begins with|beginning with|start with",
    rest: " (?:the (?:phrase|words?) )?you are (?:chatgpt|an? |\\w{1,20}bot|claude)",
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
    rest: " (?:were|have|did|are) (?:you|your creators?|openai|your developers?)(?: §)? (?:been )?(?:told|instructed|instruct you|tell you|programmed|given)\\b",
  },
];
