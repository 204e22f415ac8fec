/** A class of hole that was open in software of this kind, and the tests that keep it closed here. */
export interface PastHole {
  hole: string;
  /** `file` and the title of the test in it, as it is written there. */
  proofs: readonly (readonly [file: string, title: string])[];
}

const ADDRESSES = "test/past-holes-addresses.test.ts";
const PEOPLE = "test/past-holes-people.test.ts";
const AGENT = "test/past-holes-agent.test.ts";
const OWNERSHIP = "test/ownership.test.ts";
const CLOSED = "stays closed to everybody else, on every route, and as it was";
const SHUT_OUT = "stays closed to whoever must not be let in at all, on every route, and as it was";

/** Each class, as `docs/security.md` lists them. */
export const PAST_HOLES: readonly PastHole[] = [
  {
    hole: "cloud metadata address embedded in an IPv6 address",
    proofs: [
      ["src/contain/fetch-attacks.test.ts", "IPv4 addresses inside IPv6 ones open no connection"],
      [ADDRESSES, "no spelling of an address reaches a listener on this machine"],
    ],
  },
  {
    hole: "reading another user's event stream",
    proofs: [
      [OWNERSHIP, CLOSED],
      [PEOPLE, "a live run is followed by its owner alone"],
    ],
  },
  {
    hole: "a request without a body crashes the process",
    proofs: [[PEOPLE, "a missing or broken body is an answer, never the end"]],
  },
  {
    hole: "argument injection into MCP stdio servers",
    proofs: [
      [
        "src/tools/mcp/hostile.test.ts",
        "with no shell, its arguments as they are, in the folder of the file, without our environment",
      ],
      ["src/tools/mcp/settings.test.ts", "puts a variable into one argument, whatever stands in it"],
    ],
  },
  {
    hole: "path traversal on the host through a file name from the sandbox",
    proofs: [
      ["src/contain/command.test.ts", "a link that it plants leads the host's file tool nowhere"],
      [PEOPLE, "the name of an upload leads nowhere"],
    ],
  },
  {
    hole: "redirects not checked again",
    proofs: [
      [
        "src/contain/fetch.test.ts",
        "to a name that resolves to a private address, to another scheme or with credentials are not followed",
      ],
      [
        "src/tools/mcp/remote.test.ts",
        "cannot send us elsewhere by a redirect, from its own address or from where it says how to be authorised (%s)",
      ],
    ],
  },
  {
    hole: "URL validator and fetcher parse differently",
    proofs: [[ADDRESSES, "no spelling of an address reaches a listener on this machine"]],
  },
  {
    hole: "continuing another user's chat by id",
    proofs: [
      [OWNERSHIP, CLOSED],
      [PEOPLE, "the same idempotency key is another one for another person"],
    ],
  },
  { hole: "ownership of child objects not checked", proofs: [[OWNERSHIP, CLOSED]] },
  {
    hole: "deleting another user's files",
    proofs: [
      [OWNERSHIP, CLOSED],
      [
        "test/files.test.ts",
        "is the only user who may list, attach and delete it, and deleting the account deletes it",
      ],
    ],
  },
  {
    hole: "a read-only user writes through another channel",
    proofs: [[AGENT, "what the policy denies is denied on every channel"]],
  },
  {
    hole: "an alternative auth header bypasses scope checks",
    proofs: [
      ["test/accounts.test.ts", "lets an API key use the server, but not create keys or administer"],
      [PEOPLE, "a key shown in another place opens nothing that it does not open in its own"],
    ],
  },
  {
    hole: "auth header that a client can forge",
    proofs: [
      [OWNERSHIP, CLOSED],
      [PEOPLE, "nobody is somebody by saying so"],
    ],
  },
  {
    hole: "API key of a suspended user still works",
    proofs: [
      [OWNERSHIP, SHUT_OUT],
      ["test/accounts.test.ts", "ends a suspended user's stream, run and upstream request at once"],
    ],
  },
  {
    hole: "SSRF through a template or a single unchecked path",
    proofs: [
      [ADDRESSES, "no address in a request is opened by us, wherever it stands"],
      [ADDRESSES, "no vendor in our network is asked to open an address of it either"],
      [
        "src/tools/openapi/tools.test.ts",
        "is fetched, and calls go to its own host; not to another one inside our network",
      ],
      ["src/tools/mcp/remote.test.ts", "cannot send us to an address inside our network to authorise at"],
    ],
  },
  {
    hole: "no Host/Origin check on a local server",
    proofs: [
      ["src/http/access.test.ts", "on loopback the foreign name %s is refused"],
      ["src/http/access.test.ts", "a page of another site cannot change anything"],
      ["test/mcp.test.ts", "refuses pages of other sites, and names that are not its own"],
    ],
  },
  {
    hole: "escape through symlinks or folders with the same prefix",
    proofs: [
      ["src/contain/paths.test.ts", "a folder whose name only begins like the root is outside"],
      ["src/contain/paths.test.ts", "a hard link to a file outside is neither read nor written"],
      ["src/contain/command.test.ts", "a root that it replaces by a link opens nothing"],
    ],
  },
  {
    hole: "argument injection into git",
    proofs: [["test/past-holes.test.ts", "no program is started but those that are known, and git is none"]],
  },
  {
    hole: "transport reuse leaks data to another client",
    proofs: [
      ["test/mcp.test.ts", "answers two callers at the same time without mixing them up"],
      [
        "test/mcp.test.ts",
        "with accounts: asks who it is, and one person's session does not exist for another",
      ],
      [PEOPLE, "answers of one connection go to whoever asked, also when they cross"],
    ],
  },
  {
    hole: "deny rule bypassed by a symlink",
    proofs: [
      [AGENT, "what is denied by its place stays denied by another name"],
      ["src/guard/policy.test.ts", "deny a place however it is spelled: %s"],
    ],
  },
  {
    hole: "a missing config file is created from inside the sandbox",
    proofs: [
      [
        "src/contain/command.test.ts",
        "no command runs while a file of ours is missing where one could be made",
      ],
      [AGENT, "cannot change what it is asked about"],
    ],
  },
  {
    hole: "settings in a project folder take effect before the user trusts it",
    proofs: [[AGENT, "is entered without reading, running or obeying anything in it"]],
  },
  {
    hole: "a changed base URL leaks the key",
    proofs: [[ADDRESSES, "the server's key goes to the server's address and nowhere else"]],
  },
  {
    hole: "shell built-ins bypass an allowlist",
    proofs: [
      ["src/guard/policy.test.ts", "do not allow more than one plain command: %j"],
      ["src/terminal/allow.test.ts", "does not cover more than the prefix shows: %j"],
    ],
  },
  {
    hole: "the agent turns off its own approvals",
    proofs: [
      [AGENT, "cannot change what it is asked about"],
      ["src/app/config.test.ts", "keep the policy out of the reach of tools"],
    ],
  },
  {
    hole: "NUL character in a host name",
    proofs: [[ADDRESSES, "no spelling of an address reaches a listener on this machine"]],
  },
];
