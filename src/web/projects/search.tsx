import { type ReactNode, useState } from "react";
import type { Project } from "../../protocol/projects.ts";
import { t } from "../text/projects.ts";
import { Icon } from "../ui/icons.tsx";

/** So many fit on a screen. */
const FEW = 8;

/** Finds projects by their names. The field is there once there are more than one sees at a glance. */
export function useProjectSearch(all: readonly Project[] | undefined): {
  field: ReactNode;
  found: readonly Project[] | undefined;
} {
  const [query, setQuery] = useState("");
  if (all === undefined || all.length <= FEW) return { field: null, found: all };
  const words = folded(query).split(/\s+/);
  const found = all.filter(({ name }) => words.every((word) => folded(name).includes(word)));
  return {
    found,
    field: (
      <>
        <ListSearch label={t("searchProjects", { count: all.length })} query={query} onChange={setQuery} />
        {found.length === 0 && <p className="projects-empty">{t("nothingFound")}</p>}
      </>
    ),
  };
}

/** The field above a list that searches it. */
export function ListSearch(props: { label: string; query: string; onChange(query: string): void }) {
  const { label, query, onChange } = props;
  return (
    <label className="project-search">
      <Icon name="search" size="small" />
      <input
        type="search"
        value={query}
        placeholder={label}
        aria-label={label}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}

/** Case and accents don't matter. */
function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLocaleLowerCase()
    .trim();
}
