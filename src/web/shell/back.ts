import { closeArtifact } from "../state/artifacts.ts";
import { view } from "../state/view.ts";

/** There, the list of conversations and an artifact cover the whole page. */
const COVERS = "(max-width: 759px)";
/** The entry of the history that stands for what covers the page. */
const ENTRY = "over";

/** On phones, Back closes what covers the page, and only then leaves the conversation. */
export function watchBack(): void {
  // After a reload nothing covers the page.
  if (isEntry()) history.replaceState(null, "");
  view.subscribe((now, before) => {
    if (covers(now) === covers(before)) return;
    if (covers(now) && !isEntry() && matchMedia(COVERS).matches) history.pushState(ENTRY, "");
    // What was chosen in the list may have led elsewhere. Then the entry stays behind.
    if (!covers(now)) setTimeout(() => isEntry() && !covers(view.getState()) && history.back());
  });
  addEventListener("popstate", () => {
    const { drawer, artifact } = view.getState();
    if (isEntry() && !covers(view.getState())) history.back();
    else if (isEntry() || !matchMedia(COVERS).matches) return;
    else if (drawer) view.setState({ drawer: false });
    else if (artifact) closeArtifact();
  });
}

function covers({ drawer, artifact }: ReturnType<typeof view.getState>): boolean {
  return drawer || artifact !== undefined;
}

function isEntry(): boolean {
  return history.state === ENTRY;
}
