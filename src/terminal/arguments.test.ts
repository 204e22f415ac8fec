import { describe, expect, it } from "vitest";
import { parseCommandLine } from "./arguments.ts";

describe("the command line", () => {
  it("is the chat when nothing is said", () => {
    expect(parseCommandLine([])).toMatchObject({ command: "chat" });
    expect(parseCommandLine(["chat", "-c", "--model", "zai/glm-4.6"])).toMatchObject({
      command: "chat",
      resume: "last",
      model: "zai/glm-4.6",
    });
  });

  it("takes every option of the contract", () => {
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
    expect(parseCommandLine(["-h"]).command).toBe("help");
    expect(parseCommandLine(["serve", "--help"]).command).toBe("help");
    expect(parseCommandLine(["-v"]).command).toBe("version");
  });

  it("takes any text after -p as the prompt", () => {
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

  it.each([
    [["sing"], "there is no command sing."],
    [["--loud"], "there is no option --loud."],
    [["serve", "--json"], "--json means nothing to tackle serve."],
    [["chat", "--port", "1"], "--port means nothing to tackle chat."],
    [["-p", "one", "two"], '"two" is one word too many.'],
    [["-c", "--resume", "x"], "-c and --resume exclude each other."],
    [["--resume"], "argument missing"],
  ])("says in one line what is wrong with %j", (argv, sentence) => {
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
