const EMAIL =
  /(?<![\p{L}\w.%+@/-])[\p{L}0-9_%+][\p{L}0-9._%+'-]{0,63}@(?:[\p{L}0-9](?:[\p{L}0-9-]{0,62})\.){1,6}[\p{L}]{2,24}(?![\p{L}0-9-]*[@:/]\w)/gu;
const ENCODED_EMAIL =
  /(?<![\w.+-])[\w.+-]{1,64}(?:%40|&#64;|\s?\[at\]\s?|\s?\(at\)\s?)[a-z0-9-]{1,63}(?:\.|\s?\[dot\]\s?|\s?\(dot\)\s?)[a-z.]{2,24}/gi;
/** `jane at example dot com` */
const SPOKEN_EMAIL = /(?<![\w.+-])[\w.+-]{2,64} at [a-z0-9-]{2,63}(?: dot [a-z0-9-]{2,24}){1,3}(?![\w-])/gi;
const FILE_ENDING =
  /\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|js|ts|tsx|jsx|mjs|json|html|md|pdf|zip|lock|service|local)$/i;
const SSN = /(?<![\w-])(?!000|666|9\d\d)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])/g;
const CARD = /(?<![\w.-])(?:\d[ -]?){12,18}\d(?![\w-]|\.\d)/g;
const IBAN = /(?<![A-Z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,4})?(?![A-Z0-9])/gi;
/** The length of an IBAN by country. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SE24 SI19 SK24 SM27 TN24 TR26 UA29 VA22 VG24 XK20"
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
/** The prefixes and lengths of card numbers by brand. */
const BRANDS =
  /^(?:4(?:\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}|(?:50|5[6-8]|6[37])\d{14})$/;
const PHONES = [
  // With the country: +49 171 1234567, 0049 …, +1 (415) 555-2671
  /(?<![\w+.:-])(?:\+|00)[1-9]\d{0,2}(?:[ ./-]?\(?\d{1,5}\)?){1,6}(?![\w.]{0,40}?\d)/g,
  // North America: (415) 555-2671, 415-555-2671, 1.800.555.0199
  /(?<![\w.+-])(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]\d{4}(?![\w-]|\.\d)/g,
  // National, in groups: 06 12 34 56 78, 0171 2345678, 030/1234567, 020 7946 0958, 07911 123456
  /(?<![\w.+:/-])(?:\(0\d{1,5}\) ?|0[1-9]\d{0,4}[ ./-])\d{2,8}(?:[ .-]\d{2,4}){0,4}(?![\w-]|\.\d)/g,
];
const NAMED_PHONE =
  /\b((?:tele)?phone|phonenumber|tel\.?|mobile|cell|fax|whatsapp|handy|telefon(?:nummer)?|móvil|teléfono|call(?: me)?(?: at| on)?)(["']?(?: number| no\.?)?\s{0,2}[:=#]?\s{0,2}["']?)(\+?\(?\d[\d ()./-]{5,18}\d)(?!\w)/gi;
const NAMED_NUMBER =
  /\b(passport(?: number| no\.?)?|(?:driver'?s?|driving) licen[cs]e(?: number)?|social security(?: number)?|ssn|national (?:id|insurance)(?: number)?|nino|tax (?:id|number)|steuer-?id|personalausweis|sozialversicherungsnummer|nif|dni|cpf|date of birth|dob|geburtsdatum|born on|credit card|card number|cvv|cvc|iban|account number|routing number|patient id|medical record)(["']?\s{0,2}(?:is|:|=|#|no\.?|number)?\s{0,2}["']?)([A-Z0-9][A-Z0-9 ./-]{1,28}[A-Z0-9])(?!\w)/gi;

/** Removes personal data: e-mail addresses, and numbers of phones, cards, accounts and documents. */
export function redactPersonal(text: string): string {
  let clean = text
    .replace(EMAIL, (address) => (isFileOrRemote(address) ? address : "[e-mail]"))
    .replace(ENCODED_EMAIL, "[e-mail]")
    .replace(SPOKEN_EMAIL, "[e-mail]");
  if (!/\d/.test(clean)) return clean;
  clean = clean
    .replace(IBAN, redactIban)
    .replace(CARD, (number) => (isCard(number) ? "[card]" : number))
    .replace(SSN, "[number]")
    .replace(NAMED_NUMBER, (whole, name: string, gap: string, value: string) => {
      // Letters right after the name are the rest of a random string, as in addresses for sign-in.
      const isOther = gap === "" && /^\w*[a-z]/i.test(value);
      return !isOther && digitsOf(value).length >= 3 ? `${name}${gap}[number]` : whole;
    })
    .replace(NAMED_PHONE, (whole, name: string, gap: string, value: string) =>
      digitsOf(value).length >= 7 ? `${name}${gap}[phone]` : whole,
    );
  for (const pattern of PHONES)
    clean = clean.replace(pattern, (number) => (isPhone(number) ? "[phone]" : number));
  return clean;
}

function isFileOrRemote(address: string): boolean {
  return FILE_ENDING.test(address) || /^git@/i.test(address);
}

function digitsOf(value: string): string {
  return value.replace(/\D/g, "");
}

function isPhone(number: string): boolean {
  const digits = digitsOf(number).length;
  if (digits < 9 || digits > 15) return digits >= 8 && number.startsWith("+");
  if (/^00\d+$/.test(number) && digits < 12) return false;
  return !/^\d{1,4}[-./]\d{1,2}[-./]\d{2,4}(?!\d)/.test(number);
}

function isCard(number: string): boolean {
  const digits = digitsOf(number);
  if (!BRANDS.test(digits) || /^(\d)\1+$/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    sum += at % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}

/** The country says where the number ends. What follows belongs to the sentence. */
function redactIban(found: string): string {
  const length = IBAN_LENGTHS[found.slice(0, 2).toUpperCase()];
  if (length === undefined) return found;
  let seen = 0;
  let end = 0;
  while (end < found.length && seen < length) if (/[A-Z0-9]/i.test(found.charAt(end++))) seen++;
  const number = found.slice(0, end).replace(/[ -]/g, "").toUpperCase();
  if (seen < length || /^[A-Z0-9]/i.test(found.slice(end)) || !isIban(number)) return found;
  return `[account]${found.slice(end)}`;
}

function isIban(number: string): boolean {
  let remainder = 0;
  for (const character of number.slice(4) + number.slice(0, 4))
    for (const digit of Number.parseInt(character, 36).toString())
      remainder = (remainder * 10 + Number(digit)) % 97;
  return remainder === 1;
}
