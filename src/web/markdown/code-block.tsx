import { memo, type ReactNode } from "react";
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
      <ScrollingCode>{lines ? <Lines lines={lines} /> : code}</ScrollingCode>
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

function Lines({ lines }: { lines: HighlightedLine[] }) {
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
