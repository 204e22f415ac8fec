import { type MouseEvent, useEffect, useId, useRef, useState } from "react";
import type { Source } from "../../protocol/events.ts";
import { t } from "../text/t.ts";
import { Floating } from "../ui/floating.tsx";

/** How long the pointer rests on a number before its card opens, and how long it may be on its way to the card. */
const OPEN_MS = 120;
const CLOSE_MS = 160;

interface Props {
  source: Source;
  number: number;
  href: string;
}

/** The number of a source in the text. Pointing at it, the focus or a tap shows what it is. */
export function Citation({ source, number, href }: Props) {
  const link = useRef<HTMLAnchorElement>(null);
  const [open, setOpen] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();
  const soon = (next: boolean) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(next), next ? OPEN_MS : CLOSE_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!open) return;
    // Before the answer, which Escape would stop.
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    };
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  }, [open]);

  function onClick(event: MouseEvent<HTMLAnchorElement>): void {
    const { nativeEvent } = event;
    const isTap = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === "touch";
    if (!isTap) return;
    // A finger cannot point: its tap shows the card, whose title is the link.
    event.preventDefault();
    clearTimeout(timer.current);
    setOpen(!open);
  }

  const title = source.title || source.url;
  return (
    <>
      <a
        ref={link}
        className="citation"
        href={href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        aria-label={t("sourceNumber", { number, title })}
        aria-describedby={open ? id : undefined}
        onPointerEnter={({ pointerType }) => pointerType === "mouse" && soon(true)}
        onPointerLeave={({ pointerType }) => pointerType === "mouse" && soon(false)}
        onFocus={({ currentTarget }) => currentTarget.matches(":focus-visible") && setOpen(true)}
        onBlur={({ relatedTarget }) => {
          const isInCard = relatedTarget instanceof Element && relatedTarget.closest(".source-card");
          if (!isInCard) setOpen(false);
        }}
        onClick={onClick}
      >
        {number}
      </a>
      {open && (
        <Floating
          anchor={link}
          sheet={false}
          id={id}
          className="source-card"
          onPointerEnter={() => clearTimeout(timer.current)}
          onPointerLeave={({ pointerType }) => pointerType === "mouse" && soon(false)}
          onClose={() => setOpen(false)}
        >
          <span className="source-card-site" dir="ltr">
            {new URL(href).hostname.replace(/^www\./, "")}
          </span>
          <a href={href} target="_blank" rel="noopener noreferrer nofollow" tabIndex={-1} dir="auto">
            {title}
          </a>
          {source.snippet !== "" && (
            <span className="source-card-text" dir="auto">
              {source.snippet}
            </span>
          )}
        </Floating>
      )}
    </>
  );
}
