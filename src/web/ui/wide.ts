import { useLayoutEffect, useState } from "react";

/** Returns true while an element is at least so many pixels wide. */
export function useWide(place: { current: HTMLElement | null }, least: number | undefined): boolean {
  const [wide, setWide] = useState(false);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element || least === undefined) return setWide(false);
    const measure = () => setWide(element.clientWidth >= least);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [place, least]);
  return wide;
}
