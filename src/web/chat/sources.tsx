import { useState } from "react";
import type { Source } from "../../protocol/events.ts";
import { safeLink } from "../markdown/links.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";

/** A file of the project that the conversation is in. */
const PROJECT_FILE = /^\/projects\/[\w-]+\/files\/[\w-]+(?:#page=\d+)?$/;

/** This many sites are shown before the rest is asked for. */
const SITES = 4;

/** What a search has found, one chip for each page with the number by which the answer cites it. */
export function FoundSites({ sources }: { sources: readonly Source[] }) {
  const [all, setAll] = useState(false);
  const found = numbered(sources);
  const shown = all || found.length <= SITES + 1 ? found : found.slice(0, SITES);
  return (
    <ul className="sites">
      {shown.map(({ number, title, url }) => {
        const { href, host } = placeOf(url);
        return (
          <li key={number}>
            <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={title}>
              <span className="source-number">{number}</span>
              {host || title || url}
            </a>
          </li>
        );
      })}
      {shown.length < found.length && (
        <li>
          <Button onClick={() => setAll(true)}>
            {t("moreSites", { count: found.length - shown.length })}
          </Button>
        </li>
      )}
    </ul>
  );
}

/** The same source appears once, with its first number. */
function numbered(sources: readonly Source[]): (Source & { number: number })[] {
  return sources.flatMap((source, index) =>
    sources.findIndex(({ url }) => url === source.url) < index ? [] : [{ ...source, number: index + 1 }],
  );
}

function placeOf(url: string): { href: string | undefined; host: string } {
  const isFile = PROJECT_FILE.test(url);
  const href = isFile ? url : safeLink(url);
  return { href, host: href === undefined || isFile ? "" : new URL(href).hostname.replace(/^www\./, "") };
}

/** One line that unfolds to all sources of an answer. */
export function SourceList({ sources }: { sources: readonly Source[] }) {
  const [open, setOpen] = useState(false);
  const count = new Set(sources.map(({ url }) => url)).size;
  if (count === 0) return null;
  return (
    <div className="sources" data-part="sources">
      <Button className="step-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="link" size="small" />
        <span>{count === 1 ? t("sourceOne") : t("sourcesCount", { count })}</span>
        <Icon name="next" size="tiny" />
      </Button>
      {open && <Cards sources={sources} />}
    </div>
  );
}

function Cards({ sources }: { sources: readonly Source[] }) {
  return (
    <ol>
      {numbered(sources).map(({ number, title, url, snippet }) => {
        const { href, host } = placeOf(url);
        return (
          <li key={number}>
            <a href={href} target="_blank" rel="noopener noreferrer nofollow">
              <span className="source-number">{number}</span>
              <span className="source-title">{title || host || url}</span>
              <span className="source-host">{href === undefined ? url : host}</span>
              <span className="source-text">{snippet}</span>
            </a>
          </li>
        );
      })}
    </ol>
  );
}
