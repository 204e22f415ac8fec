import { useEffect, useRef, useState } from "react";
import { ask } from "../state/server.ts";
import { t } from "../text/t.ts";
import { type FrameMessage, frameMessage } from "./frame-message.ts";

interface Props {
  title: string;
  /** Where the finished artifact is shown; not there yet while it is being written. */
  previewUrl: string | undefined;
  /** Where the pieces of a component are, for a frame that waits for them. */
  compiledUrl: string | undefined;
  onMessage(message: FrameMessage): void;
}

const WAITING_FRAME = "/artifacts/frame";

/**
 * Shows an artifact in a frame with an origin of its own. A frame that is there before the artifact is finished loads what
 * components need meanwhile, and is handed the component when it is ready; anything else is shown by its own page.
 */
export function Frame({ title, previewUrl, compiledUrl, onMessage }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  // The name is known to us and to the page in the frame alone: who speaks under it is that page.
  const [name] = useState(() => crypto.randomUUID());
  const [address, setAddress] = useState(previewUrl ?? WAITING_FRAME);
  const [ready, setReady] = useState(false);
  const tell = useRef(onMessage);
  tell.current = onMessage;

  useEffect(() => {
    const hear = ({ source, data }: MessageEvent) => {
      if (source === null || source !== frame.current?.contentWindow) return;
      const message = frameMessage(data, name);
      if (!message) return;
      if (message.type === "ready") setReady(true);
      tell.current(message);
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, [name]);

  useEffect(() => {
    if (previewUrl === undefined || address === previewUrl) return;
    let wanted = true;
    async function show(): Promise<void> {
      if (compiledUrl === undefined || !ready || address !== WAITING_FRAME)
        return setAddress(previewUrl ?? "");
      try {
        const pieces = await ask<{ script: string; css: string }>("GET", compiledUrl);
        if (wanted) frame.current?.contentWindow?.postMessage({ tackle: name, type: "show", ...pieces }, "*");
      } catch {
        if (wanted) setAddress(previewUrl ?? ""); // Its own page shows it, or says what is wrong.
      }
    }
    void show();
    return () => {
      wanted = false;
    };
  }, [previewUrl, compiledUrl, ready, address, name]);

  return (
    <iframe
      ref={frame}
      key={address}
      name={name}
      title={title || t("artifact")}
      src={address}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
    />
  );
}
