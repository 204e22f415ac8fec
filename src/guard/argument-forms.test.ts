import { describe, expect, it } from "vitest";
import { isSimpleCommand } from "../protocol/command-words.ts";
import { argumentForms } from "./argument-forms.ts";

describe("the forms of an argument", () => {
  it("of a command are its parts, and it is simple if it has only one", () => {
    expect(argumentForms("command", " ls -l ", [])).toEqual({
      equivalent: [" ls -l "],
      related: ["ls -l"],
      simple: true,
    });
    expect(argumentForms("command", "a; b&c |d\ne`f`(g)", [])).toEqual({
      equivalent: ["a; b&c |d\ne`f`(g)"],
      related: ["a; b&c |d\ne`f`(g)", "a", "b", "c", "d", "e", "f", "g", ""],
      simple: false,
    });
    for (const sign of [";", "&", "|", "`", "$", "(", ")", "<", ">", "\n", "\r", "\\"])
      expect(isSimpleCommand(`a ${sign} b`), sign).toBe(false);
  });

  it("of a path are without detours, from its root and in full", () => {
    expect(argumentForms("path", "docs/../.ENV", ["/home/ada/", "/tmp"])).toEqual({
      equivalent: ["docs/../.ENV", ".ENV"],
      related: [".ENV", "/home/ada/.ENV", ".ENV", ".env"],
      whole: "/home/ada/.ENV",
      simple: true,
    });
    expect(argumentForms("cwd", "/tmp/a//b/.", ["/home/ada", "/tmp"])).toEqual({
      equivalent: ["/tmp/a//b/.", "/tmp/a/b"],
      related: ["a/b", "/tmp/a/b", "a/b", "a/b"],
      whole: "/tmp/a/b",
      simple: true,
    });
    expect(argumentForms("file", "/home/ada", ["/home/ada"]).related[0]).toBe(".");
    expect(argumentForms("folder", "/home/adam", ["/home/ada"]).related[0]).toBe("/home/adam");
    expect(argumentForms("root", "../x", ["/home/ada"])).toMatchObject({ whole: "/home/x" });
    expect(argumentForms("directory", "a/../../x", [])).toMatchObject({ whole: "../x" });
    expect(argumentForms("directory", "../../x", [])).toMatchObject({ whole: "../../x" });
    expect(argumentForms("filename", "/../x", [])).toMatchObject({ whole: "/x" });
    expect(argumentForms("destination", "C:\\a\\b", ["/home"])).toMatchObject({ whole: "C:/a/b" });
    expect(argumentForms("destination", "\\a", ["/home"])).toMatchObject({ whole: "/a" });
    expect(argumentForms("path", "Cafe\u0301", []).related).toEqual([
      "Cafe\u0301",
      "Cafe\u0301",
      "Café",
      "café",
    ]);
  });

  it("of an address are without the user, as every client reads it", () => {
    expect(argumentForms("url", "HTTPS://u:p@Host/a/../b", [])).toEqual({
      equivalent: ["HTTPS://u:p@Host/a/../b", "https://host/b"],
      related: ["https://host/b"],
      simple: true,
    });
    expect(argumentForms("url", "https://Host.:444/a", []).related).toEqual(["https://host:444/a"]);
    expect(argumentForms("url", "https://host/a//b./c", []).related).toEqual(["https://host/a//b./c"]);
    expect(argumentForms("url", "no address", [])).toEqual({
      equivalent: ["no address"],
      related: [],
      simple: true,
    });
  });
});
