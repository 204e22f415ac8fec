import { Failure, toFailure } from "../protocol/failure.ts";

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, "[credentials]"],
  [
    /\b(?:sk|pk|rk|tk|gsk|xai|tvly|ghp|gho|ghs|github_pat|AKIA|ASIA|AIza|xox[abpr]|hf)[-_A-Za-z0-9]{12,}/g,
    "[key]",
  ],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, "[token]"],
  [/([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]{1,100}:[^\s/@]{1,200}@/gi, "$1[credentials]@"],
  [
    /([?&][\w.-]{0,30}(?:key|token|secret|sig|signature|password|auth)[\w.-]{0,30}=)[^&\s"'<>]{1,500}/gi,
    "$1[secret]",
  ],
  [/[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,5}\.[A-Za-z]{2,24}/g, "[e-mail]"],
  [/\n\s{2,}at .{1,500}/g, ""],
  [
    /(?<![\w/.:])(?:\/(?:home|root|Users|usr|var|opt|etc|tmp|srv|mnt|work|app)\/)[^\s"'`)\]}>,;]{1,300}/g,
    "[path]",
  ],
  [/\b[A-Za-z]:\\[^\s"'`)\]}>,;]{1,300}/g, "[path]"],
];

/** Layer 5: takes keys, tokens, addresses, paths of the host and stack lines out of a text. */
export function redact(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of REPLACEMENTS) clean = clean.replace(pattern, replacement);
  return clean;
}

/** Layer 5: what may be shown of anything that was thrown. A tool's own error keeps its sentence, cleaned; never a stack. */
export function cleanFailure(thrown: unknown): Failure {
  const failure = toFailure(thrown);
  const sentence = redact(failure.publicMessage);
  if (sentence === failure.publicMessage) return failure;
  const { code, retryable, retryAfter, details } = failure;
  return new Failure(code, sentence, {
    retryable,
    cause: failure,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(details === undefined ? {} : { details }),
  });
}

/** What a tool threw, as the result of its call: its words help the model to correct itself. */
export function toolFailure(thrown: unknown): Failure {
  const known = toFailure(thrown);
  if (known.code !== "INTERNAL" || !(thrown instanceof Error) || thrown.message === "")
    return cleanFailure(known);
  return new Failure("TOOL_FAILED", redact(thrown.message).slice(0, 1_000), { cause: thrown });
}
