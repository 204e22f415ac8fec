import { withoutEmptyEdges } from "./empty-edges.ts";

/** What a person wrote, as they wrote it. Code in it, fenced or not, has letters of one width. */
export function AskedText({ text }: { text: string }) {
  if (!text.includes("```")) return <Part text={text} code={looksLikeCode(text)} />;
  return text
    .split(/^ {0,3}```[^\n`]*\n?([\s\S]*?)(?:^ {0,3}```[ \t]*$\n?|$(?![\s\S]))/m)
    .map((piece, index) =>
      piece.trim() === "" ? null : <Part key={index} text={piece} code={index % 2 === 1} />,
    );
}

function Part({ text, code }: { text: string; code: boolean }) {
  if (!code) return <p>{withoutEmptyEdges(text)}</p>;
  return (
    <pre className="pasted" dir="ltr" tabIndex={0}>
      {text.replace(/\n$/, "")}
    </pre>
  );
}

const MOST_CHARACTERS = 20_000;
const CODE_LINE =
  /[;{}]\s*$|^\s*(?:import|export|const|let|var|def|class|function|return|if \(|for \(|#include|<\/?\w+|\/\/|@\w+)|^(?:\t| {2,})\S|=>|:=|\w+\([^)]*\)\s*[:;]?$/;

/** Returns true if most of at least three lines are lines of a program. */
function looksLikeCode(text: string): boolean {
  const lines = text
    .slice(0, MOST_CHARACTERS)
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (lines.length < 3) return false;
  return lines.filter((line) => CODE_LINE.test(line.slice(0, 400))).length >= lines.length * 0.6;
}
