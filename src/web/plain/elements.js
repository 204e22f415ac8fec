/** Makes an element. Strings among its children become text, never markup. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** A button that does something. */
export function button(label, click, attributes = {}) {
  return element("button", { type: "button", ...attributes, click }, label);
}

/** A generated image: from our own server, or by its bytes; nothing where it would have to be fetched from elsewhere. */
export function imageOf({ imageUrl, imageData, mimeType }) {
  const own = imageUrl?.startsWith("/") && !imageUrl.startsWith("//");
  const address = own ? imageUrl : imageData && `data:${mimeType};base64,${imageData}`;
  return address && element("img", { src: address, alt: "The generated image" });
}
