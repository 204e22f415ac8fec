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

/** Reads code to its end, or to the end of the element that it begins with. */
function read(code: string, start: number, end: number, oneElement: boolean): { stack: Open[]; at: number } {
  const stack: Open[] = [];
  const top = () => stack.at(-1)?.mark ?? "";
  let before = "";
  let at = start;
  const inElement = () => top().startsWith("<");
  while (at < end) {
    if (oneElement && stack.length === 0 && at > start) break;
    const char = code[at] ?? "";
    const two = code.slice(at, at + 2);
    if (top() === "`") {
      if (char === "\\") at += 2;
      else if (two === "${") {
        stack.push({ mark: "${", at });
        at += 2;
        before = "{";
      } else {
        if (char === "`") {
          stack.pop();
          before = "x";
        }
        at += 1;
      }
      continue;
    }
    if (inElement()) {
      if (two === "</") {
        const close = code.indexOf(">", at);
        const name = code.slice(at + 2, close === -1 ? end : close).trim();
        const match = stack.findLastIndex(({ mark }) => mark === `<${name}`);
        const barrier = stack.findLastIndex(({ mark }) => !mark.startsWith("<"));
        if (match > barrier) stack.length = match;
        else stack.pop();
        at = close === -1 ? end : close + 1;
        before = "x";
      } else if (char === "<" && /[\w>]/.test(code[at + 1] ?? "")) at = openElement(code, at, end, stack);
      else {
        if (char === "{") {
          stack.push({ mark: "{", at });
          before = "{";
        }
        at += 1;
      }
      continue;
    }
    if (two === "//") at = until(code, "\n", at, end);
    else if (two === "/*") at = until(code, "*/", at, end);
    else if (char === '"' || char === "'") {
      at = afterString(code, at, end);
      before = "x";
    } else if (char === "`") {
      stack.push({ mark: "`", at });
      at += 1;
    } else if (char === "/" && BEFORE_EXPRESSION.test(before.slice(-12))) {
      at = afterRegularExpression(code, at, end);
      before = "x";
    } else if (
      char === "<" &&
      /[A-Za-z>]/.test(code[at + 1] ?? "") &&
      BEFORE_EXPRESSION.test(before.slice(-12))
    ) {
      at = openElement(code, at, end, stack);
      before = "x";
    } else {
      if (char === "(" || char === "[" || char === "{") stack.push({ mark: char, at });
      else if (char === ")" || char === "]" || char === "}") close(stack, char);
      if (!/\s/.test(char)) before = nextBefore(before, char, code[at - 1]);
      at += 1;
    }
  }
  return { stack, at };
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
