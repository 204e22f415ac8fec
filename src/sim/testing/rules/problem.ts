/** A request as it arrived at a vendor. */
export interface VendorRequest {
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed JSON, or the raw text if it is not JSON. */
  readonly body: unknown;
  /** The body as it was sent. Without it, its size and its escapes are not checked. */
  readonly text?: string;
}

/** A rule that a request breaks. */
export interface Problem {
  /** The rule's name, the same for every vendor: `schema-top-level`, `call-without-result`. */
  rule: string;
  /** Where in the body, in the vendor's own notation: `tools[0].function.parameters`, `tools.0`. */
  at: string;
  /** The vendor's words. */
  message: string;
  status: number;
  /** The vendor's own code or type of the error, where it has one. */
  code?: string;
  /** The vendor answers, but not with what was asked for. The stand-in lets such a request through. */
  misread?: boolean;
}

export type Report = (
  rule: string,
  at: string,
  message: string,
  more?: Partial<Pick<Problem, "status" | "code" | "misread">>,
) => void;

/** Returns a list of problems and the function that adds to it. */
export function collectProblems(status = 400): { problems: Problem[]; report: Report } {
  const problems: Problem[] = [];
  return {
    problems,
    report: (rule, at, message, more) => void problems.push({ rule, at, message, status, ...more }),
  };
}

/** Returns the items of a list that are objects, with their indexes. Everything else counts as empty. */
export function objectsIn(value: unknown): { item: Record<string, unknown>; index: number }[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown, index) => ({ item: asObject(item), index }));
}

/** Returns the value if it is an object, and an empty one otherwise. */
export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** Returns the words of a text, for long lists of names. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
