import { describe, expect, it } from "vitest";
import { redact, redactDeep } from "./redact.ts";
import { HARMLESS } from "./testing/harmless.ts";
import { madeUp } from "./testing/made-up.ts";
import { IN_CONTEXT, inContext, OTHER_KEYS, OWN_KEYS, otherKeys, ownKeys } from "./testing/secrets.ts";

const AROUND: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => `Incorrect API key provided: ${key}.`,
  (key) => `{"error":{"message":"bad key '${key}'"}}`,
  (key) => `https://host.example/v1?x=1&k=${key}`,
  (key) => `headers: { "x-key": "${key}" }\nnext line`,
  (key) => `{"body":"first\\n${key}\\nlast"}`,
  (key) => `?q=%22${key}%22&r=1`,
  (key) => `\u001b[1;31m${key}\u001b[0m`,
];

describe("keys", () => {
  it.each(OWN_KEYS)("of our own providers are always removed: %s", (key) => {
    for (const around of AROUND) expect(redact(around(key))).not.toContain(key.slice(8));
  });

  it.each(OTHER_KEYS)("of other vendors are removed: %s", (key) => {
    expect(redact(`The call failed with ${key} in it.`)).not.toContain(key.slice(8));
  });

  it.each(IN_CONTEXT)("are removed from: %s", (text, secret) => {
    expect(redact(text)).not.toContain(secret);
  });

  it("are removed, whatever letters they consist of", () => {
    const seeds = Array.from({ length: 40 }, (_, seed) => madeUp(seed + 100));
    const kept = (texts: readonly (readonly [string, string])[]) =>
      texts.filter(([text, secret]) => redact(text).includes(secret)).map(([text]) => text);
    expect(kept(seeds.flatMap((made) => ownKeys(made).map((key) => [`key ${key}!`, key] as const)))).toEqual(
      [],
    );
    expect(
      kept(seeds.flatMap((made) => otherKeys(made).map((key) => [`key ${key}!`, key] as const))),
    ).toEqual([]);
    const leaks = seeds.flatMap((made) => inContext(made));
    expect(kept(leaks).length / leaks.length).toBeLessThanOrEqual(0.005);
  });

  it("leave the sentence around them unchanged", () => {
    expect(redact(`OpenAI says: Incorrect API key provided: ${OWN_KEYS[2]}. Check it.`)).toBe(
      "OpenAI says: Incorrect API key provided: [key]. Check it.",
    );
    expect(redact("postgres://app:s3cr3t@db:5432/app did not answer")).toBe(
      "postgres://[credentials]@db:5432/app did not answer",
    );
  });
});

describe("harmless text", () => {
  it.each(HARMLESS)("stays: %s", (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe("personal data", () => {
  it.each([
    "jane.doe@example.com",
    "jane+list@mail.example.co.uk",
    "o'neil@example.org",
    "JANE@EXAMPLE.COM",
    "jürgen@müller.de",
    "a_b-c@sub.domain.example",
    "jane%40example.com",
    "jane [at] example.com",
    "+49 171 1234567",
    "+491711234567",
    "+1 (415) 555-2671",
    "+1-415-555-2671",
    "+44 20 7946 0958",
    "+33 6 12 34 56 78",
    "+81 3-1234-5678",
    "0049 171 1234567",
    "(415) 555-2671",
    "415-555-2671",
    "1-800-555-0199".replace("555", "555"),
    "06 12 34 56 78",
    "0171 2345678",
    "030/12345678",
    "020 7946 0958",
    "07911 123456",
    "4111 1111 1111 1111",
    "4111111111111111",
    "5555-5555-5555-4444",
    "378282246310005",
    "6011111111111117",
    "DE89 3704 0044 0532 0130 00",
    "GB82WEST12345698765432",
    "FR1420041010050500013M02606",
    "078-05-1120",
    "219-09-9999",
  ])("does not stay: %s", (value) => {
    expect(redact(`Could not save ${value} for the customer.`)).not.toContain(value);
  });

  it.each([
    ["passport number: C01X00T47", "C01X00T47"],
    ["phone: 5552671890", "5552671890"],
    ["tel. 4155552671".replace("tel.", "tel:"), "4155552671"],
    ["SSN 078051120", "078051120"],
    ["date of birth: 1990-04-12", "1990-04-12"],
    ["driver's license: D1234567", "D1234567"],
  ])("does not stay where its name is beside it: %s", (text, value) => {
    expect(redact(text)).not.toContain(value);
  });

  it("stays whole in a random string that happens to spell its name", () => {
    const address =
      "http://localhost:35783/authorize?code_challenge=VLD_W6r_3xUcQGmem-Dob7hT2kQ90rXw3LmZs41a&x=1";
    expect(redact(`Authorize it at ${address}.`)).toContain("Dob7hT2kQ90rXw3LmZs41a");
  });
});

describe("paths of this machine", () => {
  it.each([
    "/home/jane/notes.txt",
    "/Users/jane/Library/x",
    "/root/.ssh/id_rsa",
    "/etc/passwd",
    "/var/lib/app/data.db",
    "/tmp/upload-1",
    "/opt/tool/bin",
    "/workspace/project/src/index.ts:12:34",
    "/srv/www/site/index.php",
    "/proc/self/environ",
    "/nonstandard/place/module.js:1:2",
    "C:\\Users\\Jane\\notes.txt",
    "C:\\Program Files\\nodejs\\node.exe",
    "C:/Users/Jane/x",
    "D:\\data",
    "\\\\server\\share\\file.docx",
    "file:///home/jane/x.ts",
    "file:///C:/Users/jane/x.ts",
  ])("do not stay: %s", (path) => {
    for (const text of [
      `Could not open ${path} today.`,
      `ENOENT: no such file or directory, open '${path}'`,
    ]) {
      expect(redact(text)).not.toMatch(
        /jane|Users|etc|var|opt|srv|proc|Program|share|data\b|module|index|upload|root/i,
      );
    }
  });

  it("are removed if they contain spaces", () => {
    expect(redact("open '/Users/Jane Doe/My Files/a.txt'")).toBe("open '[path]'");
    expect(redact("at /Users/Jane Doe/Documents/a.txt now")).not.toMatch(/Jane|Doe|Documents/);
  });
});

describe("stack traces", () => {
  it.each([
    [
      "V8",
      "TypeError: x is not a function\n    at run (/home/a/b.js:1:2)\n    at async Promise.all (index 0)\n    at node:internal/x:3:4",
    ],
    [
      "V8 on one line",
      "TypeError: x is not a function at run (/home/a/b.js:1:2) at go (file:///a/c.mjs:3:4)",
    ],
    ["escaped V8", "TypeError: x is not a function\\n    at run (/a/b.js:1:2)\\n    at go (/a/c.js:3:4)"],
    [
      "Python",
      'Traceback (most recent call last):\n  File "/a/b.py", line 3, in run\n    go()\n  File "c.py", line 9, in go\n    raise X\nTypeError: x is not a function',
    ],
    [
      "Java",
      "TypeError: x is not a function\n\tat com.example.Main.run(Main.java:12)\n\tat com.example.Main.main(Main.java:3)\n\t... 12 more",
    ],
    [".NET", "TypeError: x is not a function\n   at App.Run() in C:\\src\\App.cs:line 12"],
    ["Ruby", "TypeError: x is not a function\n\tfrom /a/b.rb:3:in `run'"],
    ["PHP", "TypeError: x is not a function\nStack trace:\n#0 /a/b.php(12): run()\n#1 {main}"],
    ["Go", "TypeError: x is not a function\ngoroutine 1 [running]:\nmain.main()\n\t/a/b.go:12 +0x1d"],
    [
      "Firefox",
      "TypeError: x is not a function\nrun@https://host.example/b.js:1:2\ngo@https://host.example/c.js:3:4",
    ],
  ])("are gone, and the sentence stays: %s", (_, text) => {
    expect(redact(text).trim()).toBe("TypeError: x is not a function");
  });
});

describe("redacting", () => {
  it("changes nothing the second time", () => {
    for (const text of [...IN_CONTEXT.map(([one]) => one), ...OWN_KEYS])
      expect(redact(redact(text))).toBe(redact(text));
  });

  it("redacts values for the log, within bounds, and never throws", () => {
    const loop: Record<string, unknown> = {
      message: `key ${OWN_KEYS[0]}`,
      password: "x",
      list: [OWN_KEYS[5]],
    };
    loop.self = loop;
    Object.defineProperty(loop, "nested", { enumerable: true, value: { accessToken: "abc", count: 3 } });
    expect(redactDeep(loop)).toEqual({
      message: "key [key]",
      password: "[secret]",
      list: ["[key]"],
      self: "[again]",
      nested: { accessToken: "[secret]", count: 3 },
    });
    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    expect(redactDeep(trap)).toBe("[withheld]");
    expect(redactDeep(new Error(`at ${OWN_KEYS[0]}`))).toEqual({ name: "Error", message: "at [key]" });
  });
});

describe("keys and tokens made of letters", () => {
  it.each([
    ["sk-abcdefghijklmnopqrstuvwx", "[key]"],
    ["sk-test-mysecretkey", "[key]"],
    ["sk-live-abcdefgh", "[key]"],
    ["sk-abc12345", "[key]"],
    ["Bearer mysecrettoken", "Bearer [credentials]"],
  ])("%s is removed", (text, removed) => {
    expect(redact(`the call with ${text} failed`)).toBe(`the call with ${removed} failed`);
  });

  it.each([
    "sk-learn is a library",
    '<div class="sk-fading-circle">',
    "sk-test-your-key-here",
    "Bearer authentication failed",
    "a Bearer token is required",
    "PWD=/usr/local",
    "OLDPWD=/srv/app",
  ])("%s stays", (text) => expect(redact(text)).toBe(text));
});

describe("an address at which a person authorizes us", () => {
  const request = (more = "", client = "Xk39dkLs93kdlsk3QpZt81mN") =>
    `authorize it at https://login.example/authorize?response_type=code&client_id=${client}&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&redirect_uri=http%3A%2F%2F127.0.0.1%3A8787%2Fmcp%2Foauth%2Fcallback&state=n0Hq2v9xkQwLr3m8zT4cB1sDfGhJkLpOiUyTrEwQaZx${more}.`;

  it("stays whole, so that it can be opened", () => {
    for (const text of [request(), request("&scope=read&resource=https%3A%2F%2Fmcp.example%2Fmcp")])
      expect(redact(text)).toBe(text);
  });

  it.each([
    request("&client_secret=Xk39dkLs93kdlsk3QpZt81mN"),
    request("&access_token=Xk39dkLs93kdlsk3QpZt81mN"),
    request("&code=Xk39dkLs93kdlsk3QpZt81mN"),
    request("", "sk-ant-api03-Xk39dkLs93kdlsk3QpZt81mNXk39dkLs93kdlsk3QpZt81mN"),
  ])("hides no secret: %s", (text) => expect(redact(text)).toMatch(/\[(?:secret|key)\]/));
});

describe("a text of more than half a million characters", () => {
  const text = "word ".repeat(100_000);

  it("is cut, and says so", () => {
    expect(redact(text)).toBe(text);
    expect(redact(`${text}rest`)).toBe(`${text}\n[… cut]`);
  });

  it("is not cut within a character", () => {
    expect(redact(`${text.slice(1)}😀 rest`).isWellFormed()).toBe(true);
  });
});

describe("headers", () => {
  it.each([
    ["Authorization: Bearer aB3dE5gH7jK9 # staging", "Authorization: Bearer [credentials] # staging"],
    ["Authorization: Digest username=x9, nonce=abc123", "Authorization: Digest [credentials]"],
    ["Authorization: getToken(request)", "Authorization: getToken(request)"],
    ["authorization: required for all routes", "authorization: required for all routes"],
    ["Cookie: sid=8fj20sk4lq91; theme=dark", "Cookie: [credentials]"],
    ["Cookie: see the policy", "Cookie: see the policy"],
    ["Use Bearer AbcdefgHijklmnopQr for it", "Use Bearer [credentials] for it"],
    ["Use Bearer authentication for it", "Use Bearer authentication for it"],
  ])("%s becomes %s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });
});
