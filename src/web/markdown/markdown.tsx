import type { Token, Tokens } from "marked";
import {
  createContext,
  Fragment,
  memo,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import type { Source } from "../../protocol/events.ts";
import { directionOfText } from "../text/languages.ts";
import { t } from "../text/t.ts";
import { loadLater } from "../ui/load-later.ts";
import { BlockSplitter, type TextBlock } from "./blocks.ts";
import { Citation } from "./citation.tsx";
import { CodeBlock, PlainText } from "./code-block.tsx";
import { foldDetails } from "./details.ts";
import { decodeEntities } from "./entities.ts";
import { type Fence, fenceOf } from "./fence.ts";
import { FootnoteMark } from "./footnote-mark.tsx";
import { footnotesOf } from "./footnotes.ts";
import { Formula } from "./formula.tsx";
import { joinTags, type TaggedToken } from "./inline-html.ts";
import { safeImage, safeLink } from "./links.ts";
import type { MathToken } from "./math-tokens.ts";
import { Table } from "./table.tsx";

/** The sources that `[n]` in the text refers to. */
export const SourcesContext = createContext<readonly Source[]>([]);

/**
 * Blocks are rendered in groups, so that with each update only the last group of an answer is compared, and so that those of a
 * long answer are laid out only where they are seen.
 */
const GROUP = 20;

/** Markdown of the model. HTML in it is shown as text, but for a few tags without attributes. */
export function Markdown({ text, complete }: { text: string; complete: boolean }) {
  const splitter = useRef<BlockSplitter>(null);
  splitter.current ??= new BlockSplitter();
  const length = useGrowingLength(text.length);
  const blocks = splitter.current.update(text.slice(0, length), complete && length === text.length);
  const folded = foldDetails(blocks);
  const groups: TextBlock[][] = [];
  for (let at = 0; at < folded.length; at += GROUP) groups.push(folded.slice(at, at + GROUP));
  return (
    <div className="prose" data-part="prose" dir="auto" data-long={text.length > LONG}>
      {groups.map((group, index) => (
        <div key={index} className="prose-group" data-full={group.length === GROUP || undefined}>
          <Group blocks={group} />
        </div>
      ))}
    </div>
  );
}

/** Groups of longer texts are laid out only where they are seen. */
const LONG = 10_000;
/** Longer texts appear in pieces, so that the page can react in between. */
const AT_ONCE = 6_000;
const FIRST_STEP = 4_000;
const MOST_STEP = 8_000;
const LEAST_STEP = 500;
/** An answer that is being written may grow by this much at once: what arrives after a stall appears in pieces, too. */
const AHEAD = 1_500;
/** Pieces become larger while they take less than half of this, and smaller when they take longer. */
const STEP_MS = 30;

function useGrowingLength(whole: number): number {
  // A text of ordinary length appears at once, so that nothing below it moves.
  const [allowed, setAllowed] = useState(whole <= AT_ONCE ? AT_ONCE : FIRST_STEP);
  const step = useRef({ size: FIRST_STEP, beganAt: 0 });
  useEffect(() => {
    if (allowed >= whole) return;
    const { size, beganAt } = step.current;
    const took = performance.now() - beganAt;
    const factor = took < STEP_MS / 2 ? 2 : took > STEP_MS ? 0.5 : 1;
    const next = beganAt === 0 ? size : Math.max(LEAST_STEP, Math.min(MOST_STEP, size * factor));
    const timer = setTimeout(() => {
      step.current = { size: next, beganAt: performance.now() };
      setAllowed(Math.min(allowed + next, whole + AHEAD));
    });
    return () => clearTimeout(timer);
  }, [allowed, whole]);
  return Math.min(allowed, whole);
}

const Group = memo(
  function Group({ blocks }: { blocks: TextBlock[] }) {
    return blocks.map((block) => <Block key={block.start} block={block} />);
  },
  (before, after) =>
    before.blocks.length === after.blocks.length &&
    before.blocks.every((block, index) => block === after.blocks[index]),
);

const Block = memo(function Block({ block }: { block: TextBlock }) {
  const code = codeOf(block);
  if (code) return <CodeBlock {...code} open={block.openCode !== undefined} />;
  if (block.plain) return <PlainText text={block.source} />;
  if (block.details)
    return (
      <details>
        <summary>{block.details.summary}</summary>
        <Group blocks={block.details.blocks} />
      </details>
    );
  const [first, ...others] = block.tokens ?? [];
  if (first?.type !== "heading" || block.level === undefined)
    return <>{renderAll(block.tokens ?? [], block.grows)}</>;
  return (
    <>
      {heading(first as Tokens.Heading, `h${block.level}` as "h2")}
      {renderAll(others)}
    </>
  );
});

/** Returns the code of a block that is nothing else. It stays the same element when its fence closes. */
function codeOf({ openCode, tokens = [] }: TextBlock): TextBlock["openCode"] {
  // The last line break is not part of the code.
  if (openCode) return { ...openCode, code: openCode.code.replace(/\n$/, "") };
  const [token] = tokens;
  if (tokens.length !== 1 || token?.type !== "code") return undefined;
  const { lang = "", text: code } = token as Tokens.Code;
  const fence = fenceOf(lang);
  return isDiagram(fence) ? undefined : { ...fence, code };
}

function isDiagram({ language }: Fence): boolean {
  return language.toLowerCase() === "mermaid";
}

const Diagram = loadLater(async () => (await import("./diagram.tsx")).Diagram);

function DrawnLater({ source }: { source: string }) {
  return (
    <Suspense fallback={<p className="status-line shimmer">{t("drawing")}</p>}>
      <Diagram source={source} />
    </Suspense>
  );
}

function renderAll(tokens: readonly Token[], grows = false): ReactNode[] {
  // Tokens of a block are identified by their order.
  return joinTags(tokens).map((token, index) => (
    <Fragment key={`${token.type}-${index}`}>{render(token, grows)}</Fragment>
  ));
}

function inner(token: { tokens?: Token[]; text?: string }): ReactNode {
  return token.tokens ? renderAll(token.tokens) : decodeEntities(token.text ?? "");
}

function render(token: Token, grows: boolean): ReactNode {
  switch (token.type) {
    case "heading":
      // In a quote or a list it is no part of the page's outline.
      return heading(token as Tokens.Heading, "p");
    case "paragraph":
      return paragraph(token as Tokens.Paragraph);
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? renderAll(tokens) : <Cited text={decodeEntities(text)} />;
    }
    case "escape":
      return (token as Tokens.Escape).text;
    case "strong":
      return <strong>{inner(token as Tokens.Strong)}</strong>;
    case "em":
      return <em>{inner(token as Tokens.Em)}</em>;
    case "del":
      return <del>{inner(token as Tokens.Del)}</del>;
    case "tagged": {
      const { name: Tag, tokens } = token as TaggedToken;
      return <Tag>{renderAll(tokens)}</Tag>;
    }
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "hr":
      return <hr />;
    case "blockquote":
      return <blockquote dir={directionOfText(token.raw)}>{inner(token as Tokens.Blockquote)}</blockquote>;
    case "list":
      return list(token as Tokens.List);
    case "table":
      return <Table table={token as Tokens.Table} grows={grows} words={({ tokens }) => renderAll(tokens)} />;
    case "code": {
      const { lang = "", text } = token as Tokens.Code;
      const fence = fenceOf(lang);
      return isDiagram(fence) ? <DrawnLater source={text} /> : <CodeBlock {...fence} code={text} />;
    }
    case "math": {
      const { tex, display } = token as MathToken;
      return <Formula tex={tex} display={display} />;
    }
    case "link":
      return link(token as Tokens.Link);
    case "image":
      return image(token as Tokens.Image);
    case "def":
      return note(token as Tokens.Def);
    case "space":
    case "checkbox":
      return null;
    default:
      // Everything else, such as HTML, is shown as it was written.
      return token.raw;
  }
}

function paragraph(token: Tokens.Paragraph): ReactNode {
  const notes = footnotesOf(token);
  if (notes.length === 0) return <p dir="auto">{inner(token)}</p>;
  return notes.map(({ name, tokens }) => (
    <p key={name} dir="auto" className="footnote" data-footnote={name}>
      {renderAll(tokens)}
    </p>
  ));
}

/** A footnote of one word looks like the address of a link. */
function note({ tag, raw }: Tokens.Def): ReactNode {
  if (!tag.startsWith("^")) return null;
  return (
    <p className="footnote" data-footnote={tag.slice(1)}>
      {raw.trim().replace(/^\[\^([^\]]*)\]:/, "$1.")}
    </p>
  );
}

function heading(token: Tokens.Heading, Tag: "h2" | "p"): ReactNode {
  return (
    <Tag data-depth={token.depth} dir="auto">
      {inner(token)}
    </Tag>
  );
}

function list({ ordered, start, items, raw }: Tokens.List): ReactNode {
  const rows = items.map((item, index) => (
    <li key={`${index}-${item.task}`} className={item.task ? "task" : undefined} dir="auto">
      {item.task && (
        <input type="checkbox" checked={item.checked === true} readOnly disabled aria-label={item.text} />
      )}
      {renderAll(item.tokens)}
    </li>
  ));
  const dir = directionOfText(raw);
  if (!ordered) return <ul dir={dir}>{rows}</ul>;
  return (
    <ol dir={dir} start={start === "" ? 1 : start}>
      {rows}
    </ol>
  );
}

function link(token: Tokens.Link): ReactNode {
  const name = /^\[\^([\w-]{1,20})\]$/.exec(token.raw)?.[1];
  if (name !== undefined) return <FootnoteMark name={name} />;
  const href = safeLink(token.href);
  if (href === undefined) return inner(token);
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={token.title ?? undefined}>
      {inner(token)}
    </a>
  );
}

/** Images from other servers are not loaded: a request would tell that server who looks at it, and could carry data. */
function image({ href, text }: Tokens.Image): ReactNode {
  const own = safeImage(href);
  if (own !== undefined) return <img src={own} alt={text} loading="lazy" />;
  const address = safeLink(href);
  const name = t("imageRemote", { name: text || href });
  if (address === undefined) return name;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {name}
    </a>
  );
}

/** Text in which `[2]` links to the second source. */
function Cited({ text }: { text: string }) {
  const sources = useContext(SourcesContext);
  if (!text.includes("[")) return text;
  return text.split(/(\[\d{1,2}\]|\[\^[\w-]{1,20}\]:?)/).map((piece, index) => {
    if (piece.startsWith("[^") && piece.endsWith(":")) return `${piece.slice(2, -2)}.`;
    if (piece.startsWith("[^")) return <FootnoteMark key={index} name={piece.slice(2, -1)} />;
    const source = index % 2 === 1 ? sources[Number(piece.slice(1, -1)) - 1] : undefined;
    const href = source && safeLink(source.url);
    if (!source || href === undefined) return piece;
    // The same source has one number, however often it was found.
    const number = sources.findIndex(({ url }) => url === source.url) + 1;
    return <Citation key={index} source={source} number={number} href={href} />;
  });
}
