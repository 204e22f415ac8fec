import type { ArtifactShelves } from "./artifact-shelves.ts";
import { compileComponent } from "./artifacts/frame/compile.ts";
import { emptyFrame, framePage } from "./artifacts/frame/page.ts";
import { readVendorFile } from "./artifacts/vendor.ts";
import type { ArtifactDoor } from "./http/dependencies.ts";
import { Failure } from "./protocol/failure.ts";
import type { StoredArtifact } from "./protocol/store.ts";

/** Artifacts as the HTTP door offers them. */
export function createArtifactDoor(shelves: ArtifactShelves): ArtifactDoor {
  const page = (artifact: StoredArtifact, origin: string) =>
    framePage(artifact, origin, `${artifact.id} ${artifact.version}`);
  return {
    of: (principal) => shelves.of(principal),
    async previewByKey(id, version, key, origin) {
      const artifact = await shelves.byKey(id, version, key);
      // The same answer for a wrong key as for nothing there: an address tells nothing about others.
      if (!artifact) throw new Failure("NOT_FOUND", "There is no such preview.");
      return page(artifact, origin);
    },
    preview: page,
    emptyFrame,
    async compiled({ type, code }) {
      if (type !== "react") throw new Failure("INVALID_INPUT", "Only React artifacts are compiled.");
      const { script, css } = await compileComponent(code);
      return { script, css };
    },
    vendorFile: readVendorFile,
  };
}
