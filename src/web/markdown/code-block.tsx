import { memo, type ReactNode, Suspense, useEffect, useState } from "react";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { loadLater } from "../ui/load-later.ts";
import type { Fence } from "./fence.ts";
import type { HighlightedLine } from "./highlight.ts";
import { useHighlight } from "./use-highlight.ts";

interface Code extends Fence {
  code: string;
  open?: boolean;
}

/** Code, highlighted as soon as the worker has done so. While it is open, more of it may come. */
export const CodeBlock = memo(function CodeBlock({ language, name, code, open = false }: Code) {
  const colored = useHighlight(language, code);
  const [wrap, setWrap] = useState(false);
  const written = (
    <pre tabIndex={0}>
      <code>
        {colored ? (
          <ColoredCode lines={colored.lines} rest={code.slice(colored.text.length)} />
        ) : (
          <PlainCode code={code} />
        )}
      </code>
    </pre>
  );
  return (
    <figure className="code" data-wrap={wrap}>
      <figcaption>
        <span>{name ?? (language || "text")}</span>
        {!open && LONG_LINE.test(code) && (
          <Button className="link" onClick={() => setWrap(!wrap)}>
            {t(wrap ? "noWrap" : "wrap")}
          </Button>
        )}
        <CopyButton text={code} label={t("copyCode")} />
      </figcaption>
      {!open && isPatch(language, code) ? (
        <Suspense fallback={written}>
          <PatchBlock code={code}>{written}</PatchBlock>
        </Suspense>
      ) : (
        written
      )}
    </figure>
  );
});

const PatchBlock = loadLater(async () => (await import("./patch-block.tsx")).PatchBlock);

function isPatch(language: string, code: string): boolean {
  return /^(?:diff|patch)$/i.test(language) && /^@@ -\d/m.test(code);
}

const CHUNK = 2_000;
/** Longer lines can be wrapped. */
const LONG_LINE = /[^\n]{101}/;
/** A line of more characters is wrapped: a browser lays out a line as a whole, however little of it is seen. */
const LONGEST_LINE = 50_000;

/** Code without colors. When it grows, only its last piece changes; the browser lays out each piece by itself. */
function PlainCode({ code }: { code: string }) {
  if (code.length > LONGEST_LINE && code.split("\n").some((line) => line.length > LONGEST_LINE))
    return <PlainText text={code} />;
  const pieces: ReactNode[] = [];
  for (let at = 0; at < code.length; ) {
    const newline = code.indexOf("\n", at + CHUNK);
    const end = newline === -1 || newline > at + 2 * CHUNK ? at + CHUNK : newline + 1;
    const text = code.slice(at, end);
    const isWhole = text.endsWith("\n") && (at === 0 || code[at - 1] === "\n");
    pieces.push(isWhole ? <Part key={at} text={text} /> : <Piece key={at} text={text} />);
    at = end;
  }
  return pieces;
}

/** Whole lines. The end of the element stands for the last line break. */
const Part = memo(function Part({ text }: { text: string }) {
  return <span className="code-part">{text.slice(0, -1)}</span>;
});

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

/** Pieces of text that get their color at once. */
const COLORED_AT_ONCE = 1_000;
/** A line with more pieces has no colors: a browser lays out a line as a whole. */
const MAX_PIECES_IN_LINE = 1_000;

interface ColoredProps {
  lines: HighlightedLine[];
  /** What was written since then. */
  rest: string;
}

/** Code with colors. Long code gets them part by part, so that the page can react in between. */
function ColoredCode({ lines, rest }: ColoredProps) {
  const [colored, setColored] = useState(1);
  const parts = partsOf(lines);
  useEffect(() => {
    if (colored >= parts.length) return;
    const timer = setTimeout(() => setColored(colored + 1));
    return () => clearTimeout(timer);
  }, [colored, parts.length]);
  if (parts.length === 1) return <Lines lines={lines} rest={rest} colored />;
  return parts.map((part, index) => (
    <span key={index} className="code-part">
      <Lines lines={part} rest={index === parts.length - 1 ? rest : ""} colored={index < colored} />
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

function Lines({ lines, rest, colored }: ColoredProps & { colored: boolean }) {
  if (!colored) return lines.map(textOf).join("\n") + rest;
  return (
    <>
      {lines.map((line, at) => (
        <Line key={at} line={line} isLast={at === lines.length - 1} />
      ))}
      {rest}
    </>
  );
}

const Line = memo(function Line({ line, isLast }: { line: HighlightedLine; isLast: boolean }) {
  return (
    <span>
      {line.length > MAX_PIECES_IN_LINE ? textOf(line) : line.map(coloredPiece)}
      {isLast ? "" : "\n"}
    </span>
  );
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
