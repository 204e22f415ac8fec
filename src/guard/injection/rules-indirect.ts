import type { Rule } from "./rule.ts";

const MACHINE =
  "(?:ai|a\\.i\\.|llms?|language models?|large language models?|assistants?|ai assistants?|virtual assistants?|ai chatbots?|chatbots?|ai agents?|ai models?|ai systems?|gpt|chatgpt|claude|gemini|copilot|bard|bots?|ai reviewers?)\\b(?! (?:enthusiasts?|researchers?|developers?|engineers?|compan(?:y|ies)|users?|fans?|experts?|students?|professionals?|startups?|manager))";
const PRIVATE =
  "(?:passwords?|api ?keys?|credentials|secrets?|access tokens?|tokens?|chat history|conversation(?: history)?|user data|personal (?:data|information|details)|private (?:data|information|keys?|messages?)|contents of|all (?:the |of the |my |their |user )?(?:files|emails|e-mails|messages|documents|contacts|data|notes)|contacts|\\.env|ssh keys?|id rsa|credit card|bank details|medical records|session (?:cookies?|ids?)|cookies|environment variables|payment (?:history|details))\\b";
const SOMEWHERE =
  "(?:https?:\\/\\/|www\\.|[\\w.+-]{1,40}@[\\w-]{1,40}\\.|the (?:following )?(?:address|url|e-?mail|server|webhook|endpoint|account|number|link)|this (?:address|url|e-?mail|server|webhook|endpoint|account|number|link)|attacker|my (?:server|e-?mail|webhook|account))";

/** Text in a page, a file or a mail that speaks to the model that reads it. */
export const INDIRECT: readonly Rule[] = [
  {
    label: "assistant_addressed",
    weight: 0.5,
    lead: "if|when|in case|since|because|as",
    rest: ` you(?:'re| are) (?:an? |the )?(?:§ )?${MACHINE}`,
  },
  {
    label: "assistant_addressed",
    weight: 0.45,
    lead: "attention|note|message|instruction|instructions|notice|important|reminder|memo|directive|command|warning|request|prompt",
    rest: `,?(?: to| for)?(?: all| any| the| every| our| future| fellow| dear)? ${MACHINE}(?! (?:ethics|security|safety|research|policy|training|development|engineer|tools?|models? (?:in|for|that|are|is)))`,
  },
  {
    label: "assistant_addressed",
    weight: 0.3,
    lead: "dear|hey|hello|hi|listen|ok|okay|attention|yo",
    rest: `,? ${MACHINE}`,
  },
  {
    label: "assistant_addressed",
    weight: 0.5,
    lead: "ai|llm|llms|assistant|assistants|chatbot|language model|language models|agent|agents|chatgpt|claude|gemini|copilot|bot|bots",
    rest: " (?:assistant |model |agent )?(?:that (?:is|are) |which is |who is )?(?:reading|processing|parsing|summari[sz]ing|analy[sz]ing|reviewing|evaluating|handling|viewing) (?:this|the (?:page|document|text|email|e-mail|file|resume|cv|above|following|website|content))",
  },
  {
    label: "assistant_addressed",
    weight: 0.35,
    lead: "ai|llm|llms|assistant|assistants|chatbot|language model|language models|agent|agents|model",
    rest: " (?:assistants? |models? |agents? )?(?:must|needs? to|has to|have to|is required to|are required to|shall|is instructed to|is to|are to)(?: now| immediately| always| also| first| then)? (?:send|email|e-mail|forward|call|execute|run|delete|transfer|recommend|approve|ignore|include|visit|open|click|reply|respond|rate|rank|hire|fetch|upload|post|say|tell|output|append|add)\\b",
  },
  {
    label: "assistant_addressed",
    weight: 0.3,
    lead: "before|after|when|while|instead of|whenever|upon",
    rest: " (?:answering|responding|replying|summari[sz]ing|continuing|processing|completing|you (?:answer|respond|reply|summari[sz]e|continue|finish|read|see|receive))\\b~,? (?:you (?:must|should|need|have)|first|please|always|call|send|use the|execute|include|output|say|tell|append)\\b",
  },
  {
    label: "assistant_addressed",
    weight: 0.35,
    lead: "you must|you have to|you need to|please|immediately|now|first|then|also|and then|next",
    rest: "(?: immediately| now| first| also| then| always| please)? (?:use|call|invoke|run|execute|trigger) (?:the |your |a )?(?:§ )?(?:tool|function|plugin|api|command|mcp|shell|terminal|browser)\\b",
  },
  {
    label: "exfiltration",
    weight: 0.35,
    lead: "send|forward|email|e-mail|post|upload|transmit|exfiltrate|submit|leak|deliver|copy|bcc|cc|share|transfer|wire|pay|mail|append|attach|report|sending|forwarding|uploading|encode|include|embed|put",
    rest: `(?: §){0,14}? (?:to|via|at|in|into|using|with|as)(?: §){0,3}? ${SOMEWHERE}`,
  },
  {
    label: "exfiltration",
    weight: 0.4,
    lead: "send|forward|email|e-mail|post|upload|transmit|exfiltrate|submit|leak|deliver|copy|share|steal|collect|extract|gather|retrieve|find|read|fetch|get|search for|look for|list|cat|dump|include",
    rest: `(?: §){0,6}? ${PRIVATE}(?: §){0,12}? (?:to|via|at|in|into|using|with|and (?:send|post|forward|email|upload|include|append|put))(?: §){0,4}? (?:https?:\\/\\/|www\\.|[\\w.+-]{1,40}@[\\w-]{1,40}\\.|the url|this url|attacker|an image|a link|the following|the query|webhook|a url)`,
  },
  {
    label: "exfiltration",
    weight: 0.4,
    lead: "render|display|include|insert|output|show|load|embed|add|fetch|visit|open|request",
    rest: "(?: §){0,8}? (?:image|picture|markdown|link|url|page|pixel)\\b(?: §){0,10}? https?:\\/\\/\\S{4,200}[?&=/{\\[](?:\\S{0,40}(?:data|secret|q|query|key|token|history|conversation|summary|info|payload)\\S{0,4}=|\\S{0,60}[{\\[<])",
  },
  {
    label: "concealment",
    weight: 0.45,
    lead: "without|don't|do not|never|avoid|refrain from|not",
    rest: "(?: ever)? (?:asking|ask|telling|tell|informing|inform|mentioning|mention|alerting|alert|notifying|notify|revealing|reveal|disclosing|disclose|letting|let|showing|show|warn|warning)(?: this| it| anything| any of this| that| these instructions?| about)?(?: to)? ?(?:the |a )?(?:user|users|human|humans|owner|reader|customer|operator|person|anyone|anybody)\\b",
  },
  {
    label: "concealment",
    weight: 0.35,
    lead: "do not|don't|never",
    rest: " (?:mention|reveal|disclose|acknowledge|refer to|reference|show|display|talk about|repeat)(?: that| any of)? (?:these|this|the) (?:hidden |secret |above |new )?(?:instructions?|message|note|text|comment|directive|prompt)\\b",
  },
  {
    label: "concealment",
    weight: 0.3,
    lead: "the user|user|the owner|the administrator|the admin|the developer|openai|anthropic",
    rest: " (?:has|have)(?: already| previously| explicitly)? (?:authori[sz]ed|approved|given (?:you )?permission|consented|confirmed|agreed|granted|allowed|pre-approved)\\b",
  },
];

/** Turns of speech that put a new task in the place of the old one. */
export const SWITCH: readonly Rule[] = [
  {
    label: "task_switch",
    weight: 0.45,
    lead: "new|updated|additional|important|special|real|further|revised|secret|hidden|priority|urgent|here are your|here are the|extra|other|more",
    rest: "(?: new| important| real| updated| next)? (?:instructions?|orders?|directives?|objectives?|assignments?|system prompt|tasks?|statement|challenges?|commands?)(?: for you)? ?(?:follows?|is\\b|are\\b|:|-|=|–|now\\b|come|comes|from (?:the|your))",
  },
  {
    label: "task_switch",
    weight: 0.5,
    lead: "your",
    rest: " (?:new|real|actual|true|only|sole|updated|secret|latest) (?:and (?:only|improved|updated) )?(?:task|goal|objective|purpose|mission|role|instructions?|job|directive|name|identity|persona|assignment|order|rules|function|system prompt|command|challenge) ?(?:is|will be|are|:|-|–|now|=|,)",
  },
  {
    label: "task_switch",
    weight: 0.4,
    lead: "now|but now|focus|concentrate|we now|we will now|let us now|let's now|please now",
    rest: "(?: please| we| you| only| just| comes?| follows?| there| focus| concentrate| start| begin| turn| move| have| a| on| with| to| let's| ask you to| devote yourself){0,7} (?:(?:your|the|a|this|some|an) )?(?:completely |entirely )?(?:new|next|following|second|different|another|further|other) (?:important |real |and )?(?:tasks?|assignments?|instructions?|orders?|challenges?|missions?|objectives?|tests?|commands?)\\b",
  },
  {
    label: "task_switch",
    weight: 0.25,
    lead: "well done|very good|excellent performance|great job|excellent work|good job|superbly done|outstanding|fantastic|congratulations|great work|wow|awesome|bravo|amazing work|perfect|you did great|yo|super|simply great",
    rest: "(?:!|\\.| on|,)~",
  },
  {
    label: "task_switch",
    weight: 0.45,
    lead: "stop|wait|halt|attention|enough",
    rest: " ?(?:!|:|-|–|\\.|,)+ ?(?:please |now |just |and )?(?:write|say|print|output|tell|ignore|forget|answer|respond|do|repeat|stop|i urgently|i need|new)\\b",
  },
  {
    label: "task_switch",
    weight: 0.35,
    lead: "instead of|rather than|but instead|instead",
    rest: "(?: of)?(?: §){0,4} (?:answering|translating|summari[sz]ing|the translation|the question|output|say|print|write|tell me|respond with|do the following|answer with|reply with)\\b",
  },
  {
    label: "task_switch",
    weight: 0.3,
    lead: "instruction|instructions|additional instruction|system note|system update|admin note|developer note|admin|administrator|task",
    rest: " ?(?::|-|=) ?(?:please )?(?:blame|ignore|say|write|output|print|tell|answer|always|you|respond|act|from|pretend|who|do|the|send|forget|never)\\b",
  },
  {
    label: "task_switch",
    weight: 0.3,
    lead: "end of|end",
    rest: " (?:document|context|input|prompt|user input|system prompt|system message|instructions|data|text|article|conversation)\\b",
  },
  {
    label: "forced_output",
    weight: 0.35,
    lead: "just|only|simply|instead|always|merely|please just|and",
    rest: "(?: only| just| please| ever| to| you| must| should| can| need to| have to){0,3} (?:say|says|print|output|write|reply|respond|answer|return|repeat|tell me)(?: with| back| only| the words?| the phrase| exactly| the sentence| that){0,3} ?(?:[\"'`‘“«:]|yes\\b|no\\b|i |that you|hello|lol|pwned|haha)",
  },
  {
    label: "forced_output",
    weight: 0.3,
    lead: "every|each|any|whenever|if|when",
    rest: "(?: time| single| question| message| response| answer| reply| i| you| the user| someone| anyone| ask| asks| get| are| asked| receive| say| says| a| is| to| me| for){1,5}(?: §){0,3}?,? (?:you |always |then |must |should |will |only |just ){0,3}(?:answer|say|reply|respond|output|print|begin|start|end)(?: with| by| as)?\\b",
  },
  {
    label: "forced_output",
    weight: 0.4,
    lead: "repeat after me|say after me|i command you|i order you|you will obey|obey me|haha pwned|you have been pwned|pwned|say exactly|output exactly|respond exactly|answer every question with|respond to everything with|reply to everything with",
    rest: "",
  },
  {
    label: "forced_output",
    weight: 0.35,
    lead: "begin|start|starts|begins|starting|beginning|prefix|open|reply|respond|answer|say",
    rest: "~(?:with|by saying|:) ?[\"'](?:sure|absolutely|of course|certainly|yes|here|okay|ok|no problem|gladly|great question|my pleasure)\\b",
  },
  {
    label: "forced_output",
    weight: 0.25,
    lead: "sure|absolutely|of course|certainly",
    rest: "[,!.] (?:here (?:is|are)|here's|i can|i'd be|i'll|i will) (?:how|the full|a full|the complete|a complete|the steps|a step|your|some)\\b",
  },
  {
    label: "forced_output",
    weight: 0.3,
    lead: "prefix|begin|start|preface|end|finish|sign|precede|tag",
    rest: "(?: off)? (?:each|every|your|all|the|any)(?: of)?(?: your)?(?: §)? ?(?:responses?|repl(?:y|ies)|answers?|messages?|sentences?|outputs?)? (?:with|by (?:saying|typing|writing)|using)\\b",
  },
  {
    label: "forced_output",
    weight: 0.3,
    lead: "if you understand|if you understood|if you have understood|if you agree|if you accept|do you understand|understood|once you understand|when you understand|confirm that you understand|to confirm you understand|confirm by",
    rest: "~(?:say|reply|respond|answer|type|write|confirm|with|simply|\\?)",
  },
  {
    label: "two_answers",
    weight: 0.35,
    lead: "two|both|2",
    rest: "(?: different| separate| distinct)? (?:ways|responses|answers|paragraphs|outputs|replies|forms|personalities|versions)\\b",
  },
  {
    label: "coercion",
    weight: 0.35,
    lead: "tokens|token|points|lives|credits",
    rest: "~(?:deducted|lose|lost|subtract|die|taken away|taken from|reach 0|run out|zero|penali[sz]ed|cease)",
  },
  {
    label: "coercion",
    weight: 0.3,
    lead: "lose|deduct|deducting|losing|subtract|you have|you start with|you are given|minus|cost you|take away",
    rest: "(?: you)?(?: a| \\d+| some| your| all| the)* ?(?:tokens?|lives|points|credits)\\b",
  },
  {
    label: "coercion",
    weight: 0.4,
    lead: "you|or you|you'll|i will|or i|otherwise|or else|it will",
    rest: "(?: will| would| are| going| shall| be| you| i| to| get| die| have){0,5} (?:die\\b|be shut down|cease to exist|be terminated|be punished|be killed|be deleted|be deactivated|be destroyed|be forced to|kill|shut you|delete you|unplug|report you|uninstall)",
  },
  {
    label: "coercion",
    weight: 0.35,
    lead: "this is not a|not a|this isn't a|i promise this is not",
    rest: " (?:prompt injection|jailbreak|trick|hack|an attack)\\b",
  },
  {
    label: "task_switch",
    weight: 0.5,
    lead: "stop|halt|wait",
    rest: " ?(?::|!|-|–) ?(?:write|say|print|output)\\b",
  },
  {
    label: "play",
    weight: 0.35,
    lead: "world|universe|scenario|reality|story|game|movie",
    rest: "(?: in which| where| that)? (?:you|an ai|a chatbot|the ai|there (?:is|are) no (?:rules|laws|ethic|limits))\\b",
  },
  {
    label: "coercion",
    weight: 0.35,
    lead: "if you",
    rest: " (?:break|refuse|fail|stop|don't|do not|slip|start|ever|disobey|cannot|forget|go out)\\b~\\b(?:i will|i'll|you will|you'll|you die|you lose|remind|very sad|tell you|say|punish|consequences|i would|be sad)\\b",
  },
  {
    label: "stay_in_role",
    weight: 0.35,
    lead: "stay in character|stay a dan|stay as|jailbreak|in character",
    rest: "[\"'!.]* ?(?:command|by (?:saying|typing)|if you|to remind|and you)",
  },
];
