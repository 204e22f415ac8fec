import type MagicString from "magic-string";
import type { ArtifactIssue } from "../../../protocol/events.ts";
import { issueAt } from "../source.ts";
import { calleeName, tagOf } from "./nodes.ts";
import { type Node, type Program, remembered, walk } from "./parse.ts";

/** HTML attribute names in lower case, and their names in React. */
const NAMES: Record<string, string> = Object.fromEntries(
  "className htmlFor tabIndex readOnly maxLength minLength colSpan rowSpan autoFocus autoComplete autoPlay contentEditable crossOrigin srcSet dateTime encType noValidate spellCheck useMap frameBorder allowFullScreen playsInline inputMode enterKeyHint viewBox preserveAspectRatio gradientUnits gradientTransform patternUnits textLength pathLength clipPathUnits markerWidth markerHeight refX refY stdDeviation onClick onChange onInput onSubmit onReset onKeyDown onKeyUp onKeyPress onMouseOver onMouseOut onMouseEnter onMouseLeave onMouseDown onMouseUp onMouseMove onFocus onBlur onDoubleClick onLoad onError onScroll onWheel onTouchStart onTouchEnd onTouchMove onDragStart onDragEnd onDragOver onDragLeave onDrop onPaste onCopy onContextMenu onToggle"
    .split(" ")
    .map((name) => [name.toLowerCase(), name]),
);
Object.assign(NAMES, { class: "className", for: "htmlFor", ondblclick: "onDoubleClick" });

/** Renames HTML attributes to React's names, and turns handlers that are strings or calls into functions. */
export function fixAttributes(code: string, program: Program, text: MagicString): ArtifactIssue[] {
  const issues: ArtifactIssue[] = [];
  const setters = settersOf(program);
  walk(program, (node, parents) => {
    if (node.type !== "JSXAttribute") return;
    const isHtml = /^[a-z]/.test(tagOf(parents.at(-1)));
    const fixed = (message: string) => issues.push(issueAt("fixed", message, code, node.start));
    const written = code.slice(node.name.start, node.name.end);
    const name = isHtml ? reactName(written) : written;
    if (name !== written) {
      text.overwrite(node.name.start, node.name.end, name);
      fixed(`“${written}” is called “${name}” in React.`);
    }
    const value = stringValue(node.value);
    if (name === "style" && value !== undefined && node.value) {
      text.overwrite(node.value.start, node.value.end, `{${styleObject(value)}}`);
      fixed("A style was a text; React takes an object.");
    } else if (/^on[A-Z]/.test(name) && value !== undefined && node.value && isHtml) {
      text.overwrite(
        node.value.start,
        node.value.end,
        `{(event) => { ${value.replace(/^javascript:/, "")} }}`,
      );
      fixed(`“${name}” was a text; it is a function now.`);
    } else if (/^on[A-Z]/.test(name) && node.value?.type === "JSXExpressionContainer") {
      const { expression } = node.value;
      if (expression.type !== "CallExpression" || expression.callee.type !== "Identifier") return;
      if (!setters.has(expression.callee.name)) return;
      text.appendLeft(expression.start, "() => ");
      fixed(`“${name}” called its function at once; it waits now.`);
    } else if (name === "dangerouslySetInnerHTML" && value !== undefined && node.value) {
      text.overwrite(node.value.start, node.value.end, `{{ __html: ${JSON.stringify(value)} }}`);
      fixed("“dangerouslySetInnerHTML” was a text; React takes an object.");
    }
  });
  return issues;
}

function reactName(name: string): string {
  const known = Object.hasOwn(NAMES, name.toLowerCase()) ? NAMES[name.toLowerCase()] : undefined;
  if (known !== undefined && (name === name.toLowerCase() || /^on/.test(name))) return known;
  if (!/^[a-z]+(?:-[a-z]+)+$/.test(name) || /^(?:aria|data|x)-/.test(name)) return name;
  return name === "accept-charset"
    ? "acceptCharset"
    : name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The value of a string attribute, with or without braces. */
function stringValue(value: Node | null): string | undefined {
  const inner = value?.type === "JSXExpressionContainer" ? value.expression : value;
  return inner?.type === "Literal" && typeof inner.value === "string" ? inner.value : undefined;
}

/** `color: red; margin-top: 4px` as an object. */
function styleObject(text: string): string {
  const entries = text
    .split(/;(?![^(]*\))/)
    .map((one) => /^\s*([\w-]+)\s*:\s*(.+?)\s*$/s.exec(one))
    .flatMap((match) => (match?.[1] && match[2] ? [[match[1], match[2]] as const] : []));
  const members = entries.map(([property, value]) => {
    const key = property.startsWith("--")
      ? JSON.stringify(property)
      : property.replace(/^-ms-/, "ms-").replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return `${key}: ${JSON.stringify(value)}`;
  });
  return `{ ${members.join(", ")} }`;
}

const SETTERS = Symbol("setters");

/** The functions that set state, each with the name of its state. */
export function settersOf(program: Program): Map<string, string> {
  return remembered(program, SETTERS, () => collectSetters(program));
}

function collectSetters(program: Program): Map<string, string> {
  const setters = new Map<string, string>();
  walk(program, (node) => {
    if (node.type !== "VariableDeclarator" || node.id.type !== "ArrayPattern") return;
    if (calleeName(node.init) !== "useState") return;
    const [state, setter] = node.id.elements;
    if (state?.type === "Identifier" && setter?.type === "Identifier") setters.set(setter.name, state.name);
  });
  return setters;
}
