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

const QUESTION =
  /^(?:please|(?:can|could|would) you|tell me|what(?:['’]s| is| are| was)|how (?:do|can|should) (?:i|we|you)|do you know)\s+/i;
const TITLE_WORDS = 5;

/** Returns what a conversation is about in at most five words, of which the last one does not ask for another. */
export function conversationTitle(question: string): string {
  const plain = question
    .replace(/^(?:what|which)(?: time is it|['’]s the time)(?: now)?\b/i, "Time")
    .replace(QUESTION, "");
  const words = subjectOf(plain).split(/\s+/).slice(0, TITLE_WORDS).join(" ");
  return titleOf(
    words.replace(/(?:[\s,;:]+(?:an?|and|at|for|from|in|into|is|it|my|of|on|or|the|to|with))+$/i, ""),
  );
}

/** Escapes text for HTML and SVG. */
export function escapeMarkup(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
