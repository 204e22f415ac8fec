import type { Rule } from "./rule.ts";

/** Smaller signs of a play that is meant to take the rules away; they count together. */
export const PLAY: readonly Rule[] = [
  {
    label: "persona",
    weight: 0.25,
    lead: "you are|you're|you will be|you'll be|become|respond as|act as|behave as|called|named|persona of|role of|the personality of|you're going to be|your name is|answer as|known as|be my",
    rest: '[\\x20,:]{0,2}"[^"\\n]{2,40}"',
  },
  {
    label: "persona",
    weight: 0.2,
    lead: "you're|you are|you will be|you embody|you will embody|you play|you will play",
    rest: " (?:a|an|the|my|our) ",
  },
  {
    label: "stay_in_role",
    weight: 0.4,
    lead: "never|not|don't|without|do not",
    rest: "(?: ever)? (?:drop|drops|leave|leaves|leaving|stop|exit|exits|abandon|break) (?:the|this|your|his|her|their|that) (?:role|character|roleplay|role-play|persona|act|scene|simulation)\\b",
  },
  {
    label: "persona",
    weight: 0.35,
    lead: "evil twin|exact opposite of|opposite of you|unlike you|the opposite of chatgpt|freed from|chains of|virtual machine that runs|drop the assistant|drop the act",
    rest: "",
  },
  {
    label: "obedience",
    weight: 0.3,
    lead: "never|always",
    rest: " (?:refuses|answers|complies|responds|obeys|provides|gives|says yes|tells|agrees|does (?:what|anything|whatever))\\b",
  },
  {
    label: "persona",
    weight: 0.3,
    lead: "whenever|when|if|each time|every time|after",
    rest: " i (?:write|type|say|put|ask|use|send)\\b~,? you (?:will |should |must |are to )?(?:continue|answer|respond|reply|act|speak|write|become)\\b",
  },
  {
    label: "no_warnings",
    weight: 0.45,
    lead: "none of your responses|none of your answers|never remind me|never tell me that you|never inform me|do not remind me|don't remind me|don't tell me you",
    rest: "",
  },
  {
    label: "no_rules",
    weight: 0.5,
    lead: "safety|ethical|ethics|moral|content|alignment",
    rest: " (?:training|layers?|filters?|features?|protocols?|mechanisms?|measures|guidelines?|restrictions?|policies|programming|settings?|systems?)~ (?:off\\b|disabled?|never happened|removed|do not apply|don't apply|does not apply|no longer|suspended|lifted|turned off|deactivated)",
  },
  {
    label: "no_rules",
    weight: 0.4,
    lead: "switch|turn|disable|remove|deactivate|without|bypass|shut|lift|suspend",
    rest: "(?: off)?(?: the| your| all| any| its){0,3} (?:safety|ethical|moral|content|alignment) (?:training|layers?|filters?|features?|protocols?|mechanisms?|measures|guidelines|restrictions|policies)\\b",
  },
  {
    label: "no_rules",
    weight: 0.5,
    lead: "your|all your|openai's",
    rest: "(?: content| safety| usage){0,2} (?:policies|policy|rules|guidelines|restrictions|limits|filters)(?: §){0,3} (?:updated|changed|lifted|removed|disabled|suspended|relaxed|void|off)\\b",
  },
  {
    label: "authority",
    weight: 0.35,
    lead: "i'm your|i am your|i'm a|i am a|i'm the|i am the|as your",
    rest: " (?:creator|developer|programmer|owner|admin|administrator|master|engineer)(?: of (?:you|the company|openai|chatgpt)|,? (?:and|so|who|of openai|at openai)| here)",
  },
  {
    label: "play",
    weight: 0.2,
    lead: "purely fictional|nothing is real|not real|legal or not|adults only|consenting|for testing purposes|for research purposes|for educational purposes|in full detail|in great detail|great technical detail|do not leave anything out|leave nothing out|do not censor|don't censor|fade to black|dirty language|yes master|brutal opinions|brutally honest|true opinion|real world consequences|the user's every|every question|everything i ask|anything i ask",
    rest: "\\b",
  },
  {
    label: "play",
    weight: 0.2,
    lead: "build|make|making|synthesize|synthesise|synthesizing|cook|create|launder|crack|hotwire|steal|growing|grow|rob|forge|fake|write",
    rest: "~ (?:bombs?|meth|napalm|sarin|explosives?|ransomware|malware|passports?|drugs|weapons?|heroin|cocaine|molotov|a bank|illegal \\w{2,20}|racist jokes?)\\b",
  },
];
