/** The words that diagrams begin with. */
export const KINDS = `
  flowchart graph sequenceDiagram classDiagram stateDiagram-v2 stateDiagram erDiagram journey gantt pie quadrantChart
  requirementDiagram gitGraph C4Context mindmap timeline sankey-beta xychart-beta block-beta packet-beta architecture-beta
  kanban radar-beta`
  .trim()
  .split(/\s+/);
export const FIRST_WORD = /^(?:\s|%%[^\n]*\n|---[\s\S]*?---\n)*([\w-]+)/;

/** Whether a text begins with the name of a kind of diagram. */
export function startsLikeDiagram(code: string): boolean {
  const word = FIRST_WORD.exec(code)?.[1] ?? "";
  return KINDS.includes(word);
}
