/** What a person answers: their words or the option they chose; several where several may be chosen. */
export type Answer = string | string[];

export interface QuestionOptions {
  /** Foreseeable answers. The person can always answer in their own words instead. */
  options?: readonly string[];
  /** A second line for each option, in their order. It may be empty. */
  optionDetails?: readonly string[];
  /** Several options may be chosen. */
  multiple?: boolean;
  /** What is assumed if nobody answers. Shown to the person. */
  default?: string;
}

/** Asks the person and waits. Resolves with undefined if nobody answers, or nobody is there. */
export type AskPerson = (
  question: string,
  options?: readonly string[] | QuestionOptions,
) => Promise<Answer | undefined>;
