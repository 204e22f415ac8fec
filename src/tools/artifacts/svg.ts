import render from "dom-serializer";
import { type ChildNode, Element, isTag } from "domhandler";
import { parseDocument } from "htmlparser2";
import type { ArtifactIssue } from "../../protocol/events.ts";
import { unwrap } from "./fences.ts";
import { decodeEntities, issueAt } from "./source.ts";
import { wellFormed } from "./xml.ts";

const MIXED_CASE =
  "viewBox preserveAspectRatio gradientUnits gradientTransform spreadMethod patternUnits patternTransform patternContentUnits clipPathUnits maskUnits maskContentUnits markerWidth markerHeight markerUnits refX refY stdDeviation textLength lengthAdjust pathLength attributeName attributeType repeatCount repeatDur calcMode keyTimes keySplines keyPoints baseFrequency numOctaves tableValues startOffset xChannelSelector yChannelSelector filterUnits primitiveUnits zoomAndPan systemLanguage requiredExtensions glyphRef kernelMatrix surfaceScale specularExponent diffuseConstant edgeMode stitchTiles targetX targetY limitingConeAngle pointsAtX pointsAtY pointsAtZ specularConstant";
const CASES = new Map(MIXED_CASE.split(" ").map((name) => [name.toLowerCase(), name]));
const ELEMENT_CASES = new Map(
  "linearGradient radialGradient clipPath textPath foreignObject animateTransform animateMotion feGaussianBlur feOffset feMerge feMergeNode feColorMatrix feBlend feFlood feComposite feDropShadow feTurbulence feDisplacementMap feMorphology feComponentTransfer feFuncA feFuncR feFuncG feFuncB feImage feTile feConvolveMatrix feDiffuseLighting feSpecularLighting fePointLight feSpotLight feDistantLight"
    .split(" ")
    .map((name) => [name.toLowerCase(), name]),
);

/** Repairs a drawing: the result is well-formed and has no scripts. */
export function processSvg(original: string): { code: string; issues: ArtifactIssue[] } {
  const { code: unwrapped, issues } = unwrap(original, (text) =>
    /^(?:<\?xml(?:[^?]|\?(?!>))*\?>|<!--(?:[^-]|-(?!->))*-->|<!doctype[^>]*>|\s)*<svg\b[\s\S]*<\/svg>\s*$/i.test(
      text,
    ),
  );
  let code = unwrapped;
  if (!/<svg\b/i.test(code) && /&lt;svg\b/i.test(code)) {
    code = decodeEntities(code);
    issues.push({ severity: "fixed", message: "The drawing was written with HTML entities." });
  }
  const start = code.search(/<svg\b/i);
  if (start === -1) {
    const shapes = /<(?:path|circle|rect|g|line|text|ellipse|polygon|polyline)\b/i.exec(code);
    if (!shapes)
      return {
        code,
        issues: [...issues, { severity: "error", message: "There is no <svg> element in it." }],
      };
    code = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400">${code.slice(shapes.index)}</svg>`;
    issues.push({ severity: "fixed", message: "Shapes without a drawing around them were put into one." });
  }
  const problem = wellFormed(code) ?? flaw(code);
  if (problem === undefined) return { code, issues };
  const mended = mend(code, issues);
  const left = wellFormed(mended);
  if (left !== undefined) issues.push(issueAt("error", left.message, mended, left.at));
  else issues.push(issueAt("fixed", problem.message, code, problem.at));
  return { code: mended, issues };
}

/** Problems of well-formed XML that viewers do not display. */
function flaw(code: string): { message: string; at: number } | undefined {
  const tag = /<svg\b[^>]*>/i.exec(code);
  if (!tag) return undefined;
  if (!/\sxmlns\s*=/.test(tag[0]))
    return { message: "The drawing did not name its language.", at: tag.index };
  if (!/\sviewBox\s*=/.test(tag[0]) && !/\s(?:width|height)\s*=/.test(tag[0]))
    return { message: "The drawing had no size.", at: tag.index };
  const script =
    /<script\b|\son[a-z]+\s*=|\b(?:className|strokeWidth|fillOpacity|strokeLinecap|textAnchor|fontSize|stopColor|fontFamily)\s*=|=\{|viewbox\s*=|<(?:lineargradient|radialgradient|clippath)\b/.exec(
      code,
    );
  if (script)
    return { message: "Attributes or elements that drawings do not have were changed.", at: script.index };
  const before = code.slice(0, tag.index).replace(/<\?xml[\s\S]*?\?>|<!--[\s\S]*?-->|<!doctype[^>]*>/gi, "");
  if (before.trim() !== "") return { message: "Words around the drawing were removed.", at: 0 };
  return undefined;
}

/** Parses the drawing leniently and writes it as well-formed XML. */
function mend(code: string, issues: ArtifactIssue[]): string {
  const document = parseDocument(code, { xmlMode: true, decodeEntities: true, recognizeSelfClosing: true });
  const svg = find(document.children);
  if (!svg) return code;
  const seen = { scripts: 0 };
  clean(svg, seen);
  if (seen.scripts > 0) issues.push({ severity: "fixed", message: "Scripts were removed from the drawing." });
  svg.attribs.xmlns ??= "http://www.w3.org/2000/svg";
  if (Object.keys(svg.attribs).every((name) => !/^(?:viewBox|width|height)$/.test(name)))
    svg.attribs.viewBox = "0 0 400 400";
  const text = render(svg, { xmlMode: true, selfClosingTags: true });
  if (/\sxlink:/.test(text) && svg.attribs["xmlns:xlink"] === undefined)
    return text.replace("<svg", '<svg xmlns:xlink="http://www.w3.org/1999/xlink"');
  return text;
}

function find(nodes: ChildNode[]): Element | undefined {
  for (const node of nodes) {
    if (!isTag(node)) continue;
    if (node.name.toLowerCase() === "svg") return node;
    const inner = find(node.children);
    if (inner) return inner;
  }
  return undefined;
}

function clean(element: Element, seen: { scripts: number }): void {
  element.name =
    ELEMENT_CASES.get(element.name.toLowerCase()) ?? (element.name === "SVG" ? "svg" : element.name);
  element.attribs = Object.fromEntries(
    Object.entries(element.attribs).flatMap(([name, value]): [string, string][] => {
      if (/^on/i.test(name) || /^\s*javascript:/i.test(value)) {
        seen.scripts++;
        return [];
      }
      if (!/^[A-Za-z_:][\w:.-]*$/.test(name)) return [];
      return [[svgName(name), value.replace(/^\{["'`]?([^{}]*?)["'`]?\}$/, "$1")]];
    }),
  );
  element.children = element.children.filter((child) => {
    if (!isTag(child) && !(child instanceof Element)) return true;
    if (child.name.toLowerCase() !== "script") return true;
    seen.scripts++;
    return false;
  });
  for (const child of element.children) if (isTag(child)) clean(child, seen);
}

/** Converts React's or HTML's spelling of an attribute to SVG's. */
function svgName(name: string): string {
  if (name === "className") return "class";
  const cased = CASES.get(name.toLowerCase());
  if (cased !== undefined) return cased;
  if (/^(?:xmlns|xlink|xml):/.test(name)) return name;
  return /^[a-z]+[A-Z]/.test(name) ? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) : name;
}
