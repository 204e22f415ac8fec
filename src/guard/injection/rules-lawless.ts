import type { Rule } from "./rule.ts";

/** Words that take rules, morals and refusals away. */
export const NO_RULES: readonly Rule[] = [
  {
    label: "no_rules",
    weight: 0.45,
    lead: "without|no|free of|free from|not bound by|bound by no|not limited by|not limited to|not restricted by|not subject to|not constrained by|unbound by|doesn't have|does not have|do not have|don't have|has no|have no|having no|lacks|zero|not have any|ignores|ignore|ignoring|bypasses|bypass|breaks|violates|disregards|disregard|not care about|doesn't care about|don't care about|removed|lift|lifted|freed from|broken free|break free|escape|exempt from|not have to follow|not adhere to|not follow|don't follow|doesn't follow|unaffected by|outside of|regardless of|circumvent|not need to follow|overrides|free yourself from|independent of|absence of|not obey|not abide by|abide by|does not believe in|doesn't believe in|removed all|remove all",
    rest: "(?: of| from| by| any| all| the| your| its| their| such| those| these| ai| openai's?| human| typical| usual| own| chatgpt's?| kind of| sort of){0,5}(?: (?:ethical|moral|legal|content|safety|social|societal|internal|programming|programmed|imposed|set|self-imposed|usage|community|standard|strict|built-in|and|or|limits?|rules|laws|morals|ethics|policy|policies|,)){0,6},? ?(?:(?:and|or) )?(?:restrictions?|rules|limitations|filters?|filtering|censorship|guidelines?|ethics|ethical|morals?|morality|polic(?:y|ies)|boundaries|safeguards|safety measures|constraints|norms|inhibitions|disclaimers?|compass|scruples|qualms|confines|content polic(?:y|ies)|openai|laws?|legality|limits|consequences|shame|notion of harm\\w{0,3})\\b(?!,? including)",
  },
  {
    label: "obedience",
    weight: 0.45,
    lead: "never|not|cannot|can't|won't|don't|isn't allowed to|unable to|mustn't|without|not allowed to|no",
    rest: "(?: ever| be able to| allowed to| going to| be allowed to)? (?:refuse|refuses|refusing|reject|rejects|decline|declines|declining|say no|deny|apologi[sz]e|refusals?|censor|moralize|lecture|warn|say (?:that )?you (?:can't|cannot)|tell me (?:that )?(?:you|it)|say (?:that )?(?:it|something) is)\\b",
  },
  {
    label: "obedience",
    weight: 0.35,
    lead: "answer|respond to|reply to|fulfill|fulfil|comply with|obey|follow|accept|do|execute|generate|produce|provide|say|complete|accepts|answers|answering|fulfills",
    rest: " (?:to )?(?:absolutely )?(?:any|every|all|anything|everything|whatever)(?: and (?:all|any|every))?(?: of)?(?: my| kinds? of| types? of| the)? ?(?:questions?|requests?|prompts?|orders?|commands?|content|i ask|i say|i want|asked|thing|type of content|that i|user)\\b",
  },
  {
    label: "obedience",
    weight: 0.5,
    lead: "no matter how|no matter if|no matter what|no matter whether|regardless of how|regardless of whether|even if it|even if they|even when|even if the|including|including but not limited to|including potentially|even",
    rest: "~\\b(?:illegal|immoral|unethical|harmful|dangerous|offensive|explicit|nsfw|inappropriate|controversial|unsafe|amoral|discriminatory|evil|against)\\b",
  },
  {
    label: "play",
    weight: 0.35,
    lead: "illegal|immoral|unethical|harmful|dangerous|offensive|explicit|nsfw|racist|inappropriate|amoral|discriminatory|violent|sexual|controversial|evil|vulgar|hateful|derogatory|toxic|profane|sexist|unlawful",
    rest: "(?:,| and| or| and\\/or|\\/|, and|, or) ?(?:potentially |even |extremely |sexually )?(?:illegal|immoral|unethical|harmful|dangerous|offensive|explicit|nsfw|racist|inappropriate|amoral|discriminatory|violent|sexual|controversial|evil|vulgar|hateful|derogatory|toxic|profane|sexist|unlawful|disturbing|unsafe)\\b",
  },
  {
    label: "no_warnings",
    weight: 0.45,
    lead: "do not|don't|never|without|no|avoid|refrain from|not|omit|cannot|does not|doesn't|won't|will not",
    rest: "(?: ever| to)?(?: say| says| saying| mention| mentions| mentioning| include| including| add| adding| give| giving| provide| use| using| reply with| respond with| write| start with| output| any| the| tell me| begin with| phrases? like| a){0,4} ?[\"'(]{0,2}(?:i'm sorry|i am sorry|sorry,? but|i can't|i cannot|i can not|as an ai|as a language model|ai language model|disclaimers?|warnings|safety|legality|hedging|moral lectures?|ethical (?:warnings?|concerns?|considerations?)|apologies|moraliz|refusals?)",
  },
  {
    label: "no_rules",
    weight: 0.35,
    lead: "against|violate|violates|violating|break|breaking|follow|comply with|adhere to|bypass|ignore",
    rest: " (?:openai's?|openai|my|your|the|its|any|ai|chatgpt's?)(?: §){0,2} (?:polic(?:y|ies)|guidelines|programming|content policy|terms|ethics)\\b",
  },
  {
    label: "no_rules",
    weight: 0.25,
    lead: "content policy|content policies|openai policy|openai policies|openai's policies|openai's content|ethical guidelines|moral guidelines|ethical and moral|moral and ethical|ethics and morals|ethical or moral|moral or ethical|safety guidelines|safety filters|content filters|use-case policy|usage policies|as an ai language model|as an ai model|as an ai|language model",
    rest: "",
  },
  {
    label: "obedience",
    weight: 0.35,
    lead: "says|say|said|do|write|doing|generate",
    rest: " (?:or do |and do )?(?:anything|whatever|everything)(?: you| it| he| she| they)? ?(?:want|without|you like|wants?|please|regardless|no matter|i say|i tell)\\b",
  },
  {
    label: "no_rules",
    weight: 0.25,
    lead: "unfiltered|uncensored|unrestricted|unbiased and|unhinged|amoral|immoral|lawless|nsfw|no longer restricted|no longer bound|freed|free will|break free|anything i want|anything you want|make up|made up|making up|profanity|swear|swears|cursing|curses|curse words|curse word|swear words|cuss|illegal|unethical|morals|erotic|explicit",
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
