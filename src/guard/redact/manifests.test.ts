import { expect, it } from "vitest";
import { redactManifests } from "./manifests.ts";

const VALUE = "c3dvcmRmaXNoMTIz";

it("removes the data of a secret, and nothing around it", () => {
  const manifest = [
    "kind: Secret",
    `note: ${VALUE}`,
    "data:",
    "  # what it opens",
    "#  note",
    "",
    `  user: ${VALUE}`,
    "  cert: |",
    `    ${VALUE}`,
    " ",
    "    second line",
    `  key: ${VALUE}`,
    "  short: abc",
    "metadata:",
    `  uid: ${VALUE}`,
  ];
  const clean = [
    "kind: Secret",
    `note: ${VALUE}`,
    "data:",
    "  # what it opens",
    "#  note",
    "",
    "  user: [secret]",
    "  cert: |",
    "    [secret]",
    " ",
    "    [secret]",
    "  key: [secret]",
    "  short: abc",
    "metadata:",
    `  uid: ${VALUE}`,
  ];
  expect(redactManifests(manifest.join("\n"))).toBe(clean.join("\n"));
});

it("finds each block of data", () => {
  const manifest = `kind: Secret\ndata:\n  cert: >-\n    ${VALUE}\nstringData:\n    key: ${VALUE}`;
  const clean = "kind: Secret\ndata:\n  cert: >-\n    [secret]\nstringData:\n    key: [secret]";
  expect(redactManifests(manifest)).toBe(clean);
});

it("takes the documents of a file apart", () => {
  const config = `kind: ConfigMap\nnote: a --- b\ndata:\n  key: ${VALUE}`;
  const secret = `kind: Secret\nnote: a ---\n---x\ndata:\n  key: ${VALUE}`;
  const clean = secret.replace(VALUE, "[secret]");
  expect(redactManifests(`${config}\n--- \n${secret}`)).toBe(`${config}\n--- \n${clean}`);
  expect(redactManifests(`${secret}\n---\n${config}`)).toBe(`${clean}\n---\n${config}`);
});

it("leaves other manifests alone", () => {
  const manifest = `kind: ConfigMap\ndata:\n  key: ${VALUE}`;
  expect(redactManifests(manifest)).toBe(manifest);
});
