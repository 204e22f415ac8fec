import { useState } from "react";
import type { ImageState } from "../../protocol/reduce.ts";
import { attach, writeDraft } from "../state/draft.ts";
import { notifyFailure } from "../state/notices.ts";
import { t } from "../text/t.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";

const DRAWN = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** An image that a tool or the model made. */
export function ImageView({ image, alt }: { image: ImageState; alt: string }) {
  const [large, setLarge] = useState(false);
  const source = addressOf(image);
  if (source === undefined) return null;
  const name = `image.${image.mimeType.split("/")[1]?.replace("jpeg", "jpg") ?? "png"}`;
  const text = alt || t("image");
  return (
    <figure className="image">
      <button type="button" className="image-open" onClick={() => setLarge(true)} title={t("imageLarge")}>
        <img src={source} alt={text} />
      </button>
      {!image.storageSucceeded && (
        <p className="warning-line">
          <Icon name="warning" />
          {t("imageNotStored")}
        </p>
      )}
      <figcaption>
        <button type="button" className="link" onClick={() => setLarge(true)}>
          <Icon name="full" /> {t("imageLarge")}
        </button>
        <button type="button" className="link" onClick={() => edit(image, source, name)}>
          <Icon name="edit" /> {t("imageEdit")}
        </button>
        <a className="link" href={source} download={name}>
          <Icon name="download" /> {t("imageDownload")}
        </a>
      </figcaption>
      {large && (
        <Dialog title={text} onClose={() => setLarge(false)} className="large-image">
          <img src={source} alt={text} />
        </Dialog>
      )}
    </figure>
  );
}

/** The image goes along with the next message, in which the person says what is to change. */
async function edit({ imageUrl, mimeType }: ImageState, source: string, name: string): Promise<void> {
  const fileId = /^\/files\/([\w-]+)/.exec(imageUrl ?? "")?.[1];
  if (fileId !== undefined)
    return writeDraft(t("imageEditRequest"), [{ fileId, mimeType, name, url: source }]);
  try {
    // It is kept nowhere yet: it is uploaded like a picture from the person's own disk.
    const bytes = Uint8Array.from(atob(source.slice(source.indexOf(",") + 1)), (letter) =>
      letter.charCodeAt(0),
    );
    writeDraft(t("imageEditRequest"));
    await attach([new File([bytes], name, { type: mimeType })]);
  } catch (error) {
    notifyFailure(error);
  }
}

function addressOf({ imageUrl, imageData, mimeType }: ImageState): string | undefined {
  if (imageUrl?.startsWith("/files/")) return imageUrl;
  if (imageData === undefined) return undefined;
  if (imageData.startsWith("data:image/")) return imageData;
  return DRAWN.test(mimeType) ? `data:${mimeType};base64,${imageData}` : undefined;
}
