import { describe, expect, it } from "vitest";
import { parseCommandLine } from "./arguments.ts";
import { OPTIONS } from "./command-table.ts";
import { commandHelp, helpText } from "./help.ts";

describe("the command line", () => {
  it("starts the chat if there is no command", () => {
    expect(parseCommandLine([])).toMatchObject({ command: "chat" });
    expect(parseCommandLine(["chat", "-c", "--model", "zai/glm-4.6"])).toMatchObject({
      command: "chat",
      resume: "last",
      model: "zai/glm-4.6",
    });
  });

  it("accepts every option of the contract", () => {
    expect(parseCommandLine(["serve", "--port", "0", "--host", "::1", "--data", "/d"])).toMatchObject({
      command: "serve",
      port: "0",
      host: "::1",
      data: "/d",
    });
    expect(
      parseCommandLine([
        "--server",
        "http://h",
        "--resume",
        "s",
        "--allow-tool",
        "a",
        "--allow-tool",
        "b:c d",
      ]),
    ).toMatchObject({
      command: "chat",
      server: "http://h",
      resume: "s",
      allow: [
        { tool: "a", prefix: undefined },
        { tool: "b", prefix: "c d" },
      ],
    });
    for (const command of ["tools", "models", "doctor"]) {
      expect(parseCommandLine([command, "--json"])).toMatchObject({ command, json: true });
    }
    expect(parseCommandLine(["models", "check", "a/b", "c/d", "-y"])).toMatchObject({
      command: "models check",
      words: ["a/b", "c/d"],
      yes: true,
    });
    expect(parseCommandLine(["-h"]).command).toBe("help");
    expect(parseCommandLine(["serve", "--help"])).toMatchObject({ command: "help", topic: "serve" });
    expect(parseCommandLine(["help", "audit", "verify"])).toMatchObject({ topic: "audit verify" });
    expect(parseCommandLine(["-v"]).command).toBe("version");
    expect(parseCommandLine(["version"]).command).toBe("version");
  });

  it("accepts any text after -p as the prompt", () => {
    expect(parseCommandLine(["-p", "hello", "--json"])).toMatchObject({
      command: "print",
      prompt: "hello",
      json: true,
    });
    expect(parseCommandLine(["--json", "-p", "--dashes first"])).toMatchObject({ prompt: "--dashes first" });
    expect(parseCommandLine(["-p", "--json"])).toMatchObject({ prompt: "", json: true });
    expect(parseCommandLine(["-p", "serve"])).toMatchObject({ command: "print", prompt: "serve" });
    expect(parseCommandLine(["--print=a b"])).toMatchObject({ command: "print", prompt: "a b" });
  });

  it("reads the arguments of replay, migrate and policy", () => {
    expect(
      parseCommandLine(["replay", "a.jsonl", "--speed", "2", "--tools", "get_time, web_fetch"]),
    ).toMatchObject({ command: "replay", file: "a.jsonl", speed: 2, tools: ["get_time", "web_fetch"] });
    expect(parseCommandLine(["replay", "a.jsonl", "--tools", "live"])).toMatchObject({ tools: "live" });
    expect(parseCommandLine(["migrate", "--to", "postgres://h/d", "--force"])).toMatchObject({
      command: "migrate",
      to: "postgres://h/d",
      force: true,
    });
    expect(parseCommandLine(["policy", "test", "--json"])).toMatchObject({ command: "policy", json: true });
  });

  it.each([
    [["servr"], "there is no command servr. Do you mean tackle serve?"],
    [["sevre"], "there is no command sevre. Do you mean tackle serve?"],
    [
      ["models", "chekc"],
      '"chekc" is one word too many after tackle models. Do you mean tackle models check?',
    ],
    [["doctor", "now"], '"now" is one word too many after tackle doctor.'],
    [["serve", "--prot", "1"], "there is no option --prot. Do you mean --port?"],
    [["toString", "x"], "there is no command toString."],
    [["--loud"], "there is no option --loud."],
    [["serve", "--json"], "tackle serve has no option --json."],
    [["chat", "--port", "1"], "tackle chat has no option --port."],
    [["-p", "one", "two"], '"two" is one word too many.'],
    [["-c", "--resume", "x"], "--continue and --resume cannot be used together."],
    [["--record", "x", "--server", "http://h"], "--record and --server cannot be used together."],
    [["--record", ""], "--record needs the name of a file."],
    [["--resume"], "argument missing"],
    [["policy"], "the command is tackle policy test."],
    [["backup"], "tackle backup needs the name of a file."],
    [["migrate"], "--to needs a postgres:// address."],
    [["migrate", "--to", "mysql://h"], "--to needs a postgres:// address."],
    [["replay", "x", "--speed", "0"], "--speed needs a number above 0 and up to 1000."],
    [["replay", "x", "--tools", "a,,b"], "--tools needs recorded, live, or tool names"],
  ])("reports in one line what is wrong with %j", (argv, sentence) => {
    let message = "";
    try {
      parseCommandLine(argv);
    } catch (thrown) {
      message = String(thrown);
    }
    expect(message).toContain(sentence);
    expect(message).not.toContain("\n");
  });
});

describe("the help", () => {
  it("names every command and every option, on lines that fit a terminal", () => {
    const help = helpText();
    for (const name of Object.keys(OPTIONS)) expect(help).toContain(`--${name}`);
    for (const name of ["chat", "-p", "serve", "mcp", "policy test", "backup FILE", "migrate --to URL"])
      expect(help).toContain(`tackle ${name}`);
    expect(help.split("\n").filter((line) => line.length > 110)).toEqual([]);
  });

  it("names what one command takes, and nothing else", () => {
    const help = commandHelp("backup");
    for (const part of ["tackle backup FILE", "--data DIR", "--force", "tackle backup verify FILE"])
      expect(help).toContain(part);
    for (const part of ["--port", "tackle serve"]) expect(help).not.toContain(part);
  });
});
