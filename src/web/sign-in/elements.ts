const SVG = "http://www.w3.org/2000/svg";

type Child = Node | string | false | undefined;

/** Makes an element. Texts become text, never markup. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | boolean | undefined>,
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

/** Makes a button that looks like a link. */
export function linkButton(text: string, run: () => void): HTMLButtonElement {
  const button = make("button", { type: "button", class: "link" }, text);
  button.addEventListener("click", run);
  return button;
}

/** Makes the mark of Tackle. */
export function mark(): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  const parts: [string, Record<string, string>][] = [
    ["path", { d: "M4.8 20.5V10.7a7.2 7.2 0 0 1 14.4 0V17" }],
    ["circle", { cx: "12", cy: "10.7", r: "2.7" }],
    ["circle", { cx: "19.2", cy: "18.6", r: "3" }],
  ];
  for (const [key, value] of Object.entries({ class: "mark", viewBox: "0 0 24 24", "aria-hidden": "true" }))
    svg.setAttribute(key, value);
  for (const [name, attributes] of parts) {
    const part = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
    svg.append(part);
  }
  return svg;
}

/** Makes an input with its label above, and what is said below. */
export function field(options: {
  name: string;
  label: string;
  hint?: string;
  /** Stands at the end of the label's line. */
  beside?: HTMLElement;
  attributes: Record<string, string | boolean | undefined>;
}): HTMLElement {
  const { name, label, hint, beside, attributes } = options;
  const said = hint === undefined ? undefined : `${name}-hint`;
  return make(
    "div",
    { class: "sign-in-field" },
    make("label", { for: name }, label),
    make("input", { id: name, name, "aria-describedby": said, ...attributes }),
    // After the input, so that Tab goes from the name to the password.
    beside,
    said !== undefined && make("p", { id: said, class: "hint" }, hint ?? ""),
  );
}
