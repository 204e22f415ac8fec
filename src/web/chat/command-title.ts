import { plainWords } from "../../protocol/command-words.ts";

const OPERAND = String.raw` [^-\s]\S*`;

/** Commands that do just this, with the options that keep it so. Other options can overwrite, delete, or run something else. */
const TITLES = [
  [
    "askPush",
    /^git push(?: (?:-[uvq]|--(?:set-upstream|tags|follow-tags|verbose|quiet)))*(?: \w[\w-]*(?: \w[\w./-]*)?)?$/,
  ],
  ["askCommit", /^git commit(?: (?:-[avq]+|--(?:all|verbose|quiet)|-[avq]*m \S+|--message=\S+))*$/],
  [
    "askInstall",
    new RegExp(
      `^(?:npm (?:i|install|ci)|pnpm (?:i|install|add)|yarn (?:install|add)|pip3? install)(?: (?:-[DEgqUr]|--(?:save|save-dev|save-exact|dev|global|no-audit|no-fund|frozen-lockfile|immutable|quiet|upgrade|user|requirement))|${OPERAND})*$`,
    ),
  ],
  [
    "askRemove",
    new RegExp(`^rm(?: (?:-[rRfvd]+|--(?:recursive|force|verbose|dir)))*(?: --)?(?:${OPERAND})+$`),
  ],
  [
    "askTest",
    new RegExp(
      `^(?:(?:npm|pnpm|yarn) (?:run )?test|pytest|cargo test|go test)(?: (?:--|-[vqx]|-race|--(?:verbose|quiet|silent|release|workspace))|${OPERAND})*$`,
    ),
  ],
] as const;

/** Returns the question whether a command may run that says what it does, for common commands. It must never say less than they do. */
export function commandTitle(command: string): (typeof TITLES)[number][0] | "askRun" {
  const words = plainWords(command)?.map((word) => word.replace(/\s/g, "_"));
  const line = words?.join(" ") ?? "";
  return TITLES.find(([, pattern]) => pattern.test(line))?.[0] ?? "askRun";
}
