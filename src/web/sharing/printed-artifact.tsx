import { useState } from "react";
import type { ArtifactState } from "../../protocol/reduce.ts";
import { iconOfType, kindOfType } from "../artifact/names.ts";
import { CodeBlock } from "../markdown/code-block.tsx";
import { draw } from "../markdown/drawing.ts";
import { Markdown, SourcesContext } from "../markdown/markdown.tsx";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { useLoaded } from "../ui/loaded.ts";

/** An artifact on paper: drawings, diagrams and documents as they look, everything else as code. Nothing of it runs. */
export function PrintedArtifact({ artifact }: { artifact: ArtifactState }) {
  const { artifactType, version = 1 } = artifact;
  const title = artifact.title ?? t("artifact");
  return (
    <figure className="printed-artifact" data-part="artifact-card">
      <figcaption>
        <Icon name={iconOfType(artifactType)} />
        <span dir="auto">{title}</span>
        <span className="printed-facts">
          {t("artifactFacts", { kind: t(kindOfType(artifactType)), version })}
        </span>
      </figcaption>
      <Still {...artifact} title={title} />
    </figure>
  );
}

const LANGUAGES: Record<string, string> = { react: "tsx", html: "html" };

function Still({ artifactType, title, code, language = "" }: ArtifactState & { title: string }) {
  switch (artifactType) {
    case "svg":
      return <Drawing title={title} code={code} />;
    case "mermaid":
      return <DrawnDiagram title={title} code={code} />;
    case "markdown":
      return (
        // What looks like the number of a source is none here.
        <SourcesContext value={[]}>
          <Markdown text={code} complete />
        </SourcesContext>
      );
    default:
      return <Code language={LANGUAGES[artifactType ?? ""] ?? language} code={code} />;
  }
}

/** As the source of an image, a drawing runs no scripts and loads nothing. */
function Drawing({ title, code }: { title: string; code: string }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <Code language="xml" code={code} />;
  const address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(code.toWellFormed())}`;
  return <img src={address} alt={title} onError={() => setBroken(true)} />;
}

/** Shows the code until the diagram is drawn, or where it can't be. */
function DrawnDiagram({ title, code }: { title: string; code: string }) {
  const drawing = useLoaded(code, () => draw(code, false));
  if (!drawing || "error" in drawing) return <Code language="mermaid" code={code} busy={!drawing} />;
  return <img src={drawing.address} width={drawing.width} height={drawing.height} alt={title} />;
}

function Code({ language, code, busy = false }: { language: string; code: string; busy?: boolean }) {
  return (
    <div className="prose" aria-busy={busy}>
      <CodeBlock language={language} code={code} />
    </div>
  );
}
