declare module "oxc-parser/src-js/bindings" {
  import type { OxcError, ParserOptions } from "oxc-parser";
  /** The parser itself; `program` is a JSON text. */
  export function parseSync(
    filename: string,
    code: string,
    options?: ParserOptions,
  ): { program: string; errors: OxcError[] };
}

declare module "oxc-parser/src-js/wrap" {
  import type { Program } from "oxc-parser";
  /** The tree out of that text. */
  export function jsonParseAst(json: string): Program;
}
