import type { z } from "zod";

const TYPES: Partial<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};
const FORMATS: Partial<Record<string, string>> = {
  email: "an email address",
  url: "an address with http:// or https://",
  uuid: "a UUID",
  date: "a date such as 2026-01-31",
  datetime: "a time such as 2026-01-31T12:00:00Z",
};
/** What a limit counts, one and several. */
const UNITS: Partial<Record<string, readonly [string, string]>> = {
  string: ["character", "characters"],
  array: ["item", "items"],
};

/** Says in plain words what is wrong with a value, for schemas without words of their own. */
export const inPlainWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value": {
      const values = issue.values.map((value) => (typeof value === "string" ? `"${value}"` : String(value)));
      return `must be ${values.length === 1 ? "" : "one of "}${values.join(", ")}`;
    }
    case "too_small":
      if (issue.minimum === 1 && !issue.exact && UNITS[issue.origin]) return "must not be empty";
      return amount(issue, issue.minimum, ["at least", "more than"]);
    case "too_big":
      return amount(issue, issue.maximum, ["at most", "less than"]);
    case "invalid_format":
      return FORMATS[issue.format] ? `must be ${FORMATS[issue.format]}` : "is not in the expected form";
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_union":
      return "is not in any of the expected forms";
    case "custom":
      return "is not valid";
    default:
      return undefined;
  }
};

function amount(
  { origin, exact, inclusive }: { origin: string; exact?: boolean; inclusive?: boolean },
  limit: number | bigint,
  [including, beyond]: readonly [string, string],
): string {
  const bound = exact ? "exactly" : inclusive === false ? beyond : including;
  const number = limit.toLocaleString("en-US");
  const unit = UNITS[origin]?.[limit === 1 ? 0 : 1];
  return unit === undefined ? `must be ${bound} ${number}` : `must have ${bound} ${number} ${unit}`;
}
