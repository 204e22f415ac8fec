import { useState } from "react";
import type { EventOf, Source } from "../../protocol/events.ts";
import { safeLink } from "../markdown/links.ts";
import { duration, t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";

/** A file of the project that the conversation is in. */
const PROJECT_FILE = /^\/projects\/[\w-]+\/files\/[\w-]+(?:#page=\d+)?$/;

/** The results of a search, numbered as the answer cites them. */
export function SourceCards({ search }: { search: EventOf<"web_search">["data"] }) {
  const { sources, provider, query, rewrittenQuery, searchTimeMs } = search;
  return (
    <div className="sources">
      <p className="sources-head">
        {t("searchedFor", { provider, query: rewrittenQuery ?? query })} · {duration(searchTimeMs)}
      </p>
      <Cards sources={sources} />
    </div>
  );
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
      {sources.map(({ title, url, snippet }, index) => {
        // The same source appears once, with its first number.
        if (sources.findIndex((one) => one.url === url) < index) return null;
        const isFile = PROJECT_FILE.test(url);
        const href = isFile ? url : safeLink(url);
        const host = href === undefined || isFile ? "" : new URL(href).hostname.replace(/^www\./, "");
        return (
          <li key={`${index}-${url}`}>
            <a href={href} target="_blank" rel="noopener noreferrer nofollow">
              <span className="source-number">{index + 1}</span>
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
