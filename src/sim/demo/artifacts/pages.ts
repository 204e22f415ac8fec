import { escapeMarkup, subjectOf, titleOf } from "./subject.ts";
import type { ArtifactTemplate } from "./template.ts";

export const page: ArtifactTemplate = {
  words: /\b(?:html|web\s?page|website|landing page|home\s?page)\b/i,
  write(request) {
    const title = titleOf(subjectOf(request)) || "Welcome";
    return { type: "html", title, code: code.replaceAll("TITLE", () => escapeMarkup(title)) };
  },
};

const code = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>TITLE</title>
    <style>
      :root { color-scheme: light dark; --ink: #0f172a; --soft: #475569; --paper: #f8fafc; --accent: #4338ca; }
      @media (prefers-color-scheme: dark) {
        :root { --ink: #f8fafc; --soft: #cbd5e1; --paper: #0f172a; --accent: #a5b4fc; }
      }
      * { box-sizing: border-box; }
      body { margin: 0; font: 1.0625rem/1.6 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
      main { max-width: 44rem; margin: 0 auto; padding: 4rem 1.5rem; }
      h1 { font-size: clamp(2.2rem, 6vw, 3.6rem); line-height: 1.1; margin: 0 0 1rem; letter-spacing: -0.02em; }
      p { color: var(--soft); }
      ul { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); padding: 0; list-style: none; margin: 2.5rem 0; }
      li { border: 1px solid color-mix(in srgb, var(--ink) 15%, transparent); border-radius: 1rem; padding: 1.25rem; }
      h2 { font-size: 1.05rem; margin: 0 0 0.25rem; }
      li p { margin: 0; font-size: 0.95rem; }
      a { display: inline-block; padding: 0.7rem 1.3rem; border-radius: 999px; background: var(--accent); color: var(--paper); text-decoration: none; font-weight: 600; }
      a:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
    </style>
  </head>
  <body>
    <main>
      <h1>TITLE</h1>
      <p>A page that is clear, quick and pleasant to read, on a phone as well as on a wide screen, by day and by night.</p>
      <ul>
        <li><h2>Clear</h2><p>One idea to a section, in plain words.</p></li>
        <li><h2>Quick</h2><p>No scripts, nothing to wait for.</p></li>
        <li><h2>Kind</h2><p>Good contrast, and keys work as well as a mouse.</p></li>
      </ul>
      <a href="#top">Get started</a>
    </main>
  </body>
</html>
`;
