import { expect, it } from "vitest";
import { commandLine, commandOf, pairsOf, pastedEntry } from "./source-entry.ts";

it.each([
  ["npx -y @scope/server /home/me/notes", "npx", ["-y", "@scope/server", "/home/me/notes"]],
  ["  uvx  'my server'  \"a b\" ", "uvx", ["my server", "a b"]],
  ['run --name="a b" --empty="" it\\ is', "run", ["--name=a b", "--empty=", "it is"]],
  [`run '{"a": 1}' "say \\"hi\\""`, "run", ['{"a": 1}', 'say "hi"']],
  ["C:\\tools\\server.exe it's", "C:\\tools\\server.exe", ["it's"]],
])("splits %s as a shell does, and writes it so that it stays the same", (line, command, args) => {
  expect(commandOf(line)).toEqual({ command, args });
  expect(commandOf(commandLine({ command, args }))).toEqual({ command, args });
});

it("takes variables in front of a command for it alone", () => {
  expect(commandOf("TOKEN='a b' MODE=x npx server A=b")).toEqual({
    command: "npx",
    args: ["server", "A=b"],
    env: { TOKEN: "a b", MODE: "x" },
  });
});

it("reads variables and headers line by line, and drops none that it cannot read", () => {
  expect(pairsOf("A=1=2\n\nexport B = 'two'\n", "=")).toEqual({ A: "1=2", B: "two" });
  expect(pairsOf("Authorization: Bearer a:b", ":")).toEqual({ Authorization: "Bearer a:b" });
  for (const line of ["Bearer abc", "=x", "Authorization Bearer: x"])
    expect(pairsOf(`A: b\n${line}`, ":")).toBeUndefined();
});

it("reads what pages about MCP servers print", () => {
  const entry = { command: "npx", args: ["-y", "server"], env: { KEY: "k" } };
  for (const root of [
    { mcpServers: { files: entry } },
    { servers: { files: entry } },
    { files: entry },
    entry,
  ])
    expect(pastedEntry(JSON.stringify(root))).toEqual(entry);
  const remote = { mcpServers: { far: { type: "http", url: "https://x.example/mcp" } } };
  expect(pastedEntry(JSON.stringify(remote))).toEqual({ url: "https://x.example/mcp" });
  for (const text of ["npx server", "{", "{}", '{"a":[]}']) expect(pastedEntry(text)).toBeUndefined();
});
