import { createRoot } from "react-dom/client";
import type { SharedPage } from "../../protocol/shares.ts";
import { applyPreferences } from "../state/preferences.ts";
import { SharedConversation } from "./page.tsx";

// The page for readers of a link. The server has put the copy into it: it makes no request, and readers need not sign in.
const copy = JSON.parse(document.getElementById("copy")?.textContent ?? "null") as SharedPage | null;
const root = document.getElementById("app");
if (root) void applyPreferences().then(() => createRoot(root).render(<SharedConversation copy={copy} />));
