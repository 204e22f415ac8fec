import { isObject, parseObject } from "../../protocol/json.ts";

/** Keeps secrets out of a recording. Must not throw. */
export interface SecretRules {
  /** Removes keys, tokens and passwords from a text. */
  redactText(text: string): string;
  /** True if a field with this name is always secret. */
  isSecretField(name: string): boolean;
}

/** Removes secrets from a value. */
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

/** Keeps arguments in JSON text valid, and equal to the same arguments as an object. */
function argumentsWithout(text: string, rules: SecretRules): string {
  const parsed = parseObject(text);
  if (!parsed) return rules.redactText(text);
  const before = JSON.stringify(parsed);
  const after = JSON.stringify(withoutSecrets(parsed, rules));
  return before === after ? text : after;
}

/** Removes secrets from the pieces of a text, including secrets that span two pieces. */
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
