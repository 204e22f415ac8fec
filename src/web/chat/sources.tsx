import type { EventOf } from "../../protocol/events.ts";
import { safeLink } from "../markdown/links.ts";
import { duration, t } from "../text/t.ts";

/** The results of a search, numbered as the answer cites them. */
export function SourceCards({ search }: { search: EventOf<"web_search">["data"] }) {
  const { sources, provider, query, rewrittenQuery, searchTimeMs } = search;
  return (
    <div className="sources">
      <p className="sources-head">
        {t("searchedFor", { provider, query: rewrittenQuery ?? query })} · {duration(searchTimeMs)}
      </p>
      <ol>
        {sources.map(({ title, url, snippet }, index) => {
          const href = safeLink(url);
          const host = href === undefined ? url : new URL(href).hostname.replace(/^www\./, "");
          return (
            <li key={`${index}-${url}`}>
              <a href={href} target="_blank" rel="noopener noreferrer nofollow">
                <span className="source-number">{index + 1}</span>
                <span className="source-title">{title || host}</span>
                <span className="source-host">{host}</span>
                <span className="source-text">{snippet}</span>
              </a>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
