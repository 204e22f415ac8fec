import { describe, expect, it } from "vitest";
import { redactPersonal } from "./personal.ts";
import { marked } from "./testing/marked.ts";

function checkRemoved(example: string, mark: string): void {
  const { text, clean } = marked(example, mark);
  expect(redactPersonal(text)).toBe(clean);
}

function checkKept(text: string): void {
  expect(redactPersonal(text)).toBe(text);
}

it.each([
  ["passport: AB123", "passport: [number]"],
  ["cvv 123", "cvv [number]"],
  ["phone 123 4567", "phone [phone]"],
  ["+49 12345678901", "[phone]"],
  ["+1234567 8", "[phone]"],
  ["00491711234567", "[phone]"],
  ["0049 171 12345", "[phone]"],
  ["0171 234567", "[phone]"],
  ["0171 2345678", "[phone]"],
  ["+49 171 234 567 8901", "[phone]"],
  ["card 4111 1111 1111 1111.", "card [card]."],
  ["pay to DE89 3704 0044 0532 0130 00 today", "pay to [account] today"],
  ["pay to de89370400440532013000.", "pay to [account]."],
  ["ada@host.example", "[e-mail]"],
])("removes %s", (text, clean) => {
  expect(redactPersonal(text)).toBe(clean);
});

it.each([
  "cvv 12",
  "passport is required from 5 May on",
  "ssnA1b2c3d4",
  "ssnab12c34",
  "phone 12-34-56",
  "0171 2345",
  "0049171123",
  "00491711234",
  "01-12-2026",
  "4111 1111 1111 1112",
  "0000 0000 0000 0000",
  "9999 9999 9999 9995",
  "DE89370400440532013001",
  "DE89370400440532",
  "DE8937040044053201300012",
  "ZZ89370400440532013000",
  "git@host.example",
  "logo@2x.png",
])("keeps %s", (text) => {
  expect(redactPersonal(text)).toBe(text);
});

it("removes the address of a person whose name ends like a program", () => {
  expect(redactPersonal("digit@host.example")).toBe("[e-mail]");
});

describe("an e-mail address", () => {
  it.each([
    "write to ⟦ada.l+news@mail.host.example⟧, please",
    "⟦renée@hôte.example⟧",
    "⟦ada%40host.example⟧",
    "⟦ada&#64;host.example⟧",
    "⟦ada[at]host[dot]example⟧",
    "⟦ada [at] host [dot] example⟧",
    "⟦ada(at)host(dot)example⟧",
    "⟦ada (at) host (dot) example⟧",
    "⟦ada at host dot example⟧ or so",
  ])("is removed however it is written: %s", (example) => checkRemoved(example, "[e-mail]"));

  it.each([
    "https://host.example/@ada@host.example",
    "cdn.example/pkg@ada@x.example",
    "ada@host.example/path",
    "scp ada@host.example:srv",
    "look at host dotted line",
    "she was at home dot com2_x",
  ])("is not seen in %s", checkKept);

  it.each(
    "png jpg jpeg gif svg webp avif ico css js ts tsx jsx mjs json html md pdf zip lock service local".split(
      " ",
    ),
  )("is not the name of a file with @2x.%s", (ending) => {
    checkKept(`icon@2x.${ending}`);
    checkRemoved(`⟦ada@host.${ending}q⟧`, "[e-mail]");
  });
});

describe("the number of a card", () => {
  /** Adds the digit that makes the checksum right. */
  function checked(start: string): string {
    const sum = (digits: string) =>
      [...digits].reverse().reduce((total, digit, at) => {
        const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
        return total + (value > 9 ? value - 9 : value);
      }, 0);
    return `${start}${(10 - (sum(`${start}0`) % 10)) % 10}`;
  }
  const withPrefix = (prefix: string, length: number) => checked(prefix.padEnd(length - 1, "3"));

  it.each([
    ...[
      "4",
      "51",
      "55",
      "2221",
      "2229",
      "223",
      "229",
      "23",
      "26",
      "270",
      "271",
      "2720",
      "3528",
      "3529",
      "353",
      "358",
    ],
    ...["6011", "650", "659", "644", "649", "62", "50", "56", "58", "63", "67"],
  ])("with sixteen digits that begins with %s is removed", (prefix) => {
    checkRemoved(`card ⟦${withPrefix(prefix, 16)}⟧ of ada`, "[card]");
  });

  it.each([
    ["4", 19],
    ["34", 15],
    ["37", 15],
    ["300", 14],
    ["305", 14],
    ["36", 14],
    ["38", 14],
    ["62", 19],
  ] as const)("that begins with %s and has %i digits is removed", (prefix, length) => {
    checkRemoved(`card ⟦${withPrefix(prefix, length)}⟧ of ada`, "[card]");
  });

  it.each(["2220", "2721", "3527", "359", "6010", "643", "51x", "9", "1"])(
    "does not begin with %s",
    (prefix) => {
      checkKept(`id ${withPrefix(prefix.replace("x", "0"), prefix.endsWith("x") ? 17 : 16)} of ada`);
    },
  );

  it("is not part of a longer number or name", () => {
    const card = withPrefix("4", 16);
    for (const text of [`x${card}`, `1.${card}`, `${card}-a`, `${card}.5`, `14${card}`]) checkKept(text);
  });
});

describe("a social security number", () => {
  it.each(["123-45-6789", "123 45 6789"])("is removed: %s", (number) => {
    checkRemoved(`of ada: ⟦${number}⟧`, "[number]");
  });

  it.each([
    "000-45-6789",
    "666-45-6789",
    "923-45-6789",
    "123-00-6789",
    "123-45-0000",
    "1123-45-6789",
    "123-45-6789-1",
    "123-45 6789",
  ])("is not seen in %s", checkKept);
});

describe("the number of an account", () => {
  it.each(["NO93 8601 1117 947", "MT84 MALT 0110 0001 2345 MTLC AST0 01S", "GB29-NWBK-6016-1331-9268-19"])(
    "is removed: %s",
    (number) => checkRemoved(`pay ⟦${number}⟧ now`, "[account]"),
  );

  it.each(["XDE89370400440532013000", "DE89370400440532013000X"])("is not seen in %s", checkKept);
});

describe("the number of a phone", () => {
  it.each([
    "⟦+1 (415) 555-2671⟧",
    "⟦(415) 555-2671⟧",
    "⟦(415)555-2671⟧",
    "⟦415-555-2671⟧",
    "⟦1.800.555.0199⟧",
    "⟦1-415-555-2671⟧",
    "⟦06 12 34 56 78⟧",
    "⟦030/1234567⟧",
    "⟦020 7946 0958⟧",
    "⟦(030) 1234567⟧",
    "⟦(030)1234567⟧",
  ])("is removed: %s", (example) => checkRemoved(`ring ${example} today`, "[phone]"));

  it.each([
    "x+49 171 1234567",
    "0001711234567",
    "v415-555-2671",
    "415-555-2671-9",
    "415-555-2671.5",
    "x020 7946 0958",
    "020 7946 0958-x",
    "020 7946 0958.5",
  ])("is not seen in %s", checkKept);

  it.each([
    ..."phone telephone tel tel. mobile cell fax whatsapp handy telefon telefonnummer téléphone móvil teléfono".split(
      " ",
    ),
    ..."call|call me|call at|call on|call me at|call me on|phone number|phonenumber|phone no|phone no.".split(
      "|",
    ),
  ])("is removed behind %s, also a short one", (name) => checkRemoved(`${name} ⟦123 4567⟧`, "[phone]"));

  it.each([": ", " = ", "#", '": "'])("is removed behind its name and %j", (gap) =>
    checkRemoved(`phone${gap}⟦123 4567⟧`, "[phone]"),
  );

  it("is not part of a name", () => checkKept("phone 123 4567x"));
});

describe("the number of a document or a person", () => {
  it.each(
    [
      "passport|passport number|passport no|passport no.|driver licence|drivers license|driver's license number",
      "driving licence number|social security|social security number|ssn|national id|national insurance number|nino",
      "tax id|tax number|steuer-id|steuerid|personalausweis|sozialversicherungsnummer|nif|dni|cpf|date of birth|dob",
      "geburtsdatum|born on|credit card|card number|cvv|cvc|iban|account number|routing number|patient id|medical record",
    ].flatMap((names) => names.split("|")),
  )("is removed behind %s", (name) => checkRemoved(`${name}: ⟦X 12 34⟧ (new)`, "[number]"));

  it.each([" is ", " = ", " # ", " no ", " no. ", " number ", '": "'])(
    "is removed behind its name and %j",
    (gap) => checkRemoved(`cvv${gap}⟦1234⟧`, "[number]"),
  );

  it("is not part of a name", () => checkKept("cvv 123_x"));
});
