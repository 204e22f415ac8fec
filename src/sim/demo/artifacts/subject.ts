const LEAD =
  /^.{0,30}?\b(?:make|create|build|generate|draw|design|write|show|give|code|sketch|produce|render|want|need|like)\b\s*(?:me|us)?\s*(?:an?|the|some)?\s*/is;
const KIND =
  /^(?:(?:simple|nice|pretty|beautiful|small|little|basic|quick|new|react|html|svg|mermaid|markdown|component|web\s?page|page|site|website|app|widget|artifact|flow\s?chart|sequence|diagram|logo|icon|table|image|landing)\s*)*(?:of|for|about|showing|with|from|that (?:shows|compares)|comparing|called|named|saying)?\s*/i;

/** Returns the subject of a request: "a red sun" for "draw an svg of a red sun". */
export function subjectOf(request: string): string {
  return request
    .replace(LEAD, "")
    .replace(/^(?:an?|the|some)\s+/i, "")
    .replace(KIND, "")
    .replace(/^(?:an?|the|my|our)\s+/i, "")
    .replace(/\s+(?:in|with|using|as)\s+(?:an?\s+)?(?:react|html|svg|mermaid|markdown|tailwind)\b.*$/i, "")
    .replace(/["'`“”]/g, "")
    .replace(/^[\s.?!,:;]+|[\s.?!,:;]+$/g, "")
    .trim();
}

/** Returns a short title with a capital. */
export function titleOf(text: string): string {
  const words = text.split(/\s+/).filter(Boolean).slice(0, 7).join(" ").slice(0, 60);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Escapes text for HTML and SVG. */
export function escapeMarkup(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
