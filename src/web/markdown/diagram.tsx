import { memo, useEffect, useState } from "react";
import { t } from "../text/t.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icons.tsx";
import { useDark } from "../ui/theme.ts";
import { CodeBlock } from "./code-block.tsx";
import { type Drawing, draw } from "./drawing.ts";

const LINE_HEIGHT = 34;
const MAX_RESERVED = 340;

/** A finished diagram: drawn as an image, with its source behind a button. */
export const Diagram = memo(function Diagram({ source }: { source: string }) {
  const [asCode, setAsCode] = useState(false);
  const drawing = useDrawing(source);
  if (asCode || (drawing && "error" in drawing))
    return (
      <>
        <CodeBlock language="mermaid" code={source} />
        {drawing && "error" in drawing ? (
          <p className="warning-line">
            <Icon name="warning" />
            {t("diagramFailed", { error: drawing.error.split("\n")[0] ?? "" })}
          </p>
        ) : (
          <button type="button" className="link" onClick={() => setAsCode(false)}>
            {t("showDiagram")}
          </button>
        )}
      </>
    );
  return (
    <figure className="diagram">
      {drawing ? (
        <img
          src={drawing.address}
          width={drawing.width}
          height={drawing.height}
          alt={t("diagram", { what: gistOf(source) })}
        />
      ) : (
        // The text below stays where it is when the drawing comes.
        <p className="status-line shimmer" style={{ height: reserved(source) }}>
          {t("drawing")}
        </p>
      )}
      <figcaption>
        <button type="button" className="link" onClick={() => setAsCode(true)}>
          {t("showCode")}
        </button>
        <CopyButton text={source} label={t("copyCode")} />
      </figcaption>
    </figure>
  );
});

function useDrawing(source: string): Drawing | undefined {
  const dark = useDark();
  const [drawing, setDrawing] = useState<Drawing>();
  useEffect(() => {
    let wanted = true;
    void draw(source, dark).then((drawn) => {
      if (wanted) setDrawing(drawn);
    });
    return () => {
      wanted = false;
    };
  }, [source, dark]);
  return drawing;
}

function reserved(source: string): number {
  return Math.min(MAX_RESERVED, source.trim().split("\n").length * LINE_HEIGHT);
}

/** What somebody who does not see it is told: its words, in their order. */
function gistOf(source: string): string {
  const words = source.match(/\[[^\]]+\]|\{[^}]+\}|\([^)]+\)|"[^"]+"|:[^\n]+/g) ?? [];
  const names = words.map((word) => word.replace(/[[\](){}":]/g, " ").trim()).filter((word) => word !== "");
  return (names.length > 0 ? [...new Set(names)].slice(0, 12).join(", ") : source.trim()).slice(0, 300);
}
