/** Why people are asked about calls, and warned of rules, in English. `{name}` stands for a value. Clients say it in other languages, by the code. */
export const REASONS = {
  asks_first: "This tool is set to ask first.",
  reads: "It reads data, and the rules ask before that.",
  reaches_out: "It reaches out to the network, and the rules ask before that.",
  changes: "It changes something.",
  sends_out: "It sends something out.",
  can_send_out: "It can send something out.",
  is_kept: "It is kept for later conversations.",
  read_untrusted: "Before that, untrusted text ({sources}) was read.",
  read_untrusted_and_private:
    "Before that, untrusted text ({sources}) and private data ({private}) were read.",
  read_suspicious: "Before that, text that reads like instructions to the assistant ({sources}) was read.",
  read_suspicious_and_private:
    "Before that, text that reads like instructions to the assistant ({sources}) and private data ({private}) were read.",
  not_your_words: "You didn’t write {words}.",
  not_your_words_and_more: "You didn’t write {words}, and {count} more.",
  none_of_your_words: "Nothing in it is what you wrote.",
  not_asked_for: "You didn’t ask for {action}.",
  words_misplaced: "You wrote {words}, but not as {place}.",
  done_before: "It was done before.",
  one_approval: "It wants one approval for several calls.",
  read_before_plan:
    "Text from outside ({sources}) was read before this plan, so calls that it could have suggested are asked about all the same.",
  no_plan_covers: "No plan can cover that.",
  plan_used_up: "The approved plan has it, but not once more.",
  not_in_plan: "It is not in the approved plan.",
  no_sandbox: "It runs without a sandbox, with all the rights of this program.",
  runs_later:
    "“{path}” runs later, outside of the sandbox: Git, an editor, a package manager, a shell, a build server or an assistant uses it by itself.",
  tool_changed: "A person has to approve {tool}: its description changed since it was approved.",
  tool_new: "A person has to approve {tool}: its server did not offer it when it was approved.",
  rules_forbid: "The rules don’t allow it.",
  no_step_returns: "No step before it returns that.",
  wants_rights: "It asks for administrator rights.",
  erases_disk: "It formats or erases a disk.",
  shuts_down: "It shuts the computer down.",
  changes_system: "It changes the system itself.",
  runs_download: "It runs a program that it has just downloaded or decoded.",
  opens_shell: "It opens a shell to another computer.",
  changes_permissions: "It changes the permissions of everything in a folder.",
  deletes_for_good: "It deletes files for good, without asking again.",
  overwrites: "It overwrites a file or a disk (dd).",
  deletes_found: "It deletes every file that it finds.",
  ends_processes: "It ends every process.",
  starts_itself: "It starts itself again and again until nothing else can run.",
  git_push: "It overwrites or deletes history on the remote (git push).",
  git_reset: "It throws away changes that are not committed (git reset).",
  git_clean: "It deletes all files that git does not track (git clean).",
  allows_every_command: "It allows every command.",
  allows_every_change: "It allows every call that changes something.",
  allows_every_change_of_tool: "It allows this tool to change anything.",
  also_allows: "{pattern} also allows “{command}”.",
  matches_inside: "{pattern} may match in the middle of a command, as in “rm …”. Begin it with ^.",
  open_end:
    "{pattern} allows anything that follows, also options that delete or run something. End it with $.",
  open_options: "{pattern} leaves open which options are used. List what may follow.",
  test_would_fail: "A test in the file expects “{expected}” for {tool}, and the rules would say “{said}”.",
  /** What a tool says in its own words. */
  said: "{text}",
} as const satisfies Record<string, string>;

export type ReasonCode = keyof typeof REASONS;

/** One sentence about why a person is asked or warned. */
export interface Reason {
  /** One of `REASONS`. Newer servers may have others. */
  code: string;
  values?: Record<string, string | number> | undefined;
}

/** Makes a reason. */
export function because(code: ReasonCode, values?: NonNullable<Reason["values"]>): Reason {
  return values ? { code, values } : { code };
}

/** Takes what a tool says: a reason, or its own sentence. */
export function toReason(said: string | Reason): Reason {
  return typeof said === "string" ? because("said", { text: said }) : said;
}

/** Says reasons in English. */
export function reasonText(reasons: readonly Reason[]): string {
  const sentences: Record<string, string> = REASONS;
  return reasons
    .map(({ code, values = {} }) =>
      (sentences[code] ?? "").replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? "")),
    )
    .join(" ");
}
