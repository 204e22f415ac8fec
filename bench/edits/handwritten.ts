import type { EditCase } from "./case.ts";

function applied(kind: string, before: string, oldText: string, newText: string, expected: string): EditCase {
  return { kind, before, args: { oldText, newText }, expected };
}

function refused(before: string, oldText: string, newText = "replaced"): EditCase {
  return { kind: "refuse: handwritten", before, args: { oldText, newText }, expected: undefined };
}

const PYTHON = `class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("not enough money")
        self.balance -= amount
`;
const MAKEFILE = "build: clean\n\tmkdir -p dist\n\tnode build.mjs\n\nclean:\n\trm -rf dist\n";
const YAML = "jobs:\n  test:\n    steps:\n      - run: npm ci\n      - run: npm test\n";

/** Edits that went wrong somewhere, written by hand. */
export const HANDWRITTEN: readonly EditCase[] = [
  applied(
    "handwritten",
    PYTHON,
    'def deposit(self, amount):\n    if amount <= 0:\n        raise ValueError("amount must be positive")',
    'def deposit(self, amount):\n    if amount <= 0:\n        raise ValueError("amount must be positive")\n    if amount > LIMIT:\n        raise ValueError("too much")',
    PYTHON.replace(
      'positive")\n',
      'positive")\n        if amount > LIMIT:\n            raise ValueError("too much")\n',
    ),
  ),
  applied(
    "handwritten",
    MAKEFILE,
    "    mkdir -p dist\n    node build.mjs",
    "    mkdir -p dist\n    npm ci\n    node build.mjs",
    MAKEFILE.replace("\tnode", "\tnpm ci\n\tnode"),
  ),
  applied(
    "handwritten",
    YAML,
    "- run: npm ci\n- run: npm test",
    "- run: npm ci\n- run: npm run check\n- run: npm test",
    YAML.replace("      - run: npm test", "      - run: npm run check\n      - run: npm test"),
  ),
  applied(
    "handwritten",
    "A line with a hard break.  \nThe next one.\n",
    "A line with a hard break.\nThe next one.",
    "A line with a hard break.\nAnother one.",
    "A line with a hard break.  \nAnother one.\n",
  ),
  applied("handwritten", "const pattern = /a$/;\n", "/a$/", "/$&$1$`b$/", "const pattern = /$&$1$`b$/;\n"),
  applied(
    "handwritten",
    "const path = 'C:\\\\new\\\\table';\n",
    "'C:\\\\new\\\\table'",
    "'C:\\\\old'",
    "const path = 'C:\\\\old';\n",
  ),
  applied("handwritten", "say('👩‍👩‍👧 hi');\n", "👩‍👩‍👧 hi", "👨‍👦 hello", "say('👨‍👦 hello');\n"),
  applied("handwritten", "title: שלום\nname: x\n", "name: x", "name: y", "title: שלום\nname: y\n"),
  applied("handwritten", `${"x".repeat(50_000)};y\n`, ";y", ";z", `${"x".repeat(50_000)};z\n`),
  applied(
    "handwritten",
    "only line without an end",
    "only line without an end\n",
    "another line\n",
    "another line",
  ),
  applied("handwritten", "a\rb\rc", "b", "x", "a\rx\rc"),
  applied("handwritten", "a\n\fb\nc\n", "\fb", "\fd", "a\n\fd\nc\n"),
  applied(
    "handwritten",
    "<p>It’s “here” — now</p>\n",
    '<p>It\'s "here" - now</p>',
    '<p>It\'s "there" - now</p>',
    "<p>It’s “there” — now</p>\n",
  ),
  applied("handwritten", "const a = `one`;\n", "`one`", "`$$1`", "const a = `$$1`;\n"),
  applied(
    "handwritten",
    "if (a) {\n\tb();\n}\n",
    "if (a) {\n  b();\n}",
    "if (a) {\n  b();\n} else {\n  c();\n}",
    "if (a) {\n\tb();\n} else {\n\tc();\n}\n",
  ),
  applied("handwritten", "first\nsecond\n", "first\n", "", "second\n"),
  applied("handwritten", "a - b\n", "a - b", "a – b", "a – b\n"),
  applied("handwritten", "x = “a”\n", "x = “a”", 'x = "a"', 'x = "a"\n'),
  { kind: "handwritten", before: undefined, args: { oldText: "", newText: "new\n" }, expected: "new\n" },
  { kind: "handwritten", before: "a\nb\n", args: { old_string: "b", new_string: "c" }, expected: "a\nc\n" },
  {
    kind: "handwritten",
    before: "a\nb\n",
    args: {
      edits: [
        { old_str: "a", new_str: "1" },
        { old_string: "b", new_string: "2" },
      ],
    },
    expected: "1\n2\n",
  },
  {
    kind: "handwritten",
    before: "1\t2\t3\n4\t5\t6\n",
    args: { oldText: "4\t5\t6", newText: "4\t5\t7" },
    expected: "1\t2\t3\n4\t5\t7\n",
  },
  refused("a\nb\n", ""),
  refused("if (a) {\n  x();\n}\nif (b) {\n  x();\n}\n", "  x();\n}"),
  refused(PYTHON, "        self.balance = amount"),
  refused("const total = price * quantity;\n", "const total = price * quantities;"),
  refused("aaa\n", "aa"),
  refused("one\ntwo\n", "two\nthree"),
  refused("const a = 1;\n", "const a = 1;", "const a = 1;"),
  refused("line\\nwith an escape\n", "line\nwith an escape"),
  refused("return a&&b;\n", "return a&amp;&amp;b;"),
  refused("KEY=abc\n", "KEY=[secret hidden]"),
];
