import mermaid from "mermaid";

const { outer, ready } = window[Symbol.for("tackle.frame")];
const root = document.getElementById("root");
const looks = DIAGRAM_LOOKS;
const draw = async ({ id, source, dark }) => {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    ...looks[dark ? "dark" : "light"],
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    suppressErrorRendering: true,
  });
  const { svg } = await mermaid.render("diagram", source);
  root.innerHTML = svg;
  const drawn = root.querySelector("svg");
  const { width, height } = drawn.viewBox.baseVal;
  drawn.setAttribute("width", width);
  drawn.setAttribute("height", height);
  drawn.removeAttribute("style");
  return { id, svg: new XMLSerializer().serializeToString(drawn), width, height };
};
let last = Promise.resolve();
addEventListener("message", ({ source, data }) => {
  if (source !== outer || data?.type !== "draw" || typeof data.source !== "string") return;
  const answer = (result) => outer.postMessage({ type: "drawn", ...result }, "*");
  last = last
    .then(() => draw(data))
    .then(answer, (thrown) => answer({ id: data.id, error: String(thrown?.message ?? thrown) }));
});
ready();
