import type { ReactNode } from "react";

interface SectionProps {
  title: string;
  hint?: string;
  aside?: ReactNode;
  children: ReactNode;
}

/** One part of a page, with its heading. */
export function Section({ title, hint, aside, children }: SectionProps) {
  return (
    <section aria-label={title}>
      <header>
        <h2>{title}</h2>
        {hint && <span className="hint">{hint}</span>}
        {aside}
      </header>
      {children}
    </section>
  );
}
