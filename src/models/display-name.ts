/** Words that are not written with one capital at the beginning. */
const SPELLINGS: Readonly<Record<string, string>> = {
  chatgpt: "ChatGPT",
  codestral: "Codestral",
  deepseek: "DeepSeek",
  glm: "GLM",
  gpt: "GPT",
  it: "IT",
  oss: "OSS",
  qwq: "QwQ",
  vl: "VL",
};
const DATE = /[-@](\d{4})-?(\d{2})-?(\d{2})$/;

/**
 * Returns a name for people: `claude-sonnet-4-6` is "Claude Sonnet 4.6", `gpt-4o-mini` is "GPT-4o Mini". Names with a tag, as
 * local servers have them, stay as they are.
 */
export function displayName(name: string): string {
  const bare = name.slice(name.lastIndexOf("/") + 1);
  if (bare.includes(":") || !/^[a-z][a-z0-9.@-]*$/.test(bare)) return bare;
  const [, year, month, day] = DATE.exec(bare) ?? [];
  const words = bare
    .replace(DATE, "")
    // A version is written with a point where the name has a dash.
    .replace(/(?<=-\d{1,2})-(?=\d{1,2}(?:-|$))/g, ".")
    .split("-")
    .map((word) => SPELLINGS[word] ?? capitalized(word));
  const text = words.join(" ").replace(/\b(GPT|GLM) (?=\d)/, "$1-");
  return year === undefined ? text : `${text} (${year}-${month}-${day})`;
}

function capitalized(word: string): string {
  if (/^o\d/.test(word)) return word;
  if (/^\d+(?:\.\d+)?b$/.test(word)) return word.toUpperCase();
  return word.charAt(0).toUpperCase() + word.slice(1);
}
