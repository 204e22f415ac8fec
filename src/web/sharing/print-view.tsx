import { useEffect, useRef } from "react";
import type { TranscriptMessage } from "../../protocol/chat.ts";
import type { SharedMessage } from "../../protocol/shares.ts";
import { Reading } from "../shared/reading.tsx";
import { chat } from "../state/server.ts";
import "../style/print-view.css";
import { t } from "../text/share.ts";
import { dateText } from "../text/t.ts";
import { useLoaded } from "../ui/loaded.ts";
import { OnPaper } from "../ui/theme.ts";
import { PrintedArtifact } from "./printed-artifact.tsx";

const CHECK_MS = 250;
/** Longer than a diagram may take to be drawn. */
const MOST_MS = 25_000;

/** Shows a whole conversation for printing, also what the page beneath has not loaded, and opens the browser's print dialog. */
export function PrintView({ sessionId, onClose }: { sessionId: string; onClose(): void }) {
  const root = useRef<HTMLElement>(null);
  const loaded = useLoaded(sessionId, async () => {
    const [session, messages] = [await chat.getSession(sessionId), await chat.messages(sessionId)];
    return { session, messages };
  });
  const close = useRef(onClose);
  close.current = onClose;

  useEffect(() => {
    const view = root.current;
    if (!loaded || !view) return;
    const before = document.title;
    // Browsers name the file after the page.
    document.title = loaded.session.title;
    const end = () => close.current();
    addEventListener("afterprint", end);
    let wanted = true;
    void settled(view).then(() => wanted && print());
    return () => {
      wanted = false;
      removeEventListener("afterprint", end);
      document.title = before;
    };
  }, [loaded]);

  return (
    <section ref={root} className="print-view" data-part="print">
      {loaded ? (
        <OnPaper value={true}>
          <h1 dir="auto">{loaded.session.title}</h1>
          <p className="print-day">{dateText(loaded.session.createdAt)}</p>
          <Reading
            messages={loaded.messages.flatMap(toRead)}
            fileAddress={(fileId) => addressesOf(loaded.messages).get(fileId) ?? ""}
            Artifact={PrintedArtifact}
          />
        </OnPaper>
      ) : (
        <p>{t("printWait")}</p>
      )}
    </section>
  );
}

function toRead({ role, content, createdAt, state, attachments }: TranscriptMessage): SharedMessage[] {
  if (role === "system") return [];
  const files = attachments?.map(({ fileId, mimeType, name = "" }) => ({ fileId, mimeType, name }));
  return [
    { role, content, createdAt, ...(state ? { state } : {}), ...(files ? { attachments: files } : {}) },
  ];
}

function addressesOf(messages: readonly TranscriptMessage[]): Map<string, string> {
  return new Map(
    messages.flatMap(({ attachments = [] }) => attachments.map(({ fileId, url }) => [fileId, url])),
  );
}

/** Resolves once pictures have loaded, diagrams are drawn and the text has stopped growing, or after a while. */
async function settled(view: HTMLElement): Promise<void> {
  const until = performance.now() + MOST_MS;
  let size = -1;
  let calm = 0;
  while (performance.now() < until && calm < 4) {
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
    const images = [...view.querySelectorAll("img")].every(({ complete }) => complete);
    const busy = view.querySelector(".shimmer, [aria-busy=true]") !== null;
    calm = images && !busy && view.scrollHeight === size ? calm + 1 : 0;
    size = view.scrollHeight;
  }
}
