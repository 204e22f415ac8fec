import { describe, expect, it } from "vitest";
import { readMcpSettings } from "./settings.ts";

const read = (mcpServers: unknown, env: Record<string, string> = {}) =>
  readMcpSettings(JSON.stringify({ mcpServers }), { env, folder: "/data" });

/** The syntax for a variable in the file. */
const variable = (name: string) => `$\{${name}}`;

describe("the MCP settings file", () => {
  it("is read in the format of other hosts, whose own keys are ignored", () => {
    const { servers, problems } = read({
      files: { command: "npx", args: ["-y", "server"], env: { A: "1" }, autoApprove: ["x"] },
      search: { type: "streamable-http", url: "https://mcp.example.com/mcp", headers: { "X-Key": "k" } },
      old: { type: "sse", url: "http://127.0.0.1:3000/sse" },
    });
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([
      { name: "files", kind: "local", command: "npx", args: ["-y", "server"], env: { A: "1" }, cwd: "/data" },
      { name: "search", kind: "remote", transport: "http", headers: { "X-Key": "k" } },
      { name: "old", kind: "remote", transport: "sse" },
    ]);
  });

  it("reads only the environment variables that it names", () => {
    const { servers } = read(
      {
        a: {
          url: "https://x.example/mcp",
          headers: { Authorization: `Bearer ${variable("TOKEN")}`, Other: `$HOME ${variable("B:-b")}` },
        },
      },
      { TOKEN: "secret", HOME: "/root" },
    );
    expect(servers[0]).toMatchObject({ headers: { Authorization: "Bearer secret", Other: "$HOME b" } });
  });

  it("puts a variable into one argument, whatever it contains", () => {
    const { servers } = read(
      { a: { command: "x", args: [`--name=${variable("N")}`] } },
      { N: "a b; rm -rf / --evil" },
    );
    expect(servers[0]).toMatchObject({ args: ["--name=a b; rm -rf / --evil"] });
  });

  it("skips a broken entry with a line that names it and the problem, and keeps the others", () => {
    const { servers, problems } = read({
      noCommand: {},
      badArgs: { command: "x", args: "y" },
      missing: { command: "x", env: { K: variable("NOT_SET") } },
      "!!": { command: "x" },
      "built-in": { command: "x" },
      ftp: { url: "ftp://x" },
      "good one": { command: "x" },
      good_one: { command: "x" },
      off: { command: "x", disabled: true },
    });
    expect(servers.map(({ name }) => name)).toEqual(["good_one"]);
    expect(problems).toHaveLength(7);
    expect(problems[1]).toContain('"badArgs" is not started: args');
    expect(problems[2]).toContain("the variable NOT_SET is not set");
    expect(problems[6]).toContain("another server is called good_one already");
  });

  it("reports that it is not JSON, without repeating what may be a secret", () => {
    const { servers, problems } = readMcpSettings('{"mcpServers": {"a": {"env": {"KEY": "sk-secret"', {
      env: {},
      folder: "/",
    });
    expect(servers).toEqual([]);
    expect(problems).toEqual(["The file of MCP servers is not JSON, so none is started."]);
  });
});
