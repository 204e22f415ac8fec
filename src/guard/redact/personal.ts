const EMAIL =
  /(?<![\p{L}\w.%+@/-])[\p{L}0-9_%+][\p{L}0-9._%+'-]{0,63}@(?:[\p{L}0-9](?:[\p{L}0-9-]{0,62})\.){1,6}[\p{L}]{2,24}(?![\p{L}0-9-]*[@:/]\w)/gu;
const ENCODED_EMAIL =
  /(?<![\w.+-])[\w.+-]{1,64}(?:%40|&#64;|\s?\[at\]\s?|\s?\(at\)\s?)[a-z0-9-]{1,63}(?:\.|\s?\[dot\]\s?|\s?\(dot\)\s?)[a-z.]{2,24}/gi;
const FILE_ENDING =
  /\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|js|ts|tsx|jsx|mjs|json|html|md|pdf|zip|lock|service|local)$/i;
const SSN = /(?<![\w-])(?!000|666|9\d\d)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])/g;
const CARD = /(?<![\w.-])(?:\d[ -]?){12,18}\d(?![\w-]|\.\d)/g;
const IBAN = /(?<![A-Z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,4})?(?![A-Z0-9])/gi;
const PHONES = [
  // With the country: +49 171 1234567, 0049 …, +1 (415) 555-2671
  /(?<![\w+.:-])(?:\+|00(?=[1-9]))[1-9]\d{0,2}(?:[ ./-]?\(?\d{1,5}\)?){1,6}(?![\w.]*\d)/g,
  // North America: (415) 555-2671, 415-555-2671, 1.800.555.0199
  /(?<![\w.+-])(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]\d{4}(?![\w-]|\.\d)/g,
  // National, in groups: 06 12 34 56 78, 0171 2345678, 030/1234567, 020 7946 0958, 07911 123456
  /(?<![\w.+:/-])(?:\(0\d{1,5}\) ?|0[1-9]\d{0,4}[ ./-])\d{2,8}(?:[ .-]\d{2,4}){0,4}(?![\w-]|\.\d)/g,
];
const NAMED_PHONE =
  /\b((?:tele)?phone|phone ?number|tel|mobile|cell|fax|whatsapp|handy|telefon(?:nummer)?|téléphone|móvil|teléfono|call(?: me)?(?: at| on)?)(["']?(?: number| no\.?)?\s{0,2}[:=#]?\s{0,2}["']?)(\+?\(?\d[\d ()./-]{5,18}\d)(?!\w)/gi;
const NAMED_NUMBER =
  /\b(passport(?: number| no\.?)?|(?:driver'?s?|driving) licen[cs]e(?: number)?|social security(?: number)?|ssn|national (?:id|insurance)(?: number)?|nino|tax (?:id|number)|steuer-?id|personalausweis|sozialversicherungsnummer|nif|dni|cpf|date of birth|dob|geburtsdatum|born on|credit card|card number|cvv|cvc|iban|account number|routing number|patient id|medical record)(["']?\s{0,2}(?:is|:|=|#|no\.?|number)?\s{0,2}["']?)([A-Z0-9][A-Z0-9 ./-]{1,28}[A-Z0-9])(?!\w)/gi;

/** Takes out what points to a person: addresses, numbers of telephones, cards, accounts and papers. */
export function redactPersonal(text: string): string {
  let clean = text
    .replace(EMAIL, (address) => (isNoAddress(address) ? address : "[e-mail]"))
    .replace(ENCODED_EMAIL, "[e-mail]");
  if (!/\d/.test(clean)) return clean;
  clean = clean
    .replace(IBAN, (number) => (isIban(number) ? "[account]" : number))
    .replace(CARD, (number) => (isCard(number) ? "[card]" : number))
    .replace(SSN, "[number]")
    .replace(NAMED_NUMBER, (whole, name: string, gap: string, value: string) =>
      (value.match(/\d/g)?.length ?? 0) >= 3 ? `${name}${gap}[number]` : whole,
    )
    .replace(NAMED_PHONE, (whole, name: string, gap: string, value: string) =>
      digitsOf(value).length >= 7 ? `${name}${gap}[phone]` : whole,
    );
  for (const pattern of PHONES)
    clean = clean.replace(pattern, (number) => (isPhone(number) ? "[phone]" : number));
  return clean;
}

function isNoAddress(address: string): boolean {
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
  if (!/^(?:4|5[0-8]|2[2-7]|3[0-9]|6)/.test(digits) || /^(\d)\1+$/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    sum += at % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}

function isIban(number: string): boolean {
  const compact = number.replace(/[ -]/g, "").toUpperCase();
  if (compact.length < 15 || compact.length > 34) return false;
  let remainder = 0;
  for (const character of compact.slice(4) + compact.slice(0, 4))
    for (const digit of Number.parseInt(character, 36).toString())
      remainder = (remainder * 10 + Number(digit)) % 97;
  return remainder === 1;
}
