/** Texts about looking closer: diagrams that fill the window, parts and links of artifacts. */
export const viewingEnglish = {
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  zoomFit: "Fit to the window",
  zoomHint: "Diagram. Plus and minus zoom, zero fits it to the window, arrows move it.",
  saveSvg: "Download as SVG",
  savePng: "Download as PNG",
};
