/** What a vendor takes as the schema of a tool. Data, so that another vendor needs no code. */
export interface SchemaProfile {
  /** What the names of parameters must look like, at every depth. */
  names: RegExp;
  /** The keywords that it does not take. What they say goes into the description. */
  refuses?: ReadonlySet<string>;
  /** The formats that it takes, if not all. */
  formats?: ReadonlySet<string>;
  /** Every schema must name its type, and only one besides null. */
  typed?: boolean;
  /** Lists of values hold strings only. */
  stringEnums?: boolean;
  /** Every object must allow only the properties that are listed. */
  closed?: boolean;
  /** Keeps to a tool's schema exactly when asked. Says which formats it then takes. */
  strictFormats?: ReadonlySet<string>;
  /** The longest description of a tool. */
  maxDescription?: number;
  maxTools?: number;
}

const NAMES = /^[a-zA-Z0-9_.-]{1,64}$/;
/** Names that start with a letter, which are the only ones that every vendor takes. */
const LETTER_FIRST = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/;
const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
/** The formats that vendors can follow exactly. */
export const STRICT_FORMATS = words("date-time time date duration email hostname ipv4 ipv6 uuid");

const openai: SchemaProfile = {
  names: NAMES,
  strictFormats: STRICT_FORMATS,
  // Longer descriptions of functions are refused; the texts inside of a schema may be longer.
  maxDescription: 1_024,
};

/** By the name that a provider's `schemas` quirk or the id of a dialect has. */
const PROFILES: Readonly<Record<string, SchemaProfile>> = {
  openai,
  "openai-responses": openai,
  /** Other servers of this dialect: whatever is refused by one of them is left out. */
  "openai-chat": { names: NAMES, maxDescription: 1_024 },
  anthropic: { names: NAMES },
  "anthropic-messages": { names: NAMES },
  mistral: { names: NAMES },
  // It passes schemas on to vendors of all kinds.
  openrouter: { names: LETTER_FIRST, strictFormats: STRICT_FORMATS, maxDescription: 1_024 },
  gemini: {
    names: LETTER_FIRST,
    refuses: words(
      "default examples pattern minLength maxLength exclusiveMinimum exclusiveMaximum multipleOf uniqueItems",
    ),
    formats: words("date-time enum float double int32 int64"),
    typed: true,
    stringEnums: true,
    maxTools: 512,
  },
};
const PLAIN: SchemaProfile = { names: LETTER_FIRST };

/** Returns what the vendor takes, by its quirk or else by its dialect. */
export function profileOf(name: string | undefined, dialect: string): SchemaProfile {
  return PROFILES[name ?? dialect] ?? PROFILES[dialect] ?? PLAIN;
}

/** Answers go to the client as they are, so the names of their properties stay. */
const ANY_NAME = /^/;
/** Anthropic's formats. What a schema says besides its structure would be refused. */
const CLOSED: SchemaProfile = {
  names: ANY_NAME,
  refuses: words(
    "default examples format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf uniqueItems minItems maxItems",
  ),
  typed: true,
  closed: true,
};

/** Returns what the vendor takes as the schema of an answer. */
export function formatProfile(name: string): SchemaProfile {
  return name === "closed" ? CLOSED : { ...profileOf(name, name), names: ANY_NAME };
}
