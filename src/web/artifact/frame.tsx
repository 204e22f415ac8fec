import { type RefObject, useEffect, useRef, useState } from "react";
import { randomKey } from "../../client/random-key.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/t.ts";
import { type FrameMessage, frameMessage } from "./frame-message.ts";

interface Props {
  title: string;
  /** The page of the finished artifact; undefined while it is being written. */
  previewUrl: string | undefined;
  /** The compiled component, for a frame that waits for it. */
  compiledUrl: string | undefined;
  onMessage(message: FrameMessage): void;
  /** The look that an artifact without colors of its own takes on. */
  theme?: "light" | "dark";
  /** The person points at a part of the artifact. */
  picking?: boolean;
  /** Called with what the page in the frame says besides. */
  onData?(data: unknown): void;
  /** Gets the frame's element. */
  element?: RefObject<HTMLIFrameElement | null>;
  /** Called when the frame stops responding, and when it responds again. */
  onSilence(silent: boolean): void;
}

const WAITING_FRAME = "/artifacts/frame";
const PING_MS = 1_000;
/** A page that takes longer to respond is stuck or still loading. */
const SILENT_MS = 5_000;

/**
 * Shows an artifact in a frame with its own origin. While a component is being written, the frame already loads React and
 * the libraries, and gets the component when it is finished. Any other artifact is shown by its own page.
 */
export function Frame(props: Props) {
  const { title, previewUrl, compiledUrl, onMessage, onSilence, onData, theme, picking = false } = props;
  const own = useRef<HTMLIFrameElement>(null);
  const frame = props.element ?? own;
  // Only the app and the page in the frame know this name, so a message that carries it comes from that page.
  const [name] = useState(() => randomKey());
  // The page reads the theme before it paints. Later changes reach it as messages.
  const [named] = useState(() => (theme === undefined ? name : `${name} ${theme}`));
  const [address, setAddress] = useState(previewUrl ?? WAITING_FRAME);
  const [ready, setReady] = useState(false);
  const handlers = useRef({ onMessage, onSilence, onData });
  handlers.current = { onMessage, onSilence, onData };
  const heardAt = useRef(Date.now());

  useEffect(() => {
    const onFrameMessage = ({ source, data }: MessageEvent) => {
      if (source === null || source !== frame.current?.contentWindow) return;
      const message = frameMessage(data, name);
      if (!message) return handlers.current.onData?.(data);
      heardAt.current = Date.now();
      if (message.type === "ready") setReady(true);
      handlers.current.onMessage(message);
    };
    addEventListener("message", onFrameMessage);
    return () => removeEventListener("message", onFrameMessage);
  }, [name, frame]);

  useEffect(() => {
    if (theme !== undefined) frame.current?.contentWindow?.postMessage({ type: "theme", theme }, "*");
  }, [theme, frame]);

  useEffect(() => {
    if (!picking) return;
    const [element, before] = [frame.current, document.activeElement];
    element?.contentWindow?.postMessage({ type: "pick", on: true }, "*");
    // Meanwhile the keys go to the page in the frame.
    element?.focus();
    return () => {
      element?.contentWindow?.postMessage({ type: "pick", on: false }, "*");
      if (document.activeElement === element && before instanceof HTMLElement) before.focus();
    };
  }, [picking, frame]);

  useEffect(() => {
    let before = Date.now();
    let silent = false;
    const timer = setInterval(() => {
      const now = Date.now();
      // Timers of background pages run rarely: that says nothing about the frame.
      if (document.hidden || now - before > 2 * PING_MS) heardAt.current = now;
      before = now;
      frame.current?.contentWindow?.postMessage({ type: "ping" }, "*");
      if (silent === now - heardAt.current > SILENT_MS) return;
      silent = !silent;
      handlers.current.onSilence(silent);
    }, PING_MS);
    return () => clearInterval(timer);
  }, [frame]);

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
        if (wanted) setAddress(previewUrl ?? ""); // Its own page shows it or says what is wrong.
      }
    }
    void show();
    return () => {
      wanted = false;
    };
  }, [previewUrl, compiledUrl, ready, address, frame]);

  return (
    <iframe
      ref={frame}
      key={address}
      name={named}
      title={title || t("artifact")}
      src={address}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      data-theme={theme}
      data-ready={ready}
    />
  );
}
