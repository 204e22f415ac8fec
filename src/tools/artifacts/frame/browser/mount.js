import {
  Component as $TackleComponent,
  useEffect as $tackleEffect,
  createElement as $tackleElement,
} from "react";
import { createRoot as $tackleRoot } from "react-dom/client";

const $tackleFrame = window[Symbol.for("tackle.frame")];
class $TackleBoundary extends $TackleComponent {
  state = { message: undefined };
  static getDerivedStateFromError(thrown) {
    return { message: String(thrown?.message ?? thrown) };
  }
  componentDidCatch(thrown) {
    $tackleFrame?.failed(thrown?.message ?? thrown);
  }
  render() {
    if (this.state.message === undefined) return this.props.children;
    return $tackleElement(
      "pre",
      {
        "data-tackle-error": "",
        role: "alert",
        style: { color: "#b91c1c", padding: 16, whiteSpace: "pre-wrap" },
      },
      this.state.message,
    );
  }
}
function $TackleReady({ children }) {
  $tackleEffect(() => $tackleFrame?.painted(), []);
  return children;
}
$tackleRoot(document.getElementById("root")).render(
  $tackleElement($TackleBoundary, null, $tackleElement($TackleReady, null, $tackleElement($tackleDefault))),
);
