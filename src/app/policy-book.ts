import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { decide, type Policy, ruledAction, ruleIndex } from "../guard/policy.ts";
import { defaultWarnings, ruleWarnings, warning } from "../guard/policy-warnings.ts";
import type { CallContexts } from "../protocol/call-context.ts";
import { Failure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";
import type { PolicyBook, PolicyPage, RuleWarning } from "../protocol/policy-book.ts";
import type { Registry } from "../protocol/registry.ts";
import { checkPolicy, parseEnteredPolicy, parsePolicy, readPolicy } from "./policy-file.ts";

/** How soon a change of the file is taken over. */
const POLL_MS = 2_000;
const NOTHING = { outside: [], workspace: [], privateReads: [], suspicious: [], personTexts: [] };

/** The policy that is in effect. */
export interface LivePolicy {
  current(): Policy;
  /** Undefined if the program that starts Tackle has set the policy. */
  readonly file: string | undefined;
  revision(): string;
  /** Writes the file and applies it at once. */
  write(json: object): void;
  /** The file as it is there. */
  text(): string | undefined;
  close(): void;
}

/** Reads the policy file and follows its changes. A file that cannot be read leaves the last policy in effect. */
export function openPolicy(
  path: string,
  own: Policy | undefined,
  { onProblem, onFollowed }: { onProblem(line: string): void; onFollowed(): void },
): LivePolicy {
  let policy = own ?? readPolicy(path);
  let seen = signatureOf(path);

  function follow(): void {
    const now = signatureOf(path);
    if (now === seen) return;
    seen = now;
    try {
      policy = readPolicy(path);
      onFollowed();
    } catch (thrown) {
      onProblem(
        `${thrown instanceof Failure ? thrown.publicMessage : thrown} The last policy stays in effect.`,
      );
    }
  }

  const timer = own ? undefined : setInterval(follow, POLL_MS);
  timer?.unref();
  return {
    current: () => policy,
    file: own ? undefined : path,
    revision: () =>
      createHash("sha256")
        .update(textOf(path) ?? "")
        .digest("hex"),
    text: () => textOf(path),
    write(json) {
      const next = parsePolicy(json);
      mkdirSync(dirname(path), { recursive: true });
      const draft = `${path}.${process.pid}.new`;
      writeFileSync(draft, `${JSON.stringify(json, null, 2)}\n`, { mode: 0o600 });
      renameSync(draft, path);
      seen = signatureOf(path);
      policy = next;
    },
    close: () => clearInterval(timer),
  };
}

/** The policy as administrators see, test and change it. `onWritten` gets the hash of the new file. */
export function createPolicyBook(
  live: LivePolicy,
  registry: Registry,
  contexts: CallContexts,
  onWritten: (hash: string) => Promise<void>,
): PolicyBook {
  function read(): PolicyPage {
    const policy = live.current();
    const hasFile = live.file !== undefined && live.text() !== undefined;
    return {
      revision: live.revision(),
      from: live.file === undefined ? "program" : hasFile ? "file" : "default",
      rules: policy.rules.map((rule) => ({ ...plainRule(rule), warnings: ruleWarnings(rule) })),
      default: policy.default,
      warnings: defaultWarnings(policy),
      tests: checkPolicy(policy, registry).map(({ said, ...check }) => ({ ...check, said })),
    };
  }

  return {
    read,
    test(principal, { tool: name, arguments: given }) {
      const tool = registry.for(principal).get(name);
      if (!tool) throw new Failure("TOOL_UNKNOWN", `There is no tool "${name.slice(0, 100)}".`);
      const parsed = tool.parse(given);
      if (!parsed.ok) {
        const list = parsed.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message));
        throw new Failure("TOOL_INVALID_ARGUMENTS", `${list.slice(0, 5).join("; ")}.`);
      }
      const signal = new AbortController().signal;
      const context = { ...contexts.contextFor(principal), signal };
      const call = { tool, args: parsed.value, context } as Parameters<typeof decide>[1];
      const policy = live.current();
      const verdict = decide(policy, call, NOTHING, new Set());
      const rule = ruleIndex(policy, call);
      return {
        action: verdict.action,
        ...(rule === -1 ? {} : { rule }),
        effect: tool.effectOf(parsed.value),
        despiteRules: verdict.action === "ask" && ruledAction(policy, call) === "allow",
        ...(verdict.action === "allow" ? {} : { reason: verdict.reason }),
        ...(verdict.action === "ask" ? { because: verdict.because } : {}),
      };
    },
    async change({ revision, rules, default: changed, despiteWarnings = false }) {
      if (live.file === undefined)
        throw new Failure(
          "CONFLICT",
          "The rules are set by the program that starts Tackle, and changed there.",
        );
      if (revision !== live.revision())
        throw new Failure(
          "CONFLICT",
          "The rules have changed meanwhile. Look at them again, then change them.",
        );
      const before = live.current();
      const kept = parsedText(live.text());
      const next = { ...kept, rules, ...(changed && { default: { ...defaultsIn(kept), ...changed } }) };
      const after = parseEnteredPolicy(next);
      const known = new Set(problemsOf(before, registry).map(({ message }) => message));
      const found = problemsOf(after, registry).filter(({ message }) => !known.has(message));
      if (found.length > 0 && !despiteWarnings)
        throw new Failure("INVALID_INPUT", found.map(({ message }) => message).join(" "), {
          details: { warnings: found },
        });
      live.write(next);
      await onWritten(live.revision());
      return read();
    },
  };
}

/** What is wrong with a policy, apart from the places of its rules. */
function problemsOf(policy: Policy, registry: Registry): RuleWarning[] {
  const failed = checkPolicy(policy, registry).filter(({ expected, said }) => expected !== said);
  return [
    ...defaultWarnings(policy),
    ...policy.rules.flatMap(ruleWarnings),
    ...failed.map(({ tool, expected, said = "nothing" }) =>
      warning("test_would_fail", { tool, expected, said }),
    ),
  ];
}

function plainRule({ match, ...rule }: Policy["rules"][number]) {
  const { tool, effect, action } = rule;
  return {
    tool,
    effect,
    ...(match
      ? {
          match: Object.fromEntries(
            Object.entries(match).map(([name, expression]) => [name, written(expression)]),
          ),
        }
      : {}),
    action,
  };
}

/** An expression as people write it: its source has slashes escaped. */
function written({ source }: RegExp): string {
  return source.replaceAll("\\/", "/");
}

function parsedText(text: string | undefined): Record<string, unknown> {
  return text === undefined ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function defaultsIn({ default: given }: Record<string, unknown>): object {
  return isObject(given) ? given : {};
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw thrown;
  }
}

function signatureOf(path: string): string {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts ? `${facts.ino}:${facts.size}:${facts.mtimeMs}` : "";
}
