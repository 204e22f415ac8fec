/** Shows a diff with colored lines. */
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

/** Returns true if a text is a unified diff. */
export function isDiff(text: string): boolean {
  return /^(---|\+\+\+|@@) /m.test(text);
}

function kindOf(line: string): string | undefined {
  if (line.startsWith("+++") || line.startsWith("---")) return "diff-name";
  if (line.startsWith("@@")) return "diff-place";
  if (line.startsWith("+")) return "diff-added";
  return line.startsWith("-") ? "diff-removed" : undefined;
}
