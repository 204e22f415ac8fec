import "react/jsx-runtime";
import "react-dom/client";

const { outer, ready, failed } = window[Symbol.for("tackle.frame")];
addEventListener("message", ({ source, data }) => {
  if (source !== outer || data?.type !== "show" || typeof data.script !== "string") return;
  document.querySelector("style[data-tackle]").textContent = String(data.css ?? "");
  document.getElementById("root").replaceWith(Object.assign(document.createElement("div"), { id: "root" }));
  const address = URL.createObjectURL(new Blob([data.script], { type: "text/javascript" }));
  import(address)
    .catch((thrown) => failed(thrown?.message ?? thrown))
    .finally(() => URL.revokeObjectURL(address));
});
await Promise.allSettled(["lucide-react", "recharts", "framer-motion"].map((name) => import(name)));
ready();
