const WORDS: [RegExp, string][] = [
  [/(\d)\s*%\s*of\s*/gi, "$1 / 100 * "],
  [/\bpercent of\b/gi, "/ 100 *"],
  [/\bplus\b/gi, "+"],
  [/\bminus\b/gi, "-"],
  [/\b(?:times|multiplied by)\b|×|(?<=\d)\s*x\s*(?=\d)/gi, "*"],
  [/\b(?:divided by|over)\b|÷/gi, "/"],
  [/\bto the power of\b|\*\*/gi, "^"],
  [/\bsquared\b/gi, "^ 2"],
  [/(?<=\d),(?=\d{3})/g, ""],
];

const LEAD =
  /^(?:please\s+)?(?:what(?:'s| is| are)|how much is|calculate|compute|work out|solve|eval(?:uate)?)\s+/i;

/** Returns the sum that a message consists of and its value, or undefined. */
export function sumIn(text: string): { sum: string; value: number } | undefined {
  const plain = WORDS.reduce(
    (sum, [word, sign]) => sum.replace(word, sign),
    text
      .trim()
      .replace(LEAD, "")
      .replace(/[?=.!\s]+$/, ""),
  );
  if (
    plain.length > 200 ||
    !/^[\d\s.+\-*/^()]+$/.test(plain) ||
    !/\d\s*[)]*\s*[+\-*/^]\s*[-(]*\s*[\d.]/.test(plain)
  ) {
    return undefined;
  }
  const value = evaluate(plain.replace(/\s+/g, ""));
  return value === undefined ? undefined : { sum: plain.replace(/\s+/g, " ").trim(), value };
}

/** Evaluates + - * / ^ and parentheses by recursive descent. Undefined if the text is no expression. */
function evaluate(text: string): number | undefined {
  let at = 0;
  const sum = (): number => {
    let left = product();
    while (text[at] === "+" || text[at] === "-")
      left = text[at++] === "+" ? left + product() : left - product();
    return left;
  };
  const product = (): number => {
    let left = power();
    while (text[at] === "*" || text[at] === "/") left = text[at++] === "*" ? left * power() : left / power();
    return left;
  };
  const power = (): number => {
    const base = unary();
    if (text[at] !== "^") return base;
    at++;
    return base ** power();
  };
  const unary = (): number => {
    if (text[at] === "-") {
      at++;
      return -unary();
    }
    if (text[at] === "(") {
      at++;
      const inner = sum();
      return text[at++] === ")" ? inner : Number.NaN;
    }
    const digits = /^\d*\.?\d+/.exec(text.slice(at))?.[0];
    if (digits === undefined) return Number.NaN;
    at += digits.length;
    return Number(digits);
  };
  const value = sum();
  if (at !== text.length || !Number.isFinite(value)) return undefined;
  return Number(value.toPrecision(12));
}
