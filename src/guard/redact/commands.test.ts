import { describe, expect, it } from "vitest";
import { redactCommands } from "./commands.ts";
import { marked } from "./testing/marked.ts";

describe("a password in a command", () => {
  it.each([
    "mysql -u root -p⟦S3cret9x⟧ shop",
    "mysql -u root \\\n  -p⟦S3cret9x⟧ shop",
    "mysql -u root \\\r\n  -p⟦S3cret9x⟧ shop",
    "cat dump.sql | mysql -p⟦S3cret9x⟧",
    "mysql -p⟦$#secret9⟧",
    "mysql -p⟦passwords⟧",
    "mysql -p⟦123456⟧",
    "mysql -p⟦%S3cret⟧",
    "curl -u ⟦a:b1c⟧ https://h.example",
    "curl -u ⟦ada:hunter2⟧ https://h.example",
    "curl -u ⟦a8f3c1d9e2:⟧ https://h.example",
    "curl https://h.example -u ⟦a8f3c1d9e2:⟧",
    "curl -u ⟦'a8f3c1d9e2:'⟧ https://h.example",
    "sshpass -p ⟦S3cret9x⟧ ssh host",
    'auth=("ada", "⟦hunter2⟧")',
    'mysqli_connect("host", "ada", "⟦hunter2⟧")',
    "IDENTIFIED BY '⟦hunter2⟧'",
  ])("is removed: %s", (example) => {
    const { text, clean } = marked(example, "[credentials]");
    expect(redactCommands(text)).toBe(clean);
  });

  it.each([
    "mysql shop | sort -pattern9",
    "mysql shop; sort -pattern9",
    "mysql shop && sort -pattern9",
    "mysql shop\nsort -pattern9",
    "mysql -p$PASSWORD",
    "mysql -p$(cat file)",
    "mysql -p%PASSWORD%",
    "mysql -p{{password}}",
    "mysql -p<password>",
    "mysql -P3306",
    "mysql -P12345",
    "mysql -ptrue",
    "mysql -ppass",
    "mysql -ppasswd",
    "mysql -pPWD",
    "mysql -pchangeit",
    "mysql -pchangeme",
    "mysql -pxxx",
    "curl -u 'a:b1' https://h.example",
    "curl -u <ada>:hunter2 https://h.example",
    "curl -u https://h.example:8080/a1",
    "curl -u apiuser: https://h.example",
    "curl -u $KEY1: https://h.example",
    "curl -u ada:$PASSWORD https://h.example",
    "curl -u hunter2 https://h.example",
    'auth=("ada", "your-password")',
    'mysqli_connect("host", "ada", "your-password")',
    "IDENTIFIED BY 'your-password'",
  ])("is not seen in %s", (text) => {
    expect(redactCommands(text)).toBe(text);
  });
});
