import { memo, Suspense, useState } from "react";
import { t } from "../text/t.ts";
import { WarningLine } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icons.tsx";
import { loadLater } from "../ui/load-later.ts";
import { useLoaded } from "../ui/loaded.ts";
import { useDark } from "../ui/theme.ts";
import { CodeBlock } from "./code-block.tsx";
import { describeDiagram } from "./describe-diagram.ts";
import { draw } from "./drawing.ts";

const DiagramViewer = loadLater(async () => (await import("./diagram-viewer.tsx")).DiagramViewer);

const LINE_HEIGHT = 34;
const MAX_RESERVED = 340;

/** A finished diagram, drawn as an image. A click enlarges it, and a button shows its code. */
export const Diagram = memo(function Diagram({ source }: { source: string }) {
  const [asCode, setAsCode] = useState(false);
  const [enlarged, setEnlarged] = useState(false);
  const dark = useDark();
  const drawing = useLoaded(`${dark}\n${source}`, () => draw(source, dark), { keep: true });
  if (asCode || (drawing && "error" in drawing))
    return (
      <>
        <CodeBlock language="mermaid" code={source} />
        {drawing && "error" in drawing ? (
          <WarningLine>
            {t("diagramFailed", { error: drawing.error.split("\n")[0]?.replace(/:$/, "") ?? "" })}
          </WarningLine>
        ) : (
          <Button className="link" onClick={() => setAsCode(false)}>
            {t("showDiagram")}
          </Button>
        )}
      </>
    );
  const alt = t("diagram", { what: describeDiagram(source) });
  return (
    <figure className="diagram">
      {drawing ? (
        <Button
          className="diagram-open"
          title={t("enlargeDiagram")}
          aria-haspopup="dialog"
          onClick={() => setEnlarged(true)}
        >
          <img src={drawing.address} width={drawing.width} height={drawing.height} alt={alt} />
          <span className="diagram-enlarge">
            <Icon name="full" />
          </span>
        </Button>
      ) : (
        // Reserves space, so that the text below doesn't move.
        <p className="status-line shimmer" style={{ height: reserved(source) }}>
          {t("drawing")}
        </p>
      )}
      <figcaption>
        <Button className="link" onClick={() => setAsCode(true)}>
          {t("showCode")}
        </Button>
        <CopyButton text={source} label={t("copyCode")} />
      </figcaption>
      {enlarged && drawing && (
        <Suspense fallback={null}>
          <DiagramViewer picture={drawing} alt={alt} onClose={() => setEnlarged(false)} />
        </Suspense>
      )}
    </figure>
  );
});

function reserved(source: string): number {
  return Math.min(MAX_RESERVED, source.trim().split("\n").length * LINE_HEIGHT);
}
