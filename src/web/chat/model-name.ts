/** Returns a model's id as a name, for those that are no longer offered: `claude-sonnet-4-5` is “Claude Sonnet 4.5”. */
export function spelledModel(id: string): string {
  return id
    .slice(id.lastIndexOf("/") + 1)
    .replace(/(?<=\b\d)-(?=\d\b)/g, ".")
    .replace(/\b(?:gpt|glm)-/g, (name) => name.toUpperCase())
    .replace(/-/g, (dash, at: number, whole: string) =>
      /\b(?:GPT|GLM)$/.test(whole.slice(0, at)) ? dash : " ",
    )
    .replace(/(?<=^| )[a-z](?=[a-z]{3})/g, (letter) => letter.toUpperCase());
}
