const PLACEHOLDER =
  /x{4,}|X{4,}|\*{3,}|\.{3,}|…|_{4,}|-{4,}|#{3,}|\?{3,}|0{12,}|EXAMPLE|(?:^|[-_ ./:<[{(])(?:your|my|the|an?|some|insert|enter|replace|put|add|paste|use|change|example|sample|dummy|fake|placeholder|redacted|removed|masked|hidden|todo|fixme|none|null|undefined|nil|true|false|required|optional|string|test|testing|demo|foo|bar|baz|here|goes|value|changeme|secret|password|token|key|api|default|empty|missing|invalid|unset|env|config|settings?|not|set)(?:[-_ ./:>\]})]|$)/i;

const REFERENCE =
  /^(?:\$\{|\$\(|\$[A-Za-z_]|%[A-Za-z_]+%|\{\{|<|\[|@|&|process\.env|import\.meta|os\.(?:environ|getenv)|env[.([]|ENV\[|getenv|System\.(?:getenv|getProperty)|secrets?\.|vault:|ssm:|arn:|file:|vars?\.|local\.|self\.|this\.|config\.|options?\.|settings\.|args\.|params\.|req(?:uest)?\.|ctx\.|new |await |function|\(|Deno\.env)/;

/** True for what stands where a secret will be: `your-key-here`, `${TOKEN}`, `process.env.KEY`, `xxxx`. */
export function isPlaceholder(value: string): boolean {
  if (REFERENCE.test(value)) return true;
  if (/^(.)\1+$/.test(value)) return true;
  return PLACEHOLDER.test(value) && !hasRandomStretch(value);
}

/** True where a long stretch without a word break looks random, whatever words stand around it. */
function hasRandomStretch(value: string): boolean {
  if (/x{4,}|\*{3,}|\.{3,}|…|EXAMPLE|0{12,}/i.test(value)) return false;
  return value.split(/[-_ ./:]/).some((part) => part.length >= 12 && /\d/.test(part) && entropyOf(part) > 3);
}

/** Shannon entropy in bits a character. */
export function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / value.length) * Math.log2(count / value.length);
  return entropy;
}
