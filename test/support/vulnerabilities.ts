/** A class of vulnerability known from similar software, and the tests that prevent it here. */
export interface Vulnerability {
  name: string;
  /** Test files and the exact titles of the tests in them. */
  proofs: readonly (readonly [file: string, title: string])[];
}

const ADDRESSES = "test/vulnerabilities-addresses.test.ts";
const PEOPLE = "test/vulnerabilities-people.test.ts";
const AGENT = "test/vulnerabilities-agent.test.ts";
const OWNERSHIP = "test/ownership.test.ts";
const CLOSED = "cannot be read or changed by other users on any route";
const SHUT_OUT = "cannot be read or changed with invalid credentials on any route";

/** Every class in the order of `docs/security.md`. */
export const VULNERABILITIES: readonly Vulnerability[] = [
  {
    name: "cloud metadata address embedded in an IPv6 address",
    proofs: [
      ["src/contain/fetch-attacks.test.ts", "IPv4 addresses embedded in IPv6 addresses open no connection"],
      [ADDRESSES, "no spelling of a local address reaches a listener on this machine"],
    ],
  },
  {
    name: "reading another user's event stream",
    proofs: [
      [OWNERSHIP, CLOSED],
      [PEOPLE, "only the owner can follow a live run"],
    ],
  },
  {
    name: "a request without a body crashes the process",
    proofs: [[PEOPLE, "a missing or malformed body gets a response and never crashes the server"]],
  },
  {
    name: "argument injection into MCP stdio servers",
    proofs: [
      [
        "src/tools/mcp/hostile.test.ts",
        "starts without a shell, with unchanged arguments, in the folder of the file, without our environment",
      ],
      ["src/tools/mcp/settings.test.ts", "puts a variable into one argument, whatever it contains"],
    ],
  },
  {
    name: "path traversal on the host through a file name from the sandbox",
    proofs: [
      ["src/contain/command.test.ts", "a link that it plants does not mislead the host's file tool"],
      [PEOPLE, "an upload's name cannot point outside the file store"],
    ],
  },
  {
    name: "redirects not checked again",
    proofs: [
      [
        "src/contain/fetch.test.ts",
        "to a name that resolves to a private address, to another scheme or with credentials are not followed",
      ],
      [
        "src/tools/mcp/remote.test.ts",
        "cannot redirect us elsewhere, neither from its own URL nor from its authorization metadata (%s)",
      ],
    ],
  },
  {
    name: "URL validator and fetcher parse differently",
    proofs: [[ADDRESSES, "no spelling of a local address reaches a listener on this machine"]],
  },
  {
    name: "continuing another user's chat by id",
    proofs: [
      [OWNERSHIP, CLOSED],
      [PEOPLE, "an idempotency key is separate for each person"],
    ],
  },
  { name: "ownership of child objects not checked", proofs: [[OWNERSHIP, CLOSED]] },
  {
    name: "deleting another user's files",
    proofs: [
      [OWNERSHIP, CLOSED],
      [
        "test/files.test.ts",
        "is the only user who may list, attach and delete it, and deleting the account deletes it",
      ],
    ],
  },
  {
    name: "a read-only user writes through another channel",
    proofs: [[AGENT, "denies a call on every channel"]],
  },
  {
    name: "an alternative auth header bypasses scope checks",
    proofs: [
      ["test/accounts.test.ts", "lets an API key use the server, but not create keys or administer"],
      [PEOPLE, "a key in another header or place grants nothing more"],
    ],
  },
  {
    name: "auth header that a client can forge",
    proofs: [
      [OWNERSHIP, CLOSED],
      [PEOPLE, "headers cannot claim another identity"],
    ],
  },
  {
    name: "API key of a suspended user still works",
    proofs: [
      [OWNERSHIP, SHUT_OUT],
      ["test/accounts.test.ts", "ends a suspended user's stream, run and upstream request at once"],
    ],
  },
  {
    name: "SSRF through a template or a single unchecked path",
    proofs: [
      [ADDRESSES, "the server opens no address from any part of a request"],
      [ADDRESSES, "the server does not ask vendors to open internal addresses"],
      [
        "src/tools/openapi/tools.test.ts",
        "is fetched, and calls go to its own host, but not to another host inside our network",
      ],
      ["src/tools/mcp/remote.test.ts", "cannot send us to an authorization URL inside our network"],
    ],
  },
  {
    name: "no Host/Origin check on a local server",
    proofs: [
      ["src/http/access.test.ts", "on loopback the foreign host name %s is refused"],
      ["src/http/access.test.ts", "a page of another site cannot change anything"],
      ["test/mcp.test.ts", "refuses requests from pages of other sites"],
    ],
  },
  {
    name: "escape through symlinks or folders with the same prefix",
    proofs: [
      ["src/contain/paths.test.ts", "a folder whose name only begins like the root is outside"],
      ["src/contain/paths.test.ts", "a hard link to a file outside is neither read nor written"],
      ["src/contain/command.test.ts", "a root that it replaces by a link opens nothing"],
    ],
  },
  {
    name: "argument injection into git",
    proofs: [
      [
        "test/vulnerabilities.test.ts",
        "only known files start programs, and git only where it starts none itself",
      ],
    ],
  },
  {
    name: "transport reuse leaks data to another client",
    proofs: [
      ["test/mcp.test.ts", "answers two callers at the same time without mixing them up"],
      [
        "test/mcp.test.ts",
        "requires authentication with accounts, and hides one person's session from another",
      ],
      [PEOPLE, "concurrent answers over one vendor connection reach the right person"],
    ],
  },
  {
    name: "deny rule bypassed by a symlink",
    proofs: [
      [AGENT, "denies a path under every other spelling"],
      ["src/guard/policy.test.ts", "deny a path however it is spelled: %s"],
    ],
  },
  {
    name: "a missing config file is created from inside the sandbox",
    proofs: [
      [
        "src/contain/command.test.ts",
        "no command runs while a protected file is missing and could be created",
      ],
      [AGENT, "cannot change the rules for its own approvals"],
    ],
  },
  {
    name: "settings in a project folder take effect before the user trusts it",
    proofs: [[AGENT, "is opened without reading, running or obeying anything in it"]],
  },
  {
    name: "a changed base URL leaks the key",
    proofs: [[ADDRESSES, "the server's vendor key is sent only to the server's configured address"]],
  },
  {
    name: "shell built-ins bypass an allowlist",
    proofs: [
      ["src/guard/policy.test.ts", "do not allow more than one plain command: %j"],
      ["src/terminal/allow.test.ts", "covers nothing beyond the prefix: %j"],
    ],
  },
  {
    name: "the agent turns off its own approvals",
    proofs: [
      [AGENT, "cannot change the rules for its own approvals"],
      ["src/app/config.test.ts", "keep the policy out of the reach of tools"],
    ],
  },
  {
    name: "NUL character in a host name",
    proofs: [[ADDRESSES, "no spelling of a local address reaches a listener on this machine"]],
  },
];
