/** Elements that HTML never closes. */
export const VOID_ELEMENTS: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

/** An open bracket or element. */
export interface Open {
  /** `(`, `[`, `{`, a template's backtick and `${`, or `<name`; `<` alone is a fragment. */
  mark: string;
  at: number;
}

const CLOSING: Record<string, string> = { "(": ")", "[": "]", "{": "}", "${": "}", "`": "`" };
/** After these, `<` begins an element and `/` a regular expression. */
const BEFORE_EXPRESSION =
  /(?:^|[(,=?:{}[&|;!>+*~^%-]|\b(?:return|default|case|typeof|in|of|yield|await|else|do))$/;

/** Returns what is open at `end`, outermost first. It also reads broken code, so the result is a guess: let the parser verify it. */
export function openAt(code: string, end = code.length): Open[] {
  return read(code, 0, end, false).stack;
}

/** Returns where the element at `start` ends. */
export function endOfElement(code: string, start: number): number {
  return read(code, start, code.length, true).at;
}

/** Where reading is, and what is open there. */
interface Position {
  readonly code: string;
  readonly end: number;
  readonly stack: Open[];
  at: number;
  /** The last characters of code before it: they tell a division from a regular expression. */
  before: string;
}

/** Stands for a value: what follows it is an operator. */
const VALUE = "x";

/** Reads code to its end, or to the end of the element that it begins with. */
function read(code: string, start: number, end: number, oneElement: boolean): { stack: Open[]; at: number } {
  const position: Position = { code, end, stack: [], at: start, before: "" };
  const { stack } = position;
  while (position.at < end) {
    if (oneElement && stack.length === 0 && position.at > start) break;
    const mark = stack.at(-1)?.mark ?? "";
    if (mark === "`") readTemplate(position);
    else if (mark.startsWith("<")) readMarkup(position);
    else readScript(position);
  }
  return { stack, at: position.at };
}

/** Reads on in a template string. */
function readTemplate(position: Position): void {
  const { code, at, stack } = position;
  if (code[at] === "\\") position.at += 2;
  else if (code.startsWith("${", at)) {
    stack.push({ mark: "${", at });
    position.at += 2;
    position.before = "{";
  } else {
    position.at += 1;
    if (code[at] !== "`") return;
    stack.pop();
    position.before = VALUE;
  }
}

/** Reads on between the tags of an element. */
function readMarkup(position: Position): void {
  const { code, at, end, stack } = position;
  if (code.startsWith("</", at)) closeElement(position);
  else if (code[at] === "<" && /[\w>]/.test(code[at + 1] ?? ""))
    position.at = openElement(code, at, end, stack);
  else {
    position.at += 1;
    if (code[at] !== "{") return;
    stack.push({ mark: "{", at });
    position.before = "{";
  }
}

function closeElement(position: Position): void {
  const { code, at, end, stack } = position;
  const close = code.indexOf(">", at);
  const name = code.slice(at + 2, close === -1 ? end : close).trim();
  const match = stack.findLastIndex(({ mark }) => mark === `<${name}`);
  const barrier = stack.findLastIndex(({ mark }) => !mark.startsWith("<"));
  if (match > barrier) stack.length = match;
  else stack.pop();
  position.at = close === -1 ? end : close + 1;
  position.before = VALUE;
}

/** Reads on in JavaScript, outside of strings and markup. */
function readScript(position: Position): void {
  const { code, at, end, stack, before } = position;
  const char = code[at] ?? "";
  const next = code[at + 1] ?? "";
  const mayBegin = () => BEFORE_EXPRESSION.test(before.slice(-12));
  const skip = (to: number) => {
    position.at = to;
    position.before = VALUE;
  };
  if (char === "/" && next === "/") position.at = until(code, "\n", at, end);
  else if (char === "/" && next === "*") position.at = until(code, "*/", at, end);
  else if (char === '"' || char === "'") skip(afterString(code, at, end));
  else if (char === "/" && mayBegin()) skip(afterRegularExpression(code, at, end));
  else if (char === "<" && /[A-Za-z>]/.test(next) && mayBegin()) skip(openElement(code, at, end, stack));
  else {
    position.at += 1;
    if (char === "`") {
      stack.push({ mark: "`", at });
      return;
    }
    if (char === "(" || char === "[" || char === "{") stack.push({ mark: char, at });
    else if (char === ")" || char === "]" || char === "}") close(stack, char);
    if (!/\s/.test(char)) position.before = nextBefore(before, char, code[at - 1]);
  }
}

/** The text that closes everything that is open, innermost first. */
export function closersOf(stack: readonly Open[]): string {
  return stack
    .toReversed()
    .map(({ mark }) => (mark.startsWith("<") ? `</${mark.slice(1)}>` : (CLOSING[mark] ?? "")))
    .join("");
}

function nextBefore(before: string, char: string, previous: string | undefined): string {
  const joined = /\w/.test(char) && /\w/.test(previous ?? "") ? before + char : char;
  return joined.slice(-20);
}

function close(stack: Open[], char: string): void {
  const match = stack.findLastIndex(({ mark }) => CLOSING[mark] === char);
  if (match !== -1) stack.length = match;
}

/** Reads an opening tag with its attributes and returns where it ends. */
function openElement(code: string, start: number, end: number, stack: Open[]): number {
  const name = /^[\w.:-]*/.exec(code.slice(start + 1, start + 80))?.[0] ?? "";
  let at = start + 1 + name.length;
  let depth = 0;
  while (at < end) {
    const char = code[at] ?? "";
    if (char === '"' || char === "'") at = afterString(code, at, end, true);
    else if (char === "`") at = until(code, "`", at + 1, end);
    else {
      if (char === "{") depth += 1;
      else if (char === "}") depth -= 1;
      else if (char === ">" && depth <= 0) {
        const closed = code[at - 1] === "/" || VOID_ELEMENTS.has(name);
        if (!closed) stack.push({ mark: `<${name}`, at: start });
        return at + 1;
      }
      at += 1;
    }
  }
  return end;
}

/** The offset of the `>` that ends the opening tag at `start`. */
export function endOfOpeningTag(code: string, start: number): number {
  const stack: Open[] = [];
  return openElement(code, start, code.length, stack) - 1;
}

function afterString(code: string, start: number, end: number, lines = false): number {
  const quote = code[start];
  for (let at = start + 1; at < end; at++) {
    if (code[at] === "\\") at += 1;
    else if (code[at] === quote) return at + 1;
    else if (code[at] === "\n" && !lines) return at;
  }
  return end;
}

function afterRegularExpression(code: string, start: number, end: number): number {
  let inClass = false;
  for (let at = start + 1; at < end; at++) {
    const char = code[at];
    if (char === "\\") at += 1;
    else if (char === "\n") return start + 1;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) return at + 1;
  }
  return end;
}

function until(code: string, mark: string, from: number, end: number): number {
  const found = code.indexOf(mark, from);
  return found === -1 ? end : Math.min(end, found + mark.length);
}
