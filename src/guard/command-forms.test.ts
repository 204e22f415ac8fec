import { expect, it } from "vitest";
import { commandForms } from "./command-forms.ts";

it.each(["r\\\nm x", "r\\\r\nm x", "rm$IFS$9x", `rm$${"{IFS}"}x`])(
  "a rule for a command finds it behind signs that the shell drops or reads as a space: %j",
  (line) => {
    expect(commandForms(line)).toContain("rm x");
  },
);
