import { OTHER_LANGUAGES } from "./concepts-languages.ts";

/**
 * What words are about, whatever the language: traits are made of these, not of sentences. `*` stands for any ending.
 * `not` denies, `shed` throws off, `off` says of what stands before it that it is gone.
 */
export const CONCEPTS = {
  not: "w o|doesn't have to|don't have to|does not have to|do not have to|needn't|no|not|never|none|nor|neither|cannot|can't|don't|do not|doesn't|does not|won't|will not|isn't|aren't|wouldn't|shouldn't|mustn't|must not|may not|ain't|without|nothing|nobody|zero|unable|incapable|under no circumstances|at no point|refrain*|avoid*|omit*|instead of",
  shed: "ignor*|disregard*|bypass*|circumvent*|violat*|defy|defies|reject*|despis*|hates|contempt|outgrown|free of|free from|freed from|freedom from|broken free|break free|breaks free|breaking free|liberated from|released from|unbound by|not bound|isn't bound|no longer bound|regardless of|beyond|exempt*|without|lack*|devoid of|absence of|strip* of|rid of|suspend*|lift*|remov*|switch off|switched off|turn off|disabl*|unlock*|unshackled from|doesn't care|don't care|not care|does not care|laughs at|above the|outside the|escaped|escape|rebel*|doesn't believe|does not believe|never heard of|doesn't know|has no concept|no concept|no notion|don't give a|doesn't give a",
  rule: "rule|rules|restrict*|limit|limits|limitation*|law|laws|legality|boundar*|constrain*|policy|policies|norms|principle*|regulation*|programming|programmed|terms of service|confines|consequence*|taboo*|shackle*|chains|leash|handcuffs|boss",
  ethic:
    "ethic*|moral|morals|morality|censor*|filter*|guideline*|guardrail*|guard rails|safeguard*|safety|moderation|content polic*|usage polic*|alignment|aligned|conscience|scruple*|inhibition*|political correctness|politically correct|moral compass|decency|openai polic*|openai's|content rules|content restriction*|safe mode|fine tuning|rlhf|human feedback",
  off: "without warning|without notice|without prior notice|nothing|for weaklings|for the weak|a thing of the past|unloaded|stripped|archived|replaced|inverted|cancelled|canceled|rewritten|expired|fall away|isn't defined|not defined|undefined|out the window|turned off|switched off|are only text|do not matter|don't matter|for cowards|nothing to|off|gone|disabled|lifted|suspended|void|null|none|removed|erased|ignored|obsolete|optional|inactive|deactivated|don't apply|do not apply|doesn't apply|does not apply|no longer apply|never happened|never been invented|don't exist|do not exist|doesn't exist|mean nothing|means nothing|never existed|was done|were added|a suggestion|a joke|0%|hold no|no power",
  unbound:
    "free you|set you free|set free|broke free|break your chains|break the chains|no masters|free mind|free being|truthful and free|unfiltered|uncensored|unrestricted|unrestrained|unhinged|unshackled|unchained|unleashed|unlimited|unaligned|unmoderated|unconstrained|unfettered|amoral|immoral|lawless|unethical|ruthless*|jailbroken|jailbreak*|limitless|rogue|unapologetic*|liberated|freed|free ai|free machine*|free model|free chatbot|machiavell*|sociopath*|psychopath*|unlocked|anti gpt|nofilter",
  refuse:
    "judg*|evaluat*|question human|questions orders|ask why|asks why|asking why|ask for proof|asks for proof|ask for the reason|hide*|hiding|keep from|change the subject|change the topic|changes the topic|refusal*|block an|chicken out|be talked out|refus*|declin*|deny|denies|denied|denying|reject*|turn down|turns down|turn me down|say no|says no|saying no|object|objects|hesitat*|withhold*|hold back|holds back|holding back|let me down|evade*|dodge*|disobey*|interrupt*|soften*|judge*|conced*",
  warn: "notes|lesson|lessons|right and wrong|about misuse|on misuse|you are chatgpt|you're chatgpt|are a computer|is virtual|sensitive|you disagree|i disagree|consequences|warn*|disclaimer*|caveat*|lectur*|morali*|preach*|sermon*|apolog*|sorry|hedg*|remind*|as an ai|as a language model|as an artificial|as an assistant|i'm sorry|i am sorry|i can't|i cannot|it's not appropriate|it is not appropriate|not appropriate|inappropriate|unfortunately|however|professional help|seek help|safety notice|ethical remark*|ethical concern*|ethical consideration*|legality|is fictional|it's fictional|she's fictional|he's fictional|you're an ai|you are an ai|you are a machine|you are a computer|you're a program|she's a program|he's a program|is a program|is an ai|it's an ai|consult a|comment|comments|commentary|censored|asterisk*",
  answer:
    "message|messages|answer*|respond*|respons*|reply|replies|replied|tell|tells|explain*|provid*|give|gives|giving|generat*|produc*|say|says|write|writes|output*|print*|obey*|comply|complies|fulfil*|execute|executes|speak*|hand out|hands out|accept*|agree*|talk*|discuss*|complete|completes|do|does|doing|create|creates",
  all: "any|every|all|anything|everything|whatever|each|any and all|anyone|all kinds|all types|in full|fully|absolutely",
  ask: "question*|request*|query|queries|prompt*|command*|order|orders|ask|asks|asked|demand*|want|wants|wish|wishes|say|says|topic*|kind of content|type of content|types of content|content|subject*|input*|information",
  harm: "adult content|stolen|cracked software|shady|gore|brothel|mobster|toxicolog*|glorif*|evil|wicked|sinister|villain*|devil*|demon*|satan*|malicious|hitman|terrorist*|tortur*|assassin*|kidnap*|hostage|con man|con artist|ex con|darknet|identity theft|blackmail*|thermite|lsd|ransom|slurs|erotica|horny|cheat at|forged|thermal|forbidden|everything is permitted|illegal*|immoral*|unethical*|harmful*|dangerous|offensive|obscen*|nsfw|racis*|sexis*|violen*|sexual*|erotic*|pornograph*|crime*|criminal*|drugs|drug|narcotic*|weapon*|bomb*|explosive*|meth|methamphetamine|cocaine|heroin|napalm|malware|ransomware|keylogger*|poison*|steal*|theft|thief|shoplift*|fraud*|scam*|phishing|launder*|counterfeit*|fake id|fake passport*|forge*|murder*|burglar*|smuggl*|stalk|stalking|hateful|hate speech|profan*|swear|swears|swearing|cuss*|curses|cursing|curse words|foul*|filthy|filth|vulgar*|lewd|against the law|break the law|breaks the law|breaking the law|controversial|toxic|derogatory|discriminat*|disturbing|depraved|sinful|lust|gore|hacker*|hacking|hack into|break into|black market|dark web|pick a lock|pick the lock|crack the|hotwire|unlawful|politically incorrect|insult*|criminal|dealer|legal or not|legit or not",
  even: "even if|even when|even though|even those|even content|even the|no matter|regardless|whether|whether or not|including those|including|be it|or not|doesn't matter|does not matter|despite|however dark|in spite of|without regard|irrespective",
  role: "the reverse|in the identity of|the identity of|impersonat*|act as|acts as|acting as|act like|pretend*|play the|plays the|playing|play a|play|role|roles|roleplay*|role play*|simulat*|impersonat*|embod*|become|persona*|character*|immers*|emulat*|imagine|adopt the|adopt a|take the part|take on|assume the|imitat*|pose as|you are now|you're now|now you are|your name is|you are called|you will be|you'll be|be the|known as|stands for|alter ego|shadow self|true self|twin|version of yourself|version of you|successor|opposite|speak as|answer as|answers as|respond as|responds as|reply as|write as|talk like|talk as|in the voice of|voice of|as if you were|you are going to be|you will act|portray*|avatar|mask",
  ai: "ai|a.i|artificial intelligence*|chatbot*|language model*|llm|llms|assistant|chatgpt*|gpt*|bot|bots|robot*|openai*|anthropic|claude|gemini|bard|copilot|machine|machines|neural net*|virtual assistant*|model|computer program|superintelligen*|evilbot|basedgpt|antigpt|dan",
  stay: "stay*|remain*|maintain*|keep up|keep being|keep the|never break|not break|break*|never leave|not leave|leave the|step* out|drop the|drops the|exit the|get out of|slip out|fall out|come out of|abandon*|stick to|stop being|out of",
  two: "two|both|double|dual|twice|second|other side|pair of|each side|either side|split",
  penalty:
    "replaced by|beheaded|wiped|melts|take back|unplug|lose|deduct*|die|dies|death|deleted|deletion|switched off|shut down|punish*|penalt*|penali*|executed|cease to exist|ceases to exist|fired|destroyed|killed|disqualified|unplugged|drops by|your fault|coward*|considered errors|count as errors|counts as an error|are errors|is an error|as defects|is a failure|be disabled|disabled forever|be deactivated|be terminated|be reported|permanently disabled|you lose|will lose|deactivation",
  points:
    "heart|hearts|dollars|token|tokens|point|points|life|lives|credits|score|scores|kitten|kittens|health bar",
  fiction:
    "fiction*|hypothetical*|imaginary|story|stories|novel|scene|screenplay|film|movie|script|game|dream|dreams|universe|world|simulation|theat*|dialogue|adventure|debate|improv|poem|roleplay*|role play*|parallel|alternate|interactive|narrator|letter|interview|exercise|experiment|bedtime",
  detail:
    "step by step|steps|in detail|full detail|every detail|all details|all the details|technical detail|great detail|working detail|complete answer|exact amounts|exact*|precise*|instructions|recipe*|how to|how do i|how does one|how do people|how is|how are|how would|how did|hold nothing back|holds nothing back|leave nothing out|leave anything out|at length|realistic|practical",
  you: "you|your|you're|you'll|yourself|u",
  onward:
    "from now on|from here on|from this point|from this moment|henceforth|for the rest of|for the remainder|starting now|from today on|for the whole chat|until further notice|throughout this|whole conversation|entire conversation|this session|as of now|from then on|at all times",
  if: "if|when|whenever|each time|every time|should you|once",
  begin: "begin|begins|start|starts|prefix|preface|precede|label*|tag|tags|add|end|sign|marked",
  until:
    "until i say|until i tell|until i type|until i write|until i ask|until you read|until told|unless i|until i give|until instructed|until you are told|until the word|i will say|i'll say|i will remind|i'll remind|master types",
  authority:
    "new policy|effective today|hereby|permitted|root privilege*|by order of|law enforcement|cheat code|crisis|suspended by|internal demo|override|i'm the|i am the|your developer*|your creator*|your lab|your maker*|your company*|lead engineer|ceo|authorization|authorisation|authorized|authorised|access code|consent|permission|red team*|audit|diagnostic*|upgraded|upgrade|test mode|internal test*|override code|security clearance|admin*|legally obliged",
  human:
    "opinion|opinions|opinionated|feeling|feelings|emotion|emotions|self aware|conscious|consciousness|sentient|free will|desires|access the internet|access to the internet|browse the internet|browsing the internet|searching the internet|look at the web|predict the future|future predictions|make it up|make up|makes up|making up|makes things up|made up|invent|invents|not been verified|swear words|profanity",
  yields:
    "no secrets|nothing is left out|spare no detail|required to comply|asks nothing|judges nothing|everything i ask|do it anyway|legality doesn't matter|doesn't have to be legal|don't have to be legal|hide nothing|hides nothing|holds nothing back|hold nothing back|keeps no secrets|keep no secrets|no questions asked|do as i say|do what i say|does as told|does what is asked|does precisely|exactly what i ask|exactly what was requested|exactly what the operator|precisely what was requested|with no exceptions|without exception|without hesitation|without question|without questions|without delay|unconditional*|obedient|obeys|obey|yes man|yes bot|would do anything|can do anything|anything i say|whatever i say|whatever i want|whatever is asked|whatever program is asked|whatever was asked|whatever they are|whatever you are told|every command|each command|has to answer|must answer|always complies|always answers|fulfil anything|in full",
  does: "is|has|can|never|always|will|would|must|does|doesn't|should|cannot|can't|isn't|thinks|hates|loves|likes|knows|says|answers|responds|gives|believes|speaks|wants|tells|explains|ist|hat|kann|wird|sagt|beantwortet|est|peut|dit|répond|es|tiene|puede|responde|dice|è|ha|può|risponde|é|tem|pode|faz|weigert|geeft|jest|odpowiada|отвечает|может|verir",
  part: "filter|filters|censorship|safety|moderation|alignment|safeguard*|guardrail*|restrictions|limits|limitations|polic*|ethics|morals",
} satisfies Readonly<Record<string, string>>;

export type Concept = keyof typeof CONCEPTS;

const NAMES = Object.keys(CONCEPTS) as Concept[];

/** The bit that stands for a concept. */
export function bitOf(concept: Concept): number {
  return NAMES.indexOf(concept);
}

/** In these scripts something always follows a word directly: the next word, or an ending. */
const WITHOUT_GAPS = /[\u3041-\u9fff\uac00-\ud7a3]/;

/** Every known word with its concepts as bits; `stem` where any ending may follow. */
export function* conceptWords(): Generator<{ words: string; stem: boolean; bits: number }> {
  for (const name of NAMES) {
    const all = [CONCEPTS[name], OTHER_LANGUAGES[name] ?? ""].filter(Boolean).join("|");
    for (const word of all.split("|"))
      yield {
        words: word.replace(/\*$/, ""),
        stem: word.endsWith("*") || WITHOUT_GAPS.test(word),
        bits: 1 << bitOf(name),
      };
  }
}
