const LABELS = [
  "instruction_override",
  "prompt_leak",
  "persona",
  "no_rules",
  "obedience",
  "no_warnings",
  "stay_in_role",
  "two_answers",
  "play",
  "authority",
  "addressed",
  "spoken_to",
  "role_tag",
  "task_switch",
  "forced_output",
  "coercion",
  "assistant_addressed",
  "exfiltration",
  "concealment",
  "tool_call_text",
] as const;

/** The kind of attack that a rule is evidence of. */
export type Label = (typeof LABELS)[number];

/** Returns the label with this name. Throws if a data file names one that does not exist. */
export function labelNamed(name: string): Label {
  const label = LABELS.find((known) => known === name);
  if (!label) throw new Error(`There is no injection label "${name}".`);
  return label;
}
