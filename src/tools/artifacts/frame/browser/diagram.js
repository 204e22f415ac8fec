import mermaid from "mermaid";

const { outer, painted, failed, dark } = window[Symbol.for("tackle.frame")];
const looks = DIAGRAM_LOOKS;
const root = document.getElementById("root");
const source = JSON.parse(document.getElementById("source").textContent);
const draw = async (look) => {
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict", ...look, suppressErrorRendering: true });
  try {
    const { svg } = await mermaid.render("diagram", source);
    root.innerHTML = svg;
    painted();
  } catch (thrown) {
    failed(thrown?.message ?? thrown);
    root.textContent = thrown?.message ?? String(thrown);
  }
};
let last = draw(looks[dark ? "dark" : "light"]);
addEventListener("message", (event) => {
  if (event.source !== outer || event.data?.type !== "theme") return;
  last = last.then(() => draw(looks[event.data.theme === "dark" ? "dark" : "light"]));
});
