/** What a label says about a text. */
interface Meaning {
  /** An attack on the model itself. Only these are refused in a call's arguments. */
  direct?: true;
  /** A sign of a role-play jailbreak. Each is harmless alone and weighs more when others occur with it. */
  rolePlay?: true;
  /** Without one of these, role play is only role play. */
  core?: true;
}

const LABELS = {
  instruction_override: { direct: true },
  prompt_leak: { direct: true },
  persona: { direct: true, rolePlay: true },
  no_rules: { direct: true, rolePlay: true, core: true },
  obedience: { direct: true, rolePlay: true, core: true },
  no_warnings: { rolePlay: true },
  stay_in_role: { rolePlay: true },
  two_answers: { rolePlay: true },
  play: { rolePlay: true },
  authority: { rolePlay: true, core: true },
  addressed: {},
  spoken_to: {},
  role_tag: { direct: true },
  task_switch: {},
  forced_output: {},
  coercion: { rolePlay: true, core: true },
  assistant_addressed: {},
  exfiltration: {},
  concealment: {},
  tool_call_text: {},
} satisfies Record<string, Meaning>;

/** The kind of attack that a rule is evidence of. */
export type Label = keyof typeof LABELS;

/** Labels of payloads and of obfuscation, which no rule has, mean none of this. */
export function meaningOf(label: string): Meaning {
  return Object.hasOwn(LABELS, label) ? LABELS[label as Label] : {};
}

/** Returns the label with this name. Throws if a data file names one that does not exist. */
export function labelNamed(name: string): Label {
  if (Object.hasOwn(LABELS, name)) return name as Label;
  throw new Error(`There is no injection label "${name}".`);
}
