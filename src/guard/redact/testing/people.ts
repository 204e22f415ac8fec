import { filled } from "./formats.ts";
import { madeUp } from "./made-up.ts";

type Made = ReturnType<typeof madeUp>;

const EMAILS = [
  "{lower:7}@example.com",
  "{lower:5}.{lower:8}@mail.example.co.uk",
  "{lower:5}+{lower:4}@{lower:9}.org",
  "{lower:4}_{lower:4}-{digits:2}@sub.{lower:6}.io",
  "{capitals:6}@EXAMPLE.COM",
  "o'{lower:6}@example.ie",
  "jürgen.{lower:5}@müller-{lower:4}.de",
  "użytkownik{digits:2}@przykład.pl",
  "{lower:6}@example.museum",
  "{lower:6}%40example.com",
  "{lower:6} [at] example.com",
  "{lower:6}(at)example(dot)com",
  "{lower:6} at example dot com",
];

/** Numbers as people write them, where `#` stands for a digit and `@` for one from 2 to 9. */
const PHONES = [
  "+1 (@##) @##-####",
  "+1-@##-@##-####",
  "+1@##@######",
  "(@##) @##-####",
  "@##-@##-####",
  "@##.@##.####",
  "+44 20 7@## ####",
  "+44 7@## ######",
  "020 7@## ####",
  "07@## ######",
  "+49 1@# #######",
  "+49 (0)30 @######",
  "+49 30 @######",
  "0049 1@# #######",
  "01@# #######",
  "030/@#######",
  "+33 6 ## ## ## ##",
  "06 @# ## ## ##",
  "+34 6## ### ###",
  "+39 3## ### ####",
  "+31 6 ########",
  "+41 79 ### ## ##",
  "+43 664 #######",
  "+46 70 ### ## ##",
  "+48 5## ### ###",
  "+351 9## ### ###",
  "+81 3-@###-####",
  "+86 138 #### ####",
  "+91 9#### #####",
  "+55 11 9####-####",
  "+61 4## ### ###",
  "+971 50 ### ####",
  "+27 82 ### ####",
  "+7 916 ###-##-##",
];

const NAMED = [
  "phone: {digits:10}",
  "Tel.: 0{digits:9}",
  "mobile = 0{digits:10}",
  "SSN: 21{digits:7}",
  "social security number 219-09-{digits:4}",
  "passport number: C{digits:8}",
  "date of birth: 19{digits:2}-04-12",
  "driver's license: D{digits:7}",
  "Steuer-ID: {digits:11}",
  "tax id {digits:9}",
  "account number: {digits:10}",
  "IBAN: DE00 {digits:4} {digits:4} {digits:4}",
  "card number: {digits:16}",
];

const IBANS: readonly (readonly [country: string, body: string])[] = [
  ["DE", "{digits:18}"],
  ["GB", "WEST{digits:14}"],
  ["FR", "{digits:20}M{digits:2}"],
  ["NL", "ABNA{digits:10}"],
  ["ES", "{digits:20}"],
  ["IT", "X{digits:22}"],
  ["CH", "{digits:17}"],
  ["AT", "{digits:16}"],
  ["BE", "{digits:12}"],
  ["PL", "{digits:24}"],
  ["SE", "{digits:20}"],
];

const CARDS = ["4{digits:14}", "51{digits:13}", "2221{digits:11}", "37{digits:12}", "6011{digits:11}"];

/** Texts around a person's data, and the part of each that must not be left. */
export function personalTexts(seed: number): readonly (readonly [text: string, value: string])[] {
  const made = madeUp(seed);
  const plain = [
    ...EMAILS.map((form) => filled(form, made)),
    ...PHONES.map((form) => dialled(form, made)),
    ...CARDS.flatMap((form) => written(card(filled(form, made)))),
    ...IBANS.flatMap(([country, body]) => written(iban(country, filled(body, made)))),
    "219-09-9999",
    "078-05-1120",
  ];
  const around = (value: string) =>
    [
      `Could not reach ${value} today.`,
      `{"customer":"${value}","plan":"basic"}`,
      `duplicate key: (contact)=(${value})`,
    ].map((text) => [text, value] as const);
  const named = NAMED.map((form) => filled(form, made));
  return [
    ...plain.flatMap(around),
    ...named.map((text) => [text, /[A-Z]?[\d-]{4,}[\d ]*$/.exec(text)?.[0].trim() ?? text] as const),
  ];
}

function dialled(form: string, { digits }: Made): string {
  return form.replace(/[#@]/g, (mark) => (mark === "#" ? digits(1) : String(2 + (Number(digits(1)) % 8))));
}

function written(number: string): string[] {
  return [number, number.replace(/(.{4})(?=.)/g, "$1 ")];
}

/** With the last digit that makes it a card's number. */
function card(digits: string): string {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    sum += at % 2 === 1 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return digits + ((10 - (sum % 10)) % 10);
}

/** With the two digits that make it an account's number. */
function iban(country: string, body: string): string {
  const digits = [...`${body}${country}00`].map((character) => Number.parseInt(character, 36)).join("");
  return country + String(98n - (BigInt(digits) % 97n)).padStart(2, "0") + body;
}

const NOBODY = [
  "version {digits:1}.{digits:2}.{digits:1}-rc.{digits:1}",
  "node v24.{digits:2}.0 on linux",
  "2024-0{digits:1}-15T12:30:45.{digits:3}Z",
  "2024-01-1{digits:1} 12:30",
  "1{digits:1}.01.2024",
  "01/1{digits:1}/2024",
  "at 12:3{digits:1}:45",
  "order {digits:9}",
  "order no. 40{digits:6}",
  "invoice 2024-{digits:6}",
  "ticket #{digits:6}",
  "ISBN 978-3-16-148410-0",
  "ISBN 978-0-{digits:3}-{digits:5}-{digits:1}",
  "EAN 40{digits:11}",
  "commit {hex:40}",
  "{uuid}",
  "took {digits:7} ns",
  "17{digits:8}",
  "17{digits:11}",
  "{digits:3} × {digits:3} = {digits:5}",
  "3.14159{digits:8}",
  "{digits:2}.{digits:6}, -{digits:2}.{digits:6}",
  "€ 1.{digits:3},{digits:2}",
  "$1,{digits:3}.{digits:2}",
  "1 {digits:3} {digits:3} rows",
  "{digits:3},{digits:3},{digits:3} bytes",
  "192.168.{digits:2}.{digits:2}",
  "10.0.{digits:2}.{digits:2}:8080",
  "2001:db8::{hex:4}:{hex:4}",
  "pages 10-2{digits:1}",
  "lines 1{digits:2}-2{digits:2}",
  "HTTP 429 after {digits:2} attempts",
  "port {digits:4}",
  "pid {digits:5}",
  "0x{hex:12}",
  "#ff{hex:4}",
  "rgb(1{digits:1}, 2{digits:1}, 3{digits:1})",
  "seed {digits:10}",
  "row {digits:12}",
  "chapter 10-20-3{digits:1}",
  "score {digits:1}:{digits:1}",
  "UTC+0{digits:1}:00",
  "{digits:2} % of {digits:4}",
  "1e-{digits:2} and 2.5e+{digits:2}",
  "@{lower:6} mentioned you",
  "git@github.com:{lower:6}/{lower:6}.git",
  "npm i @{lower:5}/{lower:6}@{digits:1}.{digits:2}.0",
  "icon-{lower:4}@2x.png",
  "user@localhost",
  "look at example",
  "meet at noon",
  "{digits:4} Main Street",
  "flight LH{digits:3}",
  "room {digits:3}-{digits:2}",
  "tracking 1Z{capitals:6}{digits:10}",
  "part no. {digits:4}-{digits:4}",
  "DOI 10.1000/{digits:6}",
  "arXiv:24{digits:2}.{digits:5}",
  "CVE-2024-{digits:5}",
  "RFC {digits:4}",
  "id: {digits:15}",
  "1234 5678 9012 3456",
  "5000000000000000",
  "GB29 was the train",
  "000-12-3456",
  "666-12-3456",
];

/** Numbers and addresses that belong to nobody. */
export function impersonalTexts(seed: number): readonly string[] {
  const made = madeUp(seed);
  return NOBODY.flatMap((form) => {
    const value = filled(form, made);
    return [value, `The last entry was ${value}, then nothing.`, `{"note":"${value}"}`];
  });
}
