import { statSync } from "node:fs";
import type { Config } from "./config.ts";
import { unknownSettings } from "./setting-names.ts";

/** Files that a setting may name, and what happens without one. */
const FILES = [
  {
    name: "TACKLE_POLICY",
    of: ({ policyFile }: Config) => policyFile,
    without: "the default policy applies",
  },
  { name: "TACKLE_MCP", of: ({ mcpFile }: Config) => mcpFile, without: "none of its MCP servers is started" },
  { name: "TACKLE_OPENAPI", of: ({ openApiFile }: Config) => openApiFile, without: "it offers no tools" },
];

/** Returns a sentence for each setting that is read, but probably not meant: a slip in a name or in a path. */
export function doubtfulSettings(config: Config): string[] {
  const isSet = (name: string) => config.settings[name] !== undefined;
  const roots = isSet("TACKLE_ROOTS") ? config.roots : [];
  return [
    ...unknownSettings(config),
    ...roots
      .filter((root) => kindOf(root) !== "folder")
      .map((root) => missing("TACKLE_ROOTS", "folder", root)),
    ...FILES.filter((file) => isSet(file.name) && kindOf(file.of(config)) === "nothing").map(
      (file) => `${missing(file.name, "file", file.of(config))} As long as it is missing, ${file.without}.`,
    ),
  ];
}

function missing(name: string, what: string, path: string): string {
  return `${name}: there is no ${what} ${path}.`;
}

function kindOf(path: string): "folder" | "file" | "nothing" {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch {
    return "nothing"; // Or nothing that this user may see, which is the same for the server.
  }
}
