import { closeArtifact } from "../state/artifacts.ts";
import { go, isCover, pushCover } from "../state/history.ts";
import { view } from "../state/view.ts";

/** There, the list of conversations and an artifact cover the whole page. */
const COVERS = "(max-width: 759px)";

/** On phones, Back closes what covers the page, and only then leaves the conversation. */
export function watchBack(): void {
  // After a reload nothing covers the page.
  if (isCover()) history.replaceState(null, "");
  view.subscribe((now, before) => {
    if (covers(now) === covers(before)) return;
    if (covers(now) && !isCover() && matchMedia(COVERS).matches) pushCover();
    // What was chosen in the list may have led elsewhere.
    if (!covers(now)) setTimeout(() => isCover() && !covers(view.getState()) && history.back());
  });
  addEventListener("click", followLink);
  addEventListener("popstate", () => {
    const { drawer, artifact } = view.getState();
    if (isCover() && !covers(view.getState())) history.back();
    else if (isCover() || !matchMedia(COVERS).matches) return;
    else if (drawer) view.setState({ drawer: false });
    else if (artifact) closeArtifact();
  });
}

function covers({ drawer, artifact }: ReturnType<typeof view.getState>): boolean {
  return drawer || artifact !== undefined;
}

/** Follows a link within the app from what covers the page. */
function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#/"]') : null;
  const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
  if (!link || !isCover() || isElsewhere || event.defaultPrevented) return;
  event.preventDefault();
  go(link.getAttribute("href") ?? "");
}
