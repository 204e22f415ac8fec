import type { ArtifactEndpoint, StoredArtifact } from "../../protocol/artifacts.ts";
import { Failure } from "../../protocol/failure.ts";
import "./needed-packages.ts";
import { appFrame, drawingFrame, emptyFrame, framePage, lonePage } from "./frame/page.ts";
import type { ArtifactLibrary } from "./library.ts";
import { readVendorFile } from "./vendor.ts";
import { compileInWorker } from "./worker.ts";

/** The pages and scripts that the server serves for artifacts. */
export function createArtifactEndpoint(library: ArtifactLibrary): ArtifactEndpoint {
  const page = (artifact: StoredArtifact, origin: string) =>
    framePage(artifact, origin, `${artifact.id} ${artifact.version}`);
  /** A wrong key and a missing artifact get the same error, so addresses cannot be probed. */
  async function found(id: string, version: number, key: string): Promise<StoredArtifact> {
    const artifact = await library.byKey(id, version, key);
    if (!artifact) throw new Failure("NOT_FOUND", "There is no such preview.");
    return artifact;
  }
  return {
    of: (principal) => library.of(principal),
    preview: page,
    async previewByKey(id, version, key, origin) {
      return page(await found(id, version, key), origin);
    },
    async viewByKey(id, version, key, origin) {
      const { title } = await found(id, version, key);
      return lonePage(`/artifacts/${id}/preview?version=${version}&key=${key}`, title, origin);
    },
    emptyFrame,
    drawingFrame,
    appFrame,
    async compiled({ type, code }) {
      if (type !== "react") throw new Failure("INVALID_INPUT", "Only React artifacts are compiled.");
      const { script, css } = await compileInWorker(code);
      return { script, css };
    },
    vendorFile: readVendorFile,
  };
}
