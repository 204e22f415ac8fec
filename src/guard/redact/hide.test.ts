import { describe, expect, it } from "vitest";
import type { ToolProgress } from "../../protocol/tool.ts";
import { createHidingStream, hideSecrets, hideSecretsInResult, hidingProgress } from "./hide.ts";
import { contextLeaks } from "./testing/contexts.ts";
import { madeUp } from "./testing/made-up.ts";
import { OWN_KEYS } from "./testing/secrets.ts";

const { base64, mixed } = madeUp(5);
const [key = ""] = OWN_KEYS;

function streamed(text: string, size: number): string {
  const stream = createHidingStream();
  let shown = "";
  for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
  return shown + stream.end();
}

describe("the output of a tool", () => {
  it("has its secrets replaced by marks that no program prints", () => {
    expect(hideSecrets(`OPENAI_API_KEY=${key}\nPORT=80`)).toBe("OPENAI_API_KEY=[key hidden]\nPORT=80");
    expect(hideSecrets("const value = table[key];")).toBe("const value = table[key];");
  });

  it("keeps personal data, paths and line numbers, which the model asked for", () => {
    const text = "jane@example.com wrote /home/jane/notes.txt at 12:30\n    at run (/app/x.js:1:2)";
    expect(hideSecrets(text)).toBe(text);
  });

  it("keeps the signatures of URLs that are meant to be shared, and no other secret in them", () => {
    const signed = `/files/file_1?exp=1795331954&sig=${mixed(43)} https://b.s3.amazonaws.com/k?X-Amz-Credential=AKIA%2F1&X-Amz-Signature=${mixed(64)}`;
    expect(hideSecrets(signed)).toBe(signed);
    const preview = `/artifacts/art_z2R5Se158tfsvzM7acaTt_tH/preview?version=1&key=${mixed(43)}`;
    expect(hideSecrets(preview)).toBe(preview);
    const view = preview.replace("preview?", "view?");
    expect(hideSecrets(view)).toBe(view);
    expect(hideSecrets(`https://api.example.com/x?sig=${mixed(43)}&api_key=${mixed(32)}`)).toMatch(
      /sig=\w{43}&api_key=\[secret hidden\]$/,
    );
  });

  it.each([
    ..."sig signature awsaccesskeyid googleaccessid policy key-pair-id".split(" "),
    ..."x-amz-credential x-amz-signature x-amz-security-token x-goog-credential x-goog-signature".split(" "),
  ])("keeps %s in the address of a file that is shared", (name) => {
    const signed = `https://b.example/k?${name}=${mixed(43)}&a=1`;
    expect(hideSecrets(signed)).toBe(signed);
  });

  it("has secrets replaced in JSON as they are in plain text, and stays JSON", async () => {
    const stdout = `A="x"\nDB_PASSWORD=${mixed(20)}\nOPENAI_API_KEY=${key}\nPORT=80\n`;
    const data = { exit_code: 0, stdout, password: mixed(20) };
    const { output } = await hideSecretsInResult({ output: JSON.stringify(data) });
    expect(JSON.parse(output)).toEqual({
      exit_code: 0,
      stdout: 'A="x"\nDB_PASSWORD=[secret hidden]\nOPENAI_API_KEY=[key hidden]\nPORT=80\n',
      password: "[secret hidden]",
    });
  });

  it("has secrets in its data replaced too", async () => {
    const data = { exit_code: 0, stdout: `it is ${key}`, list: [{ a: key }], none: null };
    expect((await hideSecretsInResult({ output: "", data })).data).toEqual({
      exit_code: 0,
      stdout: "it is [key hidden]",
      list: [{ a: "[key hidden]" }],
      none: null,
    });
  });

  it("can be written as JSON, whatever a tool returns, and hides the secrets of objects of other classes", async () => {
    class Answer {
      token = `it is ${key}`;
      count = 12n;
      at = new Date(0);
    }
    const bare: Record<string, unknown> = Object.assign(Object.create(null), { key });
    const { data } = await hideSecretsInResult({ output: "", data: { answer: new Answer(), bare } });
    const written = JSON.stringify(data);
    expect(written).not.toContain(key);
    expect(JSON.parse(written)).toMatchObject({ answer: { count: "12", at: "1970-01-01T00:00:00.000Z" } });
  });
});

describe("output that arrives in pieces", () => {
  const pem = `-----BEGIN RSA PRIVATE KEY-----\n${base64(64)}\n${base64(64)}\n-----END RSA PRIVATE KEY-----\n`;
  const text = `first\napi_key = "${mixed(32)}"\n${pem}Authorization: Bearer ${mixed(40)}\npassword:\n  ${mixed(12)}1\nlast`;

  it.each([1, 2, 7, 64, 10_000])("is the same as in one piece, cut after every %i characters", (size) => {
    const shown = streamed(text, size);
    expect(shown).toContain("first\n");
    expect(shown.endsWith("\nlast")).toBe(true);
    for (const piece of text.match(/[A-Za-z0-9+/]{12,}/g) ?? [])
      if (/\d/.test(piece)) expect(shown).not.toContain(piece);
  });

  // If a manifest says only at its end that it holds secrets, its beginning has already been sent.
  const found = contextLeaks(31).filter(
    ([leak, secret]) => !hideSecrets(leak).includes(secret) && !leak.startsWith("data:"),
  );

  it.each(found)("contains no secret, wherever it is cut: %s", (leak, secret) => {
    for (const size of [1, 5, 16]) expect(streamed(`before\n${leak}\nafter`, size)).not.toContain(secret);
  });

  it("is shown line by line, not at the end", () => {
    const stream = createHidingStream();
    expect(stream.push("one\ntw")).toBe("one\n");
    expect(stream.push("o\n")).toBe("two\n");
    expect(stream.push("50 %\r60 %\r")).toBe("50 %\r60 %\r");
  });

  it("does not wait forever for the end of a line or a key", () => {
    const line = createHidingStream();
    expect(line.push("word ".repeat(10_000)).length).toBeGreaterThan(40_000);
    const open = createHidingStream();
    const shown = open.push(`-----BEGIN PRIVATE KEY-----\n${"A1b2".repeat(8_000)}`);
    expect(shown).not.toContain("A1b2A1b2");
    expect(shown.length).toBeGreaterThan(0);
  });
});

it("progress has one stream per phase, and ends with what was waiting", () => {
  const told: ToolProgress[] = [];
  const { progress, end } = hidingProgress((one) => told.push(one));
  progress({ message: `with ${key}` });
  for (const [phase, chunk] of [
    ["stdout", key.slice(0, 12)],
    ["stderr", "warning\n"],
    ["stdout", `${key.slice(12)}\ndo`],
  ] as const)
    progress({ message: "Running", phase, chunk });
  progress({ message: "Running", phase: "stdout", chunk: "ne" });
  end();
  expect(told).toEqual([
    { message: "with [key hidden]" },
    { message: "Running", phase: "stderr", chunk: "warning\n" },
    { message: "Running", phase: "stdout", chunk: "[key hidden]\n" },
    { message: "Running", phase: "stdout", chunk: "done" },
  ]);
});
