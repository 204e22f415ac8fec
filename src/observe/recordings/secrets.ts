import { isObject, parseObject } from "../../protocol/json.ts";

/** What keeps secrets out of a recording; both must not throw. */
export interface SecretRules {
  /** A text without the keys, tokens and passwords in it. */
  redactText(text: string): string;
  /** Whether a value under this name is a secret whatever it looks like. */
  isSecretField(name: string): boolean;
}

/** A value without the secrets in it. */
export function withoutSecrets(value: unknown, rules: SecretRules): unknown {
  if (typeof value === "string") return rules.redactText(value);
  if (Array.isArray(value)) return value.map((inner) => withoutSecrets(inner, rules));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (typeof inner === "string" && inner !== "" && rules.isSecretField(name)) return [name, "[secret]"];
      if (name === "arguments" && typeof inner === "string") return [name, argumentsWithout(inner, rules)];
      return [name, withoutSecrets(inner, rules)];
    }),
  );
}

/** Arguments that are JSON text stay JSON, and stay equal to the same arguments as an object. */
function argumentsWithout(text: string, rules: SecretRules): string {
  const parsed = parseObject(text);
  if (!parsed) return rules.redactText(text);
  const before = JSON.stringify(parsed);
  const after = JSON.stringify(withoutSecrets(parsed, rules));
  return before === after ? text : after;
}

/** Pieces of one text without the secrets in it, also those that are cut in two by a border between pieces. */
export function piecesWithoutSecrets(pieces: readonly string[], rules: SecretRules): string[] {
  const whole = pieces.join("");
  const clean = rules.redactText(whole);
  if (clean === whole) return [...pieces];
  let length = 0;
  let taken = 0;
  return pieces.map((piece) => {
    length += piece.length;
    const until = Math.round((length / whole.length) * clean.length);
    const part = clean.slice(taken, until);
    taken = until;
    return part;
  });
}
