import { subjectOf, titleOf } from "./subject.ts";
import type { ArtifactTemplate } from "./template.ts";

/** A table with the columns that the request names ("name, age and city"), or a sample. */
export const table: ArtifactTemplate = {
  words: /\b(?:markdown|table|document)\b/i,
  write(request) {
    const columns = columnsIn(request);
    if (columns.length > 1) {
      const row = (cells: string[]) => `| ${cells.join(" | ")} |`;
      const lines = [row(columns), row(columns.map(() => "---")), ...rowsFor(columns).map(row)];
      return { type: "markdown", title: "Table", code: `${lines.join("\n")}\n` };
    }
    const title = titleOf(subjectOf(request)) || "Plan for the week";
    return { type: "markdown", title, code: `# ${title}\n\n${WEEK}` };
  },
};

function columnsIn(request: string): string[] {
  const compared = /\bcompar(?:e|es|ing)\s+(.+?)(?:\s+in\s+(?:a\s+)?(?:markdown|table).*)?$/is.exec(
    request,
  )?.[1];
  if (compared) return ["", ...namesIn(compared)];
  const named = /\bcolumns?\s*:?\s+(.+)|\bwith\s+(.+?)\s+columns?\b/is.exec(request);
  return namesIn(named?.[1] ?? named?.[2] ?? "");
}

/** A comparison has an empty first heading, with the criteria below it. */
function rowsFor(columns: string[]): string[][] {
  if (columns[0] === "") {
    return ["Strengths", "Weaknesses", "Best for"].map((point) =>
      columns.map((name) => (name === "" ? point : "…")),
    );
  }
  return [1, 2, 3].map((count) => columns.map((name) => `${name} ${count}`));
}

function namesIn(list: string): string[] {
  return list
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+/)
    .map((name) => titleOf(name.replace(/[|.?!`]/g, "").trim()))
    .filter(Boolean)
    .slice(0, 8);
}

const WEEK = `| Day | Focus | Done |
| --- | --- | :---: |
| Monday | Gather what is needed | ✓ |
| Tuesday | First draft | ✓ |
| Wednesday | Show it to somebody | |
| Thursday | Improve | |
| Friday | Finish and celebrate | |

> Fill in your own rows: everything here is plain Markdown.
`;

const SNIPPETS: Record<string, Record<string, string>> = {
  python: {
    fibonacci: `def fibonacci(count: int) -> list[int]:
    """The first \`count\` Fibonacci numbers."""
    numbers: list[int] = []
    current, following = 0, 1
    for _ in range(count):
        numbers.append(current)
        current, following = following, current + following
    return numbers


if __name__ == "__main__":
    print(fibonacci(10))
`,
    hello: `def greet(name: str) -> str:
    return f"Hello, {name}!"


if __name__ == "__main__":
    print(greet("world"))
`,
  },
  typescript: {
    fibonacci: `/** The first \`count\` Fibonacci numbers. */
export function fibonacci(count: number): number[] {
  const numbers: number[] = [];
  let [current, following] = [0, 1];
  for (let index = 0; index < count; index++) {
    numbers.push(current);
    [current, following] = [following, current + following];
  }
  return numbers;
}

console.log(fibonacci(10).join(" "));
`,
    hello: `export function greet(name: string): string {
  return \`Hello, \${name}!\`;
}

console.log(greet("world"));
`,
  },
};

/** A small program, in Python if the request names it, otherwise in TypeScript. */
export const program: ArtifactTemplate = {
  words: /\b(?:function|script|program|snippet|python|typescript|fibonacci)\b/i,
  write(request) {
    const language = /\bpython\b/i.test(request) ? "python" : "typescript";
    const topic = /\bfibonacci\b/i.test(request) ? "fibonacci" : "hello";
    const title = topic === "fibonacci" ? "Fibonacci numbers" : "Hello, world";
    return { type: "code", title, code: SNIPPETS[language]?.[topic] ?? "", language };
  },
};
