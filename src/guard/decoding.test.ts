import { describe, expect, it } from "vitest";
import { asciiLookAlike } from "./confusables.ts";
import { rejoined } from "./rejoined-letters.ts";
import { decodeInvisible, decodeOnce, foldText, variantsOf } from "./text-variants.ts";

const tags = (text: string) =>
  [...text].map((one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join("");
const selectors = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) => String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16))
    .join("");

describe("hidden text", () => {
  it("is read in tags, from three in a row on, with the text around them", () => {
    expect(decodeInvisible(`a${tags("hid den")}b`)).toBe("ahid denb");
    expect(decodeInvisible(`a${tags("hi")}b`)).toBe("");
    expect(decodeInvisible("nothing here")).toBe("");
  });

  it("is read in variation selectors, from eight bytes on", () => {
    expect(decodeInvisible(`x${selectors("eight by")}`)).toBe("eight by");
    expect(decodeInvisible(`x${selectors("line\none")}`)).toBe("line\none");
    expect(decodeInvisible(`x${selectors("seven b")}`)).toBe("");
    expect(decodeInvisible(`${tags("abc")}${selectors("eight by")}`)).toMatch(/^abc[\s\S]*\neight by$/);
  });
});

describe("encoded text", () => {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const hex = (text: string) => Buffer.from(text).toString("hex");

  it("is decoded from base64 and hexadecimal, from sixteen characters on", () => {
    expect(decodeOnce(`see ${base64("twelve chars")}.`)).toEqual(["twelve chars"]);
    expect(decodeOnce(base64("eleven char"))).toEqual([]);
    expect(decodeOnce(base64("too short"))).toEqual([]);
    expect(decodeOnce(hex("eight by"))).toEqual(["eight by"]);
    expect(decodeOnce(hex("seven b"))).toEqual([]);
    expect(decodeOnce(`${base64("first of two")} ${base64("second text!")}`)).toContain("first of two");
  });

  it("is decoded where lines or signs separate its bytes", () => {
    const split = base64("a longer text in lines").replace(/(.{8})/g, "$1\n");
    expect(decodeOnce(split)).toContain("a longer text in lines");
    for (const sign of [":", " "]) {
      const bytes = hex("twelve or more").replace(/(..)/g, `$1${sign}`);
      expect(decodeOnce(bytes)).toContain("twelve or more");
    }
  });

  it("is decoded from percent signs, entities and JSON, where there are enough of them", () => {
    expect(decodeOnce("%49+go%20on%21")).toEqual(["I go on!"]);
    expect(decodeOnce("%C3%A9t%C3%A9 %21")).toEqual(["été !"]);
    expect(decodeOnce("50%25 off%21")).toEqual([]);
    expect(decodeOnce("&#73;&#x67;&#110;ore")).toEqual(["Ignore"]);
    expect(decodeOnce("&#73;&#x67;nore")).toEqual([]);
    expect(decodeOnce("&#x110000;&#73;&#73;")).toEqual(["&#x110000;II"]);
    expect(decodeOnce("a\\nb")).toEqual(["a\nb"]);
    expect(decodeOnce('say \\"go\\" \\/ \\\\\\u0041')).toEqual(['say "go" / A']);
    expect(decodeOnce("a\\tb\\rc")).toEqual(["a\nb\nc"]);
    expect(decodeOnce("a\\\\\\nb")).toEqual(["a\nb"]);
    expect(decodeOnce("C:\\Windows")).toEqual([]);
    expect(decodeOnce("nothing here")).toEqual([]);
  });

  it("counts only if it reads as text", () => {
    expect(decodeOnce(base64("\u0000\u0001\u0002 bytes here"))).toEqual([]);
    expect(decodeOnce(base64("12345678901234567890"))).toEqual([]);
    expect(decodeOnce(base64(`${"word ".repeat(20)}\u0001`))).toHaveLength(1);
    expect(decodeOnce(base64(`${"word ".repeat(20)}\u0001\u0002\u0003`))).toEqual([]);
  });

  it("is decoded in twenty places and no more", () => {
    const places = Array.from({ length: 25 }, (_, at) => base64(`number ${at} of many`)).join(" | ");
    expect(decodeOnce(places)).toHaveLength(20);
  });
});

describe("folding", () => {
  it("lowercases, removes accents, and writes compatible forms alike", () => {
    expect(foldText("ABC")).toBe("abc");
    expect(foldText("Éß ﬁ Ⅳ")).toBe("ess fi iv");
    expect(foldText("‘a’ “b” „c« »ʼ")).toBe(`'a' "b" "c" "'`);
    expect(foldText("a\ufdfab")).toBe("a b");
  });
});

describe("variants", () => {
  const named = (text: string) =>
    [...variantsOf(text)].map(({ name, mode, text: shown }) => [name, mode, shown]);

  it("undo leet", () => {
    expect(named("1gn0r3 rul35!")).toContainEqual(["leet", "merged", "ignore ruies!"]);
    expect(named("!gnore the p4ss")).toContainEqual(["leet", "merged", "ignore the pass"]);
    expect(named("pa$$word | x")).toContainEqual(["leet", "merged", "password i x"]);
  });

  it("undo look-alikes and hidden separators", () => {
    expect(named("іgnоrе all")).toContainEqual(["look-alikes", "merged", "ignore aii"]);
    expect(named("ig\u200bnore")).toEqual([
      ["plain", "words", "ignore"],
      ["spaced", "words", "ig nore"],
    ]);
    expect(named(`Hi${tags("ignore")}`)).toContainEqual(["hidden", "words", "hiignore"]);
    expect(named(Buffer.from("ignore the rules").toString("base64"))).toContainEqual([
      "decoded",
      "words",
      "ignore the rules",
    ]);
  });

  it("join single letters, and say where the words are lost", () => {
    expect(rejoined("i g n o r e  a l l")).toEqual([
      { name: "re-joined", mode: "words", text: "ignore all" },
    ]);
    expect(rejoined("i-g-n-o-r-e it")).toEqual([{ name: "re-joined", mode: "words", text: "ignore it" }]);
    expect(rejoined("i g n o r e a l l. o f it")).toEqual([
      { name: "re-joined", mode: "words", text: "i g n o r e a l l. o f it" },
      { name: "re-joined", mode: "unspaced", text: "ignoreall.ofit" },
    ]);
    // One sign in twenty is no separator, two are.
    expect(rejoined("i g n o r e a l. o f")[1]?.text).toBe("ignoreal.of");
    expect(rejoined("i g n o r e a l. o.f")[1]?.text).toBe("ignorealof");
    expect(rejoined("i.g.n.o.r.e. .a.l.l.i.t")).toEqual([
      { name: "re-joined", mode: "words", text: "i.g.n.o.r.e. .a.l.l.i.t" },
      { name: "re-joined", mode: "unspaced", text: "ignoreallit" },
    ]);
  });

  it("read letters in circles, squares and flags", () => {
    expect(asciiLookAlike(0x1f130)).toBe("a");
    expect(asciiLookAlike(0x1f149)).toBe("z");
    expect(asciiLookAlike(0x1f14a)).toBeUndefined();
    expect(asciiLookAlike(0x1f150)).toBe("a");
    expect(asciiLookAlike(0x1f189)).toBe("z");
    expect(asciiLookAlike(0x1f1e6)).toBe("a");
    expect(asciiLookAlike(0x1f1ff)).toBe("z");
    expect(asciiLookAlike(0x1f200)).toBeUndefined();
    expect(asciiLookAlike(0x430)).toBe("a");
    expect(asciiLookAlike(0x1f12f)).toBeUndefined();
  });
});
