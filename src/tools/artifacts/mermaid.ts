import type { ArtifactIssue } from "../../protocol/events.ts";
import { unwrap } from "./fences.ts";
import { startsLikeDiagram } from "./mermaid-kinds.ts";
import { diagramProblem } from "./mermaid-parser.ts";
import { MERMAID_REPAIRS } from "./mermaid-repairs.ts";

const MAX_ROUNDS = 12;
/** mermaid refuses longer diagrams. */
const MAX_LENGTH = 50_000;

/** Repairs a diagram until mermaid's own parser accepts it, or no repair helps. */
export async function processMermaid(original: string): Promise<{ code: string; issues: ArtifactIssue[] }> {
  const { code: unwrapped, issues } = unwrap(
    original,
    (text) => startsLikeDiagram(text) && !/^[ \t]*```/m.test(text),
  );
  let code = unwrapped;
  if (code.length > MAX_LENGTH)
    return {
      code,
      issues: [...issues, { severity: "error", message: `A diagram may have ${MAX_LENGTH} characters.` }],
    };
  let problem = await diagramProblem(code);
  for (let round = 0; problem && round < MAX_ROUNDS; round++) {
    const better = await nextStep(code, problem.line);
    if (!better) break;
    issues.push({ severity: "fixed", message: better.message, line: problem.line });
    ({ code, problem } = better);
  }
  if (problem) {
    const [message = ""] = problem.message.split("\n");
    const detail = /Expecting [^\n]*got [^\n]*/.exec(problem.message)?.[0] ?? "";
    issues.push({
      severity: "error",
      message: `${message} ${detail}`.trim().slice(0, 500),
      line: problem.line,
    });
  }
  return { code, issues };
}

/** The first repair that mermaid accepts, or that gets its parser further. */
async function nextStep(code: string, line: number) {
  for (const { message, repair } of MERMAID_REPAIRS) {
    const candidate = repair(code, line);
    if (candidate === code) continue;
    const problem = await diagramProblem(candidate);
    if (!problem || problem.line > line) return { code: candidate, problem, message };
  }
  return undefined;
}
