import { memo, useEffect, useState } from "react";
import { t } from "../text/t.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { type HighlightedLine, highlight } from "./highlight.ts";

/** Finished code, coloured as soon as the colours are there. */
export const CodeBlock = memo(function CodeBlock({ language, code }: { language: string; code: string }) {
  const lines = useHighlighted(language, code);
  return (
    <figure className="code">
      <figcaption>
        <span>{language || "text"}</span>
        <CopyButton text={code} label={t("copyCode")} />
      </figcaption>
      <ScrollingCode>{lines ? <Lines lines={lines} /> : code}</ScrollingCode>
    </figure>
  );
});

const CHUNK = 2_000;

/** Code that is still being written: what is there already is left alone, only the end grows. */
export function OpenCode({ language, code }: { language: string; code: string }) {
  const pieces: string[] = [];
  for (let at = 0; at < code.length; at += CHUNK) pieces.push(code.slice(at, at + CHUNK));
  return (
    <figure className="code">
      <figcaption>
        <span>{language || "text"}</span>
      </figcaption>
      <ScrollingCode>
        {pieces.map((piece, index) => (
          <Piece key={index} text={piece} />
        ))}
      </ScrollingCode>
    </figure>
  );
}

const Piece = memo(function Piece({ text }: { text: string }) {
  return text;
});

function ScrollingCode({ children }: { children: React.ReactNode }) {
  return (
    <pre tabIndex={0}>
      <code>{children}</code>
    </pre>
  );
}

/** Coloured lines. */
export function Lines({ lines }: { lines: HighlightedLine[] }) {
  return lines.map((line, at) => (
    <span key={at}>
      {line.map(([text, kind], index) =>
        kind === "" ? (
          text
        ) : (
          <span key={index} className={`token-${kind}`}>
            {text}
          </span>
        ),
      )}
      {"\n"}
    </span>
  ));
}

/** The coloured lines of a code, once they are there. */
export function useHighlighted(language: string, code: string): HighlightedLine[] | undefined {
  const [lines, setLines] = useState<HighlightedLine[]>();
  useEffect(() => {
    let wanted = true;
    setLines(undefined);
    void highlight(language, code).then((found) => {
      if (wanted) setLines(found);
    });
    return () => {
      wanted = false;
    };
  }, [language, code]);
  return lines;
}
