interface Option {
  type: "string" | "boolean";
  short?: string;
  multiple?: boolean;
  /** The value as the help shows it. */
  value?: string;
  help: string;
  /** What the value must be, and the check for it. */
  needs?: { what: string; test(text: string): boolean };
}

interface Command {
  help: string;
  options: readonly OptionName[];
  /** The word after the command: a placeholder in capitals, or the word itself. In brackets, any number of words. */
  operand?: "FILE" | "test" | "[P/M…]" | '["…"]';
  requires?: OptionName;
}

const CHAT_OPTIONS = {
  print: { type: "string", short: "p", value: '"…"', help: "Ask one question and print the answer." },
  continue: { type: "boolean", short: "c", help: "Continue the last conversation." },
  resume: { type: "string", value: "ID", help: "Continue this conversation." },
  model: {
    type: "string",
    value: "P/M",
    help: "Use this model, such as zai/glm-4.6. For replay: the model to compare.",
  },
  "allow-tool": {
    type: "string",
    multiple: true,
    value: "NAME[:PREFIX]",
    help: "Approve calls of this tool whose command starts with PREFIX. Repeatable.",
  },
  trust: { type: "boolean", help: "Use the instructions and skills of this directory without asking." },
  server: { type: "string", value: "URL", help: "Use this server. TACKLE_TOKEN holds your key for it." },
  json: { type: "boolean", help: "Print JSON; with -p, one event per line." },
  record: {
    type: "string",
    value: "FILE",
    help: "Record requests and answers without secrets, for tackle replay or a bug report.",
    needs: { what: "the name of a file", test: (text: string) => text !== "" },
  },
} as const;

const REPLAY_OPTIONS = {
  tools: {
    type: "string",
    value: "live|NAME,…",
    help: "Run the recorded calls again: all, or those of these tools.",
    needs: {
      what: "recorded, live, or tool names separated by commas",
      test: (text: string) => text.split(",").every((name) => name.trim() !== ""),
    },
  },
  speed: {
    type: "string",
    value: "N",
    help: "1 is the recorded speed, 2 is twice as fast. By default there is no delay.",
    needs: {
      what: "a number above 0 and up to 1000",
      test: (text: string) => text.trim() !== "" && Number(text) > 0 && Number(text) <= 1_000,
    },
  },
} as const;

const SERVE_OPTIONS = {
  port: { type: "string", value: "N", help: "Listen on this port. The default is 8787." },
  host: { type: "string", value: "H", help: "Listen on this address. The default is 127.0.0.1." },
  processes: {
    type: "string",
    value: "N|auto",
    help: "Serve with this many processes, to use all cores. The default is 1.",
    needs: {
      what: "auto or a number from 1 to 64",
      test: (text: string) => /^(auto|[1-9]|[1-5]\d|6[0-4])$/.test(text),
    },
  },
} as const;

const DATA_OPTIONS = {
  data: { type: "string", value: "DIR", help: "Keep all data in this directory (TACKLE_DATA, ~/.tackle)." },
  to: {
    type: "string",
    value: "URL",
    help: "Copy to this PostgreSQL database.",
    needs: { what: "a postgres:// address", test: (text: string) => /^postgres(ql)?:\/\//.test(text) },
  },
  force: { type: "boolean", help: "Replace the file or the data that exists." },
} as const;

const AUDIT_OPTIONS = {
  since: {
    type: "string",
    value: "TIME",
    help: "Entries since then: 2030-01-31, 2030-01-31T12:00Z, 30m, 12h or 7d ago.",
    needs: {
      what: "a time, such as 2030-01-31T12:00Z, 12h or 7d",
      test: (text: string) => /^\d{1,6}[smhd]$/.test(text) || !Number.isNaN(Date.parse(text)),
    },
  },
  actor: { type: "string", value: "ID", help: "What this user did, or operator, system, visitor." },
  action: {
    type: "string",
    value: "WORD",
    help: "One action, such as auth.failed, or a kind, such as auth.",
  },
  session: { type: "string", value: "ID", help: "What happened in this conversation." },
  limit: {
    type: "string",
    value: "N",
    help: "How many of the newest entries to show. The default is 50.",
    needs: {
      what: "a number from 1 to 100000",
      test: (text: string) => /^[1-9]\d{0,4}$|^100000$/.test(text),
    },
  },
  follow: { type: "boolean", help: "Show new entries as they come, until Ctrl-C." },
  from: {
    type: "string",
    value: "HASH",
    help: "With verify: the log must still have the entry with this hash.",
    needs: { what: "a hash of 64 hexadecimal digits", test: (text: string) => /^[0-9a-f]{64}$/i.test(text) },
  },
} as const;

const GENERAL_OPTIONS = {
  once: { type: "boolean", help: "With top: print the state once instead of following it." },
  yes: { type: "boolean", short: "y", help: "With models check: do not ask before money is spent." },
  help: { type: "boolean", short: "h", help: "Show this help." },
  version: { type: "boolean", short: "v", help: "Show the version." },
} as const;

/** Every option, in the order of the help. */
export const OPTIONS = {
  ...CHAT_OPTIONS,
  ...REPLAY_OPTIONS,
  ...SERVE_OPTIONS,
  ...DATA_OPTIONS,
  ...AUDIT_OPTIONS,
  ...GENERAL_OPTIONS,
} satisfies Record<string, Option>;
export type OptionName = keyof typeof OPTIONS;

/** The options as the help groups them. */
export const SECTIONS = {
  "Chat and -p": CHAT_OPTIONS,
  Replay: REPLAY_OPTIONS,
  Serve: SERVE_OPTIONS,
  Data: DATA_OPTIONS,
  "Audit log": AUDIT_OPTIONS,
  General: GENERAL_OPTIONS,
} satisfies Record<string, Record<string, Option>>;

const WHERE: OptionName[] = ["server", "data"];
const CHAT: OptionName[] = [
  ...WHERE,
  "continue",
  "resume",
  "model",
  "allow-tool",
  "trust",
  "record",
  "force",
];
const LIST: OptionName[] = [...WHERE, "json"];

/** Every command, in the order of the help. */
export const COMMANDS = {
  chat: {
    help: "Chat in this directory, beginning with a message if you give one.",
    options: CHAT,
    operand: '["…"]',
  },
  print: {
    help: "Ask one question and print the answer. Standard input is added to it.",
    options: [...CHAT, "print", "json"],
  },
  serve: {
    help: "Start the server and the web app on http://127.0.0.1:8787.",
    options: ["port", "host", "processes", "data", "model"],
  },
  mcp: {
    help: "Offer the tools to other programs, over MCP on standard input and output.",
    options: ["server", "data"],
  },
  acp: {
    help: "Work in an editor, over the Agent Client Protocol on standard input and output.",
    options: ["data", "model"],
  },
  tools: { help: "List the tools that the model can call.", options: LIST },
  models: { help: "List the models, and how to get more.", options: LIST },
  "models check": {
    help: "Check what a vendor accepts, with small requests. Shows the cost first.",
    options: ["data", "json", "yes", "record", "force"],
    operand: "[P/M…]",
  },
  top: {
    help: "Watch a running server: runs, streams, cost and errors. q leaves.",
    options: [...LIST, "once"],
  },
  doctor: { help: "Check what is set up, reachable and missing, and how to fix it.", options: LIST },
  policy: { help: "Run the tests in the approval policy.", options: ["data", "json"], operand: "test" },
  audit: {
    help: "Show the audit log: approvals, changes and sign-ins, without contents.",
    options: ["data", "json", "since", "actor", "action", "session", "limit", "follow"],
  },
  "audit verify": {
    help: "Check that no entry of the audit log was changed, added or removed.",
    options: ["data", "json", "from"],
  },
  backup: {
    help: "Save everything to one file. The server can keep running.",
    options: ["data", "force"],
    operand: "FILE",
  },
  "backup verify": {
    help: "Check a backup, and say what it contains and what of that was deleted since.",
    options: ["data", "json"],
    operand: "FILE",
  },
  restore: {
    help: "Load a backup into an empty database.",
    options: ["data", "force"],
    operand: "FILE",
  },
  migrate: {
    help: "Copy everything to the PostgreSQL database at --to URL.",
    options: ["data", "force", "to"],
    requires: "to",
  },
  replay: {
    help: "Play a recording made with --record again, and show what differs.",
    options: ["data", "json", "model", "allow-tool", "speed", "tools"],
    operand: "FILE",
  },
  help: { help: "Show this help.", options: [] },
  version: { help: "Show the version.", options: [] },
} as const satisfies Record<string, Command>;
export type CommandName = keyof typeof COMMANDS;

/** Options that cannot be given together. */
export const EXCLUSIVE: readonly (readonly [OptionName, OptionName])[] = [
  ["continue", "resume"],
  ["record", "server"],
  ["trust", "server"],
];

/** A row of the command table, with the fields that only some rows have. */
export function rowOf(command: CommandName): Command {
  return COMMANDS[command];
}

/** The name of a command as a person types it. */
export function typed(command: CommandName): string {
  return command === "print" ? "tackle -p" : `tackle ${command}`;
}
