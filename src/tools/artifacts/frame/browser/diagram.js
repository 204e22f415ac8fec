import mermaid from "mermaid";

const { painted, failed, dark } = window[Symbol.for("tackle.frame")];
mermaid.initialize({
  startOnLoad: false,
  securityLevel: "strict",
  theme: dark ? "dark" : "default",
  suppressErrorRendering: true,
});
const source = JSON.parse(document.getElementById("source").textContent);
try {
  const { svg } = await mermaid.render("diagram", source);
  document.getElementById("root").innerHTML = svg;
  painted();
} catch (thrown) {
  failed(thrown?.message ?? thrown);
  document.getElementById("root").textContent = thrown?.message ?? String(thrown);
}
