import { card, chart, clock, counter, todo } from "./components.ts";
import { diagram } from "./diagrams.ts";
import { page, program, table } from "./documents.ts";
import { drawing } from "./drawings.ts";
import type { Artifact, ArtifactTemplate, ArtifactType } from "./template.ts";

const COMPONENTS = [counter, todo, clock, chart, card];

/** In order of preference: a named kind first ("svg of a clock" is a drawing), then the subject. */
const TEMPLATES = [drawing, diagram, page, counter, todo, clock, chart, table, program, card];

const BY_TYPE: Record<ArtifactType, readonly ArtifactTemplate[]> = {
  react: COMPONENTS,
  html: [page],
  svg: [drawing],
  mermaid: [diagram],
  markdown: [table],
  code: [program],
};

/** Returns the artifact that fits a request best, of the given type if there is one. */
export function artifactFor(request: string, type?: ArtifactType): Artifact {
  const wanted = type ?? (/\breact\b/i.test(request) ? "react" : undefined);
  const templates = wanted ? BY_TYPE[wanted] : TEMPLATES;
  const template = templates.find(({ words }) => words.test(request)) ?? templates[0] ?? card;
  return template.write(request);
}
