import { expect, it } from "vitest";
import { redactPersonal } from "./personal.ts";

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
