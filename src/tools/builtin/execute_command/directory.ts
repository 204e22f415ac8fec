import { join } from "node:path";
import { pathFailure, resolveInside, showPath } from "../../../contain/paths.ts";
import { openFolder } from "../../../contain/paths-open.ts";

/** Resolves the working directory: a folder inside the roots, with no link on the way. */
export async function workingDirectory(roots: readonly string[], path: string): Promise<string> {
  try {
    const place = await resolveInside(roots, path);
    const folder = await openFolder(roots, path);
    await folder.close();
    return join(place.root, ...place.names);
  } catch (error) {
    throw pathFailure(error, showPath(path));
  }
}
