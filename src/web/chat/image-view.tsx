import type { ImageState } from "../../protocol/reduce.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";

const DRAWN = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** An image that a tool or the model made. */
export function ImageView({ image, alt }: { image: ImageState; alt: string }) {
  const source = addressOf(image);
  if (source === undefined) return null;
  return (
    <figure className="image">
      <a href={source} target="_blank" rel="noopener noreferrer">
        <img src={source} alt={alt || t("image")} />
      </a>
      <figcaption>
        {!image.storageSucceeded && <span className="hint">{t("imageNotStored")}</span>}
        <a className="link" href={source} download>
          <Icon name="download" /> {t("imageDownload")}
        </a>
      </figcaption>
    </figure>
  );
}

function addressOf({ imageUrl, imageData, mimeType }: ImageState): string | undefined {
  if (imageUrl?.startsWith("/files/")) return imageUrl;
  if (imageData === undefined) return undefined;
  if (imageData.startsWith("data:image/")) return imageData;
  return DRAWN.test(mimeType) ? `data:${mimeType};base64,${imageData}` : undefined;
}
