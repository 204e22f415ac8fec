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
  /** It has not answered for a while, or does again. */
  onSilence(silent: boolean): void;
}

const WAITING_FRAME = "/artifacts/frame";
const PING_MS = 1_000;
/** A page that takes longer than this to answer is busy with itself, or still on its way. */
const SILENT_MS = 5_000;

/**
 * Shows an artifact in a frame with an origin of its own. A frame that is there before the artifact is finished loads what
 * components need meanwhile, and is handed the component when it is ready; anything else is shown by its own page.
 */
export function Frame({ title, previewUrl, compiledUrl, onMessage, onSilence }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  // The name is known to us and to the page in the frame alone: who speaks under it is that page.
  const [name] = useState(() => crypto.randomUUID());
  const [address, setAddress] = useState(previewUrl ?? WAITING_FRAME);
  const [ready, setReady] = useState(false);
  const tell = useRef({ onMessage, onSilence });
  tell.current = { onMessage, onSilence };
  const heardAt = useRef(Date.now());

  useEffect(() => {
    const hear = ({ source, data }: MessageEvent) => {
      if (source === null || source !== frame.current?.contentWindow) return;
      const message = frameMessage(data, name);
      if (!message) return;
      heardAt.current = Date.now();
      if (message.type === "ready") setReady(true);
      tell.current.onMessage(message);
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, [name]);

  useEffect(() => {
    let before = Date.now();
    let silent = false;
    const timer = setInterval(() => {
      const now = Date.now();
      // A page in the background is hardly woken itself: that says nothing about the frame.
      if (document.hidden || now - before > 2 * PING_MS) heardAt.current = now;
      before = now;
      frame.current?.contentWindow?.postMessage({ type: "ping" }, "*");
      if (silent === now - heardAt.current > SILENT_MS) return;
      silent = !silent;
      tell.current.onSilence(silent);
    }, PING_MS);
    return () => clearInterval(timer);
  }, []);

  useEffect(() => {
    if (previewUrl === undefined || address === previewUrl) return;
    let wanted = true;
    async function show(): Promise<void> {
      if (compiledUrl === undefined || !ready || address !== WAITING_FRAME)
        return setAddress(previewUrl ?? "");
      try {
        const pieces = await ask<{ script: string; css: string }>("GET", compiledUrl);
        if (wanted) frame.current?.contentWindow?.postMessage({ type: "show", ...pieces }, "*");
      } catch {
        if (wanted) setAddress(previewUrl ?? ""); // Its own page shows it, or says what is wrong.
      }
    }
    void show();
    return () => {
      wanted = false;
    };
  }, [previewUrl, compiledUrl, ready, address]);

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
