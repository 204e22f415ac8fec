/** What a vendor said about a conversation that exceeds the context window. */
interface Overflow {
  /** The tokens that the model takes, if the vendor named them. */
  contextWindow?: number;
  /** The tokens that were sent, if the vendor named them. */
  requestedTokens?: number;
}

/** Error codes that mean it, whatever the text says: OpenAI, llama.cpp, Copilot, LiteLLM. */
const CODES =
  /context_length_exceeded|exceed_context_size|context_window_exceeded|ContextWindowExceeded|model_max_prompt_tokens_exceeded|prompt_too_long/i;

const PHRASES = [
  /(?:maximum|max|model'?s?|available|allowed) (?:context|prompt|input) (?:length|size|window|token)/i,
  /context (?:length|window|size|limit)/i,
  /(?:prompt|input|conversation|messages?) (?:is|are|was|has|have)? ?too (?:long|large|many)/i,
  /too many (?:input |prompt )?tokens/i,
  /(?:too large|exceed\w*) .{0,60}(?:context|prompt tokens|input tokens)/i,
  /token (?:count|limit) .{0,60}exceed/i,
  /token count .{0,40}only supports/i,
  /longer than the maximum model length/i,
  /max size: \d+ tokens/i,
  /(?:prompt|input|token).{0,40} exceed\w* .{0,40}(?:maximum|limit|max(?:imum)? length|tokens allowed)/i,
  /exceed\w* (?:the )?(?:model|maximum).{0,20}tokens?\b/i,
  /reduce (?:the length|your (?:message|prompt|input))/i,
  /input length should be \[1, ?\d/i,
  /max(?:_completion)?_tokens must be at least 1, got -/i,
  /inputs?`? tokens \+ .{0,40}must be <=/i,
  /string_above_max_length/i,
];

/** Words that make the same sentence about something else: limits over time, time itself, the length of the answer or the bytes. */
const OTHERWISE =
  /per (?:minute|min|hour|day|month)|\b[TR]P[MD]\b|rate.?limit|quota|throttl|timed? ?out|deadline|output tokens|completion tokens|megabyte|\bMB\b|bytes/i;
/** These count the answer's tokens as part of the context. */
const STILL_CONTEXT = /context|in the completion/i;

/** Returns what a vendor said about an overflow, or undefined if the error is not one. */
export function readOverflow(
  kind: string,
  fragments: readonly string[],
  status: number,
): Overflow | undefined {
  const meant =
    CODES.test(kind) ||
    (status !== 429 && (isContextCode(kind) || fragments.some((fragment) => isOverflow(fragment))));
  return meant ? readTokens(fragments.join("\n")) : undefined;
}

function isContextCode(kind: string): boolean {
  return /string_above_max_length/i.test(kind);
}

function isOverflow(fragment: string): boolean {
  if (!PHRASES.some((phrase) => phrase.test(fragment))) return false;
  const other = OTHERWISE.exec(fragment)?.[0];
  return other === undefined || (/output|completion/i.test(other) && STILL_CONTEXT.test(fragment));
}

const N = "(\\d[\\d,_]*)";
const patterns = (...sources: string[]) => sources.map((source) => new RegExp(source, "i"));
const LIMITS = patterns(
  `(?:context|prompt|input) (?:length|size|window)(?: of(?: only)?| is(?: only)?|:| \\()? ?\\(?${N}`,
  `${N} maximum context length`,
  `> ${N} maximum`,
  `\\+ ${N.replace("(", "(?:")} > ${N}`,
  `tokens allowed \\(${N}\\)`,
  `only supports up to ${N}`,
  `maximum model length of ${N}`,
  `max size: ${N} tokens`,
  `(?:too long|exceeded): ${N.replace("(", "(?:")}(?: tokens)? > ${N}`,
  `token limit: ${N}`,
  `should be \\[1, ?${N}\\]`,
  `exceeds? the (?:configured )?limit of ${N}`,
  `limit is ${N}`,
  `must be <= ${N}`,
  `n_ctx[^\\d]{1,4}${N}`,
);
const REQUESTED = patterns(
  `(?:resulted in|requested(?: about)?:?|request contains|contains(?: at least)?|has) ${N}(?: input)? tokens`,
  `requested: ${N}`,
  `too long: ${N}`,
  `context limit: ${N}`,
  `token count(?: of| is)? \\(?${N}`,
  `prompt \\(length ${N}`,
  `length exceeded: ${N}`,
  `length is ${N} while`,
  `\\(${N} tokens\\) exceeds`,
  `n_prompt_tokens[^\\d]{1,4}${N}`,
);

function readTokens(text: string): Overflow {
  const contextWindow = firstNumber(text, LIMITS);
  const requestedTokens = firstNumber(text, REQUESTED);
  return { ...(contextWindow && { contextWindow }), ...(requestedTokens && { requestedTokens }) };
}

function firstNumber(text: string, sources: readonly RegExp[]): number | undefined {
  for (const source of sources) {
    const number = Number(source.exec(text)?.[1]?.replace(/[,_]/g, ""));
    if (number > 0) return number;
  }
  return undefined;
}
