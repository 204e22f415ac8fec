import { memo, type ReactNode, useEffect, useState } from "react";
import { t } from "../text/t.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { useLoaded } from "../ui/loaded.ts";
import { type HighlightedLine, highlight } from "./highlight.ts";

/** Finished code, highlighted as soon as the worker has done so. */
export const CodeBlock = memo(function CodeBlock({ language, code }: { language: string; code: string }) {
  const lines = useLoaded(`${language}\n${code}`, () => highlight(language, code));
  return (
    <figure className="code">
      <figcaption>
        <span>{language || "text"}</span>
        <CopyButton text={code} label={t("copyCode")} />
      </figcaption>
      <ScrollingCode>{lines ? <ColoredCode lines={lines} /> : code}</ScrollingCode>
    </figure>
  );
});

const CHUNK = 2_000;

/** Code that is still being written. It is rendered in pieces, so only the last one changes. */
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

/** Text as it was written, in pieces that the browser lays out only where they are seen. */
export function PlainText({ text }: { text: string }) {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += CHUNK) pieces.push(text.slice(at, at + CHUNK));
  return (
    <div className="plain-text">
      {pieces.map((piece, index) => (
        <div key={index}>
          <Piece text={piece} />
        </div>
      ))}
    </div>
  );
}

const Piece = memo(function Piece({ text }: { text: string }) {
  return text;
});

function ScrollingCode({ children }: { children: ReactNode }) {
  return (
    <pre tabIndex={0}>
      <code>{children}</code>
    </pre>
  );
}

/** Pieces of text that get their color at once. */
const COLORED_AT_ONCE = 1_000;
/** A line with more pieces has no colors: a browser lays out a line as a whole. */
const MAX_PIECES_IN_LINE = 1_000;

/** Code with colors. Long code gets them part by part, so that the page can react in between. */
function ColoredCode({ lines }: { lines: HighlightedLine[] }) {
  const [colored, setColored] = useState(1);
  const parts = partsOf(lines);
  useEffect(() => {
    if (colored >= parts.length) return;
    const timer = setTimeout(() => setColored(colored + 1));
    return () => clearTimeout(timer);
  }, [colored, parts.length]);
  if (parts.length === 1) return <Lines lines={lines} colored />;
  return parts.map((part, index) => (
    <span key={index} className="code-part">
      <Lines lines={part} colored={index < colored} />
    </span>
  ));
}

function partsOf(lines: HighlightedLine[]): HighlightedLine[][] {
  const parts: HighlightedLine[][] = [[]];
  let pieces = 0;
  for (const line of lines) {
    if (pieces + line.length > COLORED_AT_ONCE && pieces > 0) {
      parts.push([]);
      pieces = 0;
    }
    parts.at(-1)?.push(line);
    pieces += line.length;
  }
  return parts;
}

const Lines = memo(function Lines({ lines, colored }: { lines: HighlightedLine[]; colored: boolean }) {
  if (!colored) return lines.map((line) => `${textOf(line)}\n`).join("");
  return lines.map((line, at) => (
    <span key={at}>
      {line.length > MAX_PIECES_IN_LINE ? textOf(line) : line.map(coloredPiece)}
      {"\n"}
    </span>
  ));
});

function textOf(line: HighlightedLine): string {
  return line.map(([text]) => text).join("");
}

function coloredPiece([text, kind]: HighlightedLine[number], index: number): ReactNode {
  if (kind === "") return text;
  return (
    <span key={index} className={`token-${kind}`}>
      {text}
    </span>
  );
}
