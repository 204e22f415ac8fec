/** Texts about looking closer: diagrams that fill the window, parts and links of artifacts. */
export const viewingEnglish = {
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  zoomFit: "Fit to the window",
  zoomHint: "Diagram. Plus and minus zoom, zero fits it to the window, arrows move it.",
  saveSvg: "Download as SVG",
  savePng: "Download as PNG",
  pickPart: "Choose a part to change",
  pickHint: "Click what should change, or press Tab and then Enter. Esc ends.",
  partQuote: "This is about this part of “{title}” ({id}, version {version}):",
  shareVersion: "Share version {version}",
  shareVersionSays:
    "Anyone with the link can see version {version} as it is now. The conversation and other versions stay private.",
};
