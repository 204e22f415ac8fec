import type { ThemeRegistration } from "@shikijs/primitive";

/**
 * The kinds of tokens that the style sheet colors, with the scopes that grammars give them. The same as in the editor of
 * artifacts, so that code looks alike in both.
 */
const SCOPES = {
  keyword: [
    "keyword",
    "storage",
    "variable.language",
    "entity.name.tag",
    "markup.heading",
    "punctuation.definition.template-expression",
  ],
  string: ["string", "markup.inline.raw", "markup.fenced_code", "markup.quote"],
  constant: ["constant", "support.constant", "variable.other.constant", "markup.underline.link"],
  function: [
    "entity.name.function",
    "entity.name.type",
    "entity.name.class",
    "entity.other.inherited-class",
    "support.function",
    "support.class",
    "support.type",
  ],
  comment: ["comment", "string.quoted.docstring"],
  parameter: [
    "variable.parameter",
    "entity.other.attribute-name",
    "support.type.property-name",
    "meta.object-literal.key",
  ],
  inserted: ["markup.inserted", "meta.diff.header.to-file", "punctuation.definition.inserted"],
  deleted: ["markup.deleted", "meta.diff.header.from-file", "punctuation.definition.deleted"],
  // Code inside of something else: an expression in a template, a fenced block.
  plain: ["keyword.operator.accessor", "meta.template.expression", "meta.embedded"],
};

/** A theme whose colors are names: what highlights with it learns the kind of a token, and the style sheet has its color. */
export const codeTheme: ThemeRegistration = {
  name: "kinds",
  type: "dark",
  colors: { "editor.foreground": "plain", "editor.background": "plain" },
  tokenColors: Object.entries(SCOPES).map(([kind, scope]) => ({ scope, settings: { foreground: kind } })),
};
