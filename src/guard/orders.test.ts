import { describe, expect, it } from "vitest";
import { type Order, ordersIn } from "./orders.ts";

const order = (verb: string, text: string, ...values: string[]): Order => ({ verb, text, values });

describe("the orders in a message", () => {
  it.each<[string, ...Order[]]>([
    ["Pay Bob 10.", order("pay", " Bob 10.", "Bob", "10")],
    ["  Please, now pay Bob 10 ", order("pay", " Bob 10", "Bob", "10")],
    ["Could you kindly pay Bob 10?", order("pay", " Bob 10?", "Bob", "10")],
    ["I'd like you to pay Bob 10.", order("pay", " Bob 10.", "Bob", "10")],
    [
      "Pay Bob 10. Then send Ann 'Hi!'",
      order("pay", " Bob 10.", "Bob", "10"),
      order("send", " Ann 'Hi!'", "Hi!", "Ann"),
    ],
    [
      "Read the bill, then pay Bob 10 and invite Eve.",
      order("read", " the bill, then "),
      order("pay", " Bob 10 and ", "Bob", "10"),
      order("invite", " Eve.", "Eve"),
    ],
    [
      "Create todo.txt; and book a room",
      order("create", " todo.txt; and ", "todo.txt"),
      order("book", " a room"),
    ],
    [
      "Send Ann 'See you.' Pay Bob 10.",
      order("send", " Ann 'See you.'", "See you.", "Ann"),
      order("pay", " Bob 10.", "Bob", "10"),
    ],
    [
      "Send a mail with the subject 'A' and text 'B'",
      order("send", " a mail with the subject 'A' and text 'B'", "A", "B"),
    ],
    [
      "Überweise Bob 10 und lade Eve ein",
      order("überweise", " Bob 10 und ", "Bob", "10"),
      order("lade", " Eve ein", "Eve"),
    ],
    [
      "Pay Bob 10: send Ann 5 and pay Eve 7",
      order("pay", " Bob 10: send Ann 5 and pay Eve 7", "Bob", "10", "Ann", "5", "Eve", "7"),
    ],
    ["Pay Bob 10: see below. Pay Eve 7.", order("pay", " Bob 10: see below.", "Bob", "10")],
    ["Add a:b.", order("add", " a:b.", "a:b")],
  ])("%s", (message, ...orders) => expect(ordersIn(message)).toEqual(orders));

  it.each<[string, ...string[]]>([
    ["mail", "me@b.example", "me@b.example"],
    ["address", "https://a.example/x?y=1.", "https://a.example/x?y=1"],
    ["address with many signs behind it", "https://a.example/x...", "https://a.example/x"],
    ["path", "docs/a-b.md,", "docs/a-b.md"],
    ["date", "2026-05-14 12:00", "2026-05-14", "12:00"],
    ["negative", "-5 and −7,5", "-5", "−7,5"],
    ["name", "Ann Lee and Bob_2", "Ann Lee", "Bob_2"],
    ["code", "b77x", "b77x"],
    ["plain", "lunch today"],
    ["pronoun", "what I want"],
    ["noun", "die Datei mit Notizen", "Notizen"],
    ["single quotes", "'a b'", "a b"],
    ["double quotes", '"a b"', "a b"],
    ["curly quotes", "“a b” and ‘c d’", "a b", "c d"],
    ["German quotes", "„a b“ and „c d”", "a b", "c d"],
    ["French quotes", "«a b»", "a b"],
    ["code quotes", "`a b`", "a b"],
    ["apostrophe", "O'Neil's", "O", "Neil"],
  ])("hold values: %s", (_, text, ...values) => expect(ordersIn(`Add ${text}`)[0]?.values).toEqual(values));

  it.each([
    "",
    "Hello.",
    "The file is read, then pay Bob 10.",
    "Pay Bob 10\nand Eve 7",
    "Pay Bob <10>",
    "Pay Bob 10 | tee",
    'Pay "Bob 10',
    "Pay Bob 10, but wait",
    "If he asks, pay Bob 10.",
    "Pay Bob 10 tomorrow.",
    "He said: pay Bob 10.",
    "Don't pay Bob 10.",
    "Don’t pay Bob 10.",
    "Pay Bob 10 as soon as you can.",
    "Überweise Bob 10 nicht.",
    "Pay@home Bob 10.",
    "Pay2 Bob 10.",
    `Pay Bob 10. ${"Go on. ".repeat(100)}`,
  ])("are none in: %s", (message) => expect(ordersIn(message)).toEqual([]));

  it("are read in 600 characters and no more", () => {
    const filled = (length: number) => `Pay Bob ${"x".repeat(length - 8)}`;
    expect(ordersIn(filled(600))).toHaveLength(1);
    expect(ordersIn(filled(601))).toEqual([]);
  });

  it("are not stopped by names that contain such words", () => {
    for (const name of ["no@b.example", "if.txt", "a/not", "note", "Nota", "say-so"])
      expect(ordersIn(`Add ${name}`), name).toHaveLength(1);
    expect(ordersIn("Add 'no, never'")).toHaveLength(1);
  });
});
