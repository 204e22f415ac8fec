import { expect, it } from "vitest";
import type { ToolListing } from "../../protocol/chat.ts";
import { toolGroups } from "./tool-groups.ts";

it("calls services as the person called them", () => {
  const from = (source: string): ToolListing => ({
    name: `${source}_read`,
    description: "Reads.",
    source,
    effect: "read",
    parameters: {},
    streaming: false,
  });
  const groups = toolGroups([from("linear"), from("openapi:Weather"), from("user")]);
  expect(groups.map(({ name }) => name)).toEqual(["linear", "Weather", "Own tools"]);
});
