/** Lines of a diff in its colours, or of any other text as they are. */
export function Diff({ text }: { text: string }) {
  return (
    <pre className="diff" tabIndex={0}>
      {text
        .replace(/\n$/, "")
        .split("\n")
        .map((line, index) => (
          <span key={index} className={kindOf(line)}>
            {line}
            {"\n"}
          </span>
        ))}
    </pre>
  );
}

/** True where a text is a unified diff. */
export function isDiff(text: string): boolean {
  return /^(---|\+\+\+|@@) /m.test(text);
}

function kindOf(line: string): string | undefined {
  if (line.startsWith("+++") || line.startsWith("---")) return "diff-name";
  if (line.startsWith("@@")) return "diff-place";
  if (line.startsWith("+")) return "diff-added";
  return line.startsWith("-") ? "diff-removed" : undefined;
}
