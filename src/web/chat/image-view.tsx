import { useState } from "react";
import type { ImageState } from "../../protocol/reduce.ts";
import { attach } from "../state/attachments.ts";
import { writeDraft } from "../state/draft.ts";
import { attempt } from "../state/notices.ts";
import { t } from "../text/t.ts";
import { WarningLine } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";

const SHOWABLE = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** An image that a tool or the model made. */
export function ImageView({ image, alt }: { image: ImageState; alt: string }) {
  const [large, setLarge] = useState(false);
  const source = addressOf(image);
  if (source === undefined) return null;
  const name = `image.${image.mimeType.split("/")[1]?.replace("jpeg", "jpg") ?? "png"}`;
  const text = alt || t("image");
  return (
    <figure className="image">
      <Button className="image-open" onClick={() => setLarge(true)} title={t("imageLarge")}>
        <img src={source} alt={text} />
      </Button>
      {!image.storageSucceeded && <WarningLine>{t("imageNotStored")}</WarningLine>}
      <figcaption>
        <Button className="link" onClick={() => setLarge(true)}>
          <Icon name="full" /> {t("imageLarge")}
        </Button>
        <Button className="link" onClick={() => edit(image, source, name)}>
          <Icon name="edit" /> {t("imageEdit")}
        </Button>
        <a className="link" href={source} download={name}>
          <Icon name="download" /> {t("download")}
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

/** Attaches the image to the next message, in which the person says what to change. */
async function edit({ imageUrl, mimeType }: ImageState, source: string, name: string): Promise<void> {
  const fileId = /^\/files\/([\w-]+)/.exec(imageUrl ?? "")?.[1];
  if (fileId !== undefined)
    return writeDraft(t("imageEditRequest"), [{ fileId, mimeType, name, url: source }]);
  await attempt(async () => {
    // The server has not stored it, so it is uploaded like a file.
    const data = atob(source.slice(source.indexOf(",") + 1));
    const bytes = Uint8Array.from(data, (letter) => letter.charCodeAt(0));
    writeDraft(t("imageEditRequest"));
    await attach([new File([bytes], name, { type: mimeType })]);
  });
}

function addressOf({ imageUrl, imageData, mimeType }: ImageState): string | undefined {
  if (imageUrl?.startsWith("/files/")) return imageUrl;
  if (imageData === undefined) return undefined;
  if (imageData.startsWith("data:image/")) return imageData;
  return SHOWABLE.test(mimeType) ? `data:${mimeType};base64,${imageData}` : undefined;
}
