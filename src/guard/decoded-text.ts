const MAX_DECODED = 20_000;
const MAX_RUNS = 20;

/** Decodes text hidden in tag characters or variation selectors. Returns an empty string if there is none. */
export function decodeInvisible(text: string): string {
  const tags = /[\u{e0020}-\u{e007e}]{3}/u.test(text)
    ? text.replace(/[\u{e0020}-\u{e007e}]/gu, tagToAscii)
    : "";
  const bytes: number[] = [];
  for (const character of text.matchAll(/[\u{e0100}-\u{e01ef}]|[\ufe00-\ufe0f]/gu)) {
    const code = character[0].codePointAt(0) ?? 0;
    if (code >= 0xe0100) bytes.push(code - 0xe0100 + 16);
    else bytes.push(code - 0xfe00);
    if (bytes.length > MAX_DECODED) break;
  }
  const selectors = bytes.length >= 8 ? readableText(Buffer.from(bytes)) : undefined;
  return [tags, selectors].filter(Boolean).join("\n");
}

function tagToAscii(tag: string): string {
  return String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000);
}

/** Undoes one level of base64, hexadecimal, percent, entity or JSON encoding. Returns only results that read as text. */
export function decodeOnce(text: string): string[] {
  const found: string[] = [];
  const add = (decoded: string | undefined) => decoded && found.push(decoded);
  for (const run of runs(text, /[A-Za-z0-9+/_-]{16,}={0,2}/g)) {
    const bytes = /^[0-9a-f]+$/i.test(run) ? Buffer.from(run, "hex") : Buffer.from(run, "base64");
    add(readableText(bytes));
  }
  if (/^[\sA-Za-z0-9+/_=-]{24,}$/.test(text) && /\s/.test(text.trim()))
    add(readableText(Buffer.from(text.replace(/\s/g, ""), "base64")));
  if (/(?:[0-9a-f]{2}[\s:,]){12}/i.test(text.slice(0, MAX_DECODED)))
    add(readableText(Buffer.from(text.replace(/0x|[^0-9a-f]/gi, ""), "hex")));
  if (/(?:%[0-9a-f]{2}[^%\s]{0,12}){3}/i.test(text)) add(percentDecoded(text));
  if (/(?:&#x?[0-9a-f]{2,6};[^&]{0,8}){3}/i.test(text)) add(entitiesDecoded(text));
  // Servers answer with JSON, in which `\\nIgnore` is one word.
  if (/\\(?:[nrt"/]|u[0-9a-f]{4})/i.test(text)) add(unescaped(text));
  return found;
}

function* runs(text: string, pattern: RegExp): Generator<string> {
  let count = 0;
  for (const [run] of text.matchAll(pattern)) {
    if (++count > MAX_RUNS) return;
    yield run.slice(0, MAX_DECODED);
  }
}

/** Decodes bytes as UTF-8. Returns undefined if the result has no words or too many control characters. */
function readableText(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes);
  if (text.length < 8) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters tell bytes from text
  const broken = text.match(/[\u0000-\u0008\u000e-\u001f\u007f\ufffd]/g)?.length ?? 0;
  if (broken > text.length / 50) return undefined;
  return /\p{L}{2}/u.test(text) ? text : undefined;
}

function percentDecoded(text: string): string {
  const plain = text.replaceAll("+", " ");
  return plain.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
    new TextDecoder().decode(Buffer.from(run.replaceAll("%", ""), "hex")),
  );
}

function entitiesDecoded(text: string): string {
  return text.replace(/&#(x?)([0-9a-f]{2,6});/gi, (whole, hex: string, digits: string) => {
    const code = Number.parseInt(digits, hex ? 16 : 10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** Undoes the escapes of JSON strings, also of JSON inside of JSON. */
function unescaped(text: string): string {
  return text
    .replace(/\\{1,8}u([0-9a-f]{4})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
    .replace(/\\{1,8}[nrt]/g, "\n")
    .replace(/\\{1,8}(["'/])/g, "$1")
    .toWellFormed();
}
