/** A word of a command, without its quotes. */
export interface Word {
  text: string;
  /** A variable or a substitution in it is known only when the command runs. */
  dynamic: boolean;
  /** It has an unquoted pattern or brace, so it can become several words. */
  pattern: boolean;
  /** Nothing in it is quoted or escaped. */
  bare: boolean;
  /** The scripts of its command substitutions. */
  scripts: Script[];
}

export interface Redirection {
  operator: string;
  target: Word;
}

export interface SimpleCommand {
  assignments: Word[];
  words: Word[];
  redirections: Redirection[];
  /** The text that a here-document gives it as input. */
  input?: string;
}

/** Commands that are connected by pipes. A script in it is a subshell. */
export type Pipeline = (SimpleCommand | Script)[];

export interface Script {
  pipelines: Pipeline[];
  /** False if there is more than lists, pipes and subshells: loops, functions, jobs in the background. */
  plain: boolean;
  /** The name of a function that starts itself. */
  selfStarting?: string;
}

const MAX_DEPTH = 40;
const RESERVED = new Set(
  "if then elif else fi do done while until for case esac in { } function time".split(" "),
);
const REDIRECTION = /\d*(<<<|<<-?|<>|<&|<\(|>\||>>|>&|>\(|<|>)/y;
const VARIABLE = /[A-Za-z_]\w*|[@*#?$!0-9-]/y;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/**
 * Reads a command line as /bin/sh does. Throws where it is not sure. What it accepts means the same in every POSIX shell, or
 * is not `plain`.
 */
export function parseShell(source: string): Script {
  return new Parser(source, 0).script();
}

class Parser {
  private at = 0;
  private readonly source: string;
  private depth: number;
  /** Here-documents whose text begins on the next line. */
  private waiting: { command: SimpleCommand; delimiter: Word; indented: boolean }[] = [];

  constructor(source: string, depth: number) {
    this.source = source;
    this.depth = depth;
  }

  script(close?: ")"): Script {
    if (++this.depth > MAX_DEPTH) throw new Error("nested too deeply");
    const script: Script = { pipelines: [], plain: true };
    const blocks: { name: string | undefined; start: number }[] = [];
    let pipeline: Pipeline = [];
    let definedFunction: string | undefined;
    const endPipeline = () => {
      if (pipeline.length > 0) script.pipelines.push(pipeline);
      pipeline = [];
    };
    for (;;) {
      this.skipBlanks();
      const next = this.source[this.at];
      if (next === undefined || (next === ")" && close)) {
        if (next !== close || this.waiting.length > 0) throw new Error("it ends early");
        this.at++;
        this.depth--;
        endPipeline();
        return script;
      }
      if (this.take("&&") || this.take("||") || this.take(";")) endPipeline();
      else if (this.take("|")) script.plain &&= !this.take("&");
      else if (this.take("\n")) {
        endPipeline();
        this.readHereDocuments();
      } else if (this.take("&") || this.take(")")) {
        script.plain = false;
        endPipeline();
      } else if (this.take("(")) pipeline.push(this.script(")"));
      else {
        const reserved = this.reservedWord();
        if (reserved === undefined) {
          const command = this.command(script);
          if (typeof command === "string") definedFunction = command;
          else pipeline.push(command);
          continue;
        }
        script.plain = false;
        if (reserved === "{") blocks.push({ name: definedFunction, start: script.pipelines.length });
        if (reserved === "}") {
          endPipeline();
          const { name, start = 0 } = blocks.pop() ?? {};
          if (name !== undefined && calls(script.pipelines.slice(start), name)) script.selfStarting = name;
        }
        definedFunction = undefined;
      }
    }
  }

  /** Returns a command, or the name of the function whose definition begins here. */
  private command(script: Script): SimpleCommand | string {
    const command: SimpleCommand = { assignments: [], words: [], redirections: [] };
    for (;;) {
      this.skipBlanks();
      const next = this.source[this.at];
      if (next === undefined || "\n;&|)".includes(next)) return command;
      const operator = this.redirection();
      if (operator?.endsWith("(")) {
        command.words.push({ ...emptyWord(), dynamic: true, scripts: [this.script(")")] });
        script.plain = false;
      } else if (operator !== undefined) {
        this.skipBlanks();
        const target = this.word(script);
        command.redirections.push({ operator, target });
        if (operator.startsWith("<<")) script.plain = false;
        if (operator === "<<" || operator === "<<-")
          this.waiting.push({ command, delimiter: target, indented: operator === "<<-" });
      } else if (next === "(") {
        const [name] = command.words;
        this.at++;
        this.skipBlanks();
        if (!this.take(")") || !name || command.words.length > 1) throw new Error("unexpected bracket");
        script.plain = false;
        return name.text;
      } else {
        const word = this.word(script);
        if (command.words.length === 0 && ASSIGNMENT.test(word.text)) command.assignments.push(word);
        else command.words.push(word);
      }
    }
  }

  private word(script: Script): Word {
    const word = emptyWord();
    const start = this.at;
    for (;;) {
      const next = this.source[this.at];
      if (next === undefined || " \t\n;&|<>()".includes(next)) break;
      this.at++;
      if (next === "\\") {
        const escaped = this.source[this.at++];
        if (escaped === undefined) throw new Error("it ends with a backslash");
        if (escaped !== "\n") word.text += escaped;
        word.bare = false;
      } else if (next === "'") {
        word.text += this.until("'");
        word.bare = false;
      } else if (next === '"') this.doubleQuoted(word);
      else if (next === "`") this.backquoted(word);
      else if (next === "$") {
        const { dynamic } = word;
        // `$IFS` separates words like a blank.
        if (this.expansion(word, false) === "IFS") {
          script.plain = false;
          return { ...word, dynamic };
        }
      } else {
        if ("*?[{".includes(next)) word.pattern = true;
        word.text += next;
      }
    }
    if (this.at === start) throw new Error("a word is missing");
    return word;
  }

  private doubleQuoted(word: Word): void {
    word.bare = false;
    for (;;) {
      const next = this.source[this.at++];
      if (next === undefined) throw new Error("a quote is open");
      if (next === '"') return;
      if (next === "$") this.expansion(word, true);
      else if (next === "`") this.backquoted(word);
      else if (next === "\\" && '$`"\\\n'.includes(this.source[this.at] ?? " ")) {
        const escaped = this.source[this.at++];
        if (escaped !== "\n") word.text += escaped;
      } else word.text += next;
    }
  }

  private backquoted(word: Word): void {
    const inside = this.until("`");
    // What it escapes depends on the quotes around it.
    if (inside.includes("\\")) throw new Error("a backslash in backquotes");
    word.dynamic = true;
    word.scripts.push(new Parser(inside, this.depth).script());
  }

  /** Reads what follows a `$`, and returns the name of a plain variable. */
  private expansion(word: Word, quoted: boolean): string | undefined {
    const next = this.source[this.at];
    if (this.take("(")) word.scripts.push(this.script(")"));
    else if (this.take("{")) return this.braced(word);
    else {
      VARIABLE.lastIndex = this.at;
      const name = VARIABLE.exec(this.source)?.[0];
      if (name === undefined && (quoted || (next !== "'" && next !== '"'))) {
        word.text += "$";
        return undefined;
      }
      // `$'…'` is decoded by some shells only.
      this.at += name?.length ?? 0;
      word.dynamic = true;
      return name;
    }
    word.dynamic = true;
    return undefined;
  }

  private braced(word: Word): string {
    const start = this.at;
    const inner = emptyWord();
    for (;;) {
      const next = this.source[this.at++];
      if (next === undefined) throw new Error("a brace is open");
      if (next === "}") break;
      // Shells differ in what quotes mean here.
      if ("\\'\"".includes(next)) throw new Error("a quote in a variable");
      if (next === "`") this.backquoted(inner);
      else if (next === "$") this.expansion(inner, true);
    }
    word.dynamic = true;
    word.scripts.push(...inner.scripts);
    return this.source.slice(start, this.at - 1);
  }

  private readHereDocuments(): void {
    for (const { command, delimiter, indented } of this.waiting.splice(0)) {
      const lines: string[] = [];
      for (;;) {
        if (this.at >= this.source.length) throw new Error("a here-document is open");
        const end = this.source.indexOf("\n", this.at);
        const line = this.source.slice(this.at, end === -1 ? undefined : end);
        this.at = end === -1 ? this.source.length : end + 1;
        if ((indented ? line.replace(/^\t+/, "") : line) === delimiter.text) break;
        lines.push(line);
      }
      command.input = lines.join("\n");
      // Substitutions in it are run unless the delimiter is quoted.
      if (delimiter.bare)
        delimiter.scripts.push(new Parser(`: "${command.input.replaceAll('"', "")}"`, this.depth).script());
    }
  }

  private redirection(): string | undefined {
    REDIRECTION.lastIndex = this.at;
    const found = REDIRECTION.exec(this.source);
    if (!found) return undefined;
    this.at += found[0].length;
    return found[1];
  }

  private reservedWord(): string | undefined {
    const word = /^(?:[a-z]+|[{}!])(?![^\s;&|<>()])/.exec(this.source.slice(this.at, this.at + 20))?.[0];
    if (word === undefined || !(RESERVED.has(word) || word === "!")) return undefined;
    this.at += word.length;
    return word;
  }

  private skipBlanks(): void {
    for (;;) {
      const next = this.source[this.at];
      if (next === " " || next === "\t") this.at++;
      else if (next === "\\" && this.source[this.at + 1] === "\n") this.at += 2;
      else if (next === "#") {
        const end = this.source.indexOf("\n", this.at);
        this.at = end === -1 ? this.source.length : end;
      } else return;
    }
  }

  private take(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private until(end: string): string {
    const found = this.source.indexOf(end, this.at);
    if (found === -1) throw new Error("a quote is open");
    const text = this.source.slice(this.at, found);
    this.at = found + 1;
    return text;
  }
}

function emptyWord(): Word {
  return { text: "", dynamic: false, pattern: false, bare: true, scripts: [] };
}

function calls(pipelines: readonly Pipeline[], name: string): boolean {
  return pipelines.flat().some((one) => "words" in one && one.words[0]?.text === name);
}
