import { Component, type ReactNode } from "react";

/** Shows `instead` if what is inside cannot be rendered, so that one mistake does not empty the whole page. */
export class Boundary extends Component<{ instead: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.instead : this.props.children;
  }
}
