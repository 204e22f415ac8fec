import "../style/reading.css";
import { type ComponentType, Fragment, useState } from "react";
import { type ArtifactState, callsOf, type RunState, type ToolCallState } from "../../protocol/reduce.ts";
import type { SharedMessage } from "../../protocol/shares.ts";
import { SourceList } from "../chat/sources.tsx";
import { Steps } from "../chat/steps.tsx";
import { Markdown, SourcesContext } from "../markdown/markdown.tsx";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";

type ArtifactView = ComponentType<{ artifact: ArtifactState }>;

interface Props {
  messages: readonly SharedMessage[];
  fileAddress(fileId: string): string;
  /** Shows a finished artifact; by default it runs in its frame. */
  Artifact?: ArtifactView;
}

/** A conversation to read, whole and without anything to do. */
export function Reading({ messages, fileAddress, Artifact = FramedArtifact }: Props) {
  return messages.map((message, index) =>
    message.role === "user" ? (
      <Question key={index} message={message} fileAddress={fileAddress} />
    ) : (
      <ReadAnswer key={index} message={message} Artifact={Artifact} />
    ),
  );
}

interface QuestionProps {
  message: SharedMessage;
  fileAddress(fileId: string): string;
}

function Question({ message: { content, attachments = [] }, fileAddress }: QuestionProps) {
  return (
    <article className="asked" data-part="asked" aria-label={t("you")}>
      {attachments.length > 0 && (
        <div className="asked-files">
          {attachments.map(({ fileId, mimeType, name }) => {
            const address = fileAddress(fileId);
            return /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType) ? (
              <img key={fileId} className="asked-image" src={address} alt={name || t("image")} />
            ) : (
              <a key={fileId} className="file-tile" href={address} target="_blank" rel="noopener noreferrer">
                <span>
                  <Icon name="file" />
                </span>
                <span>{name}</span>
              </a>
            );
          })}
        </div>
      )}
      {content !== "" && (
        <div className="asked-words" dir="auto">
          <p>{content}</p>
        </div>
      )}
    </article>
  );
}

/** An answer to read. */
export function ReadAnswer({
  message: { content, state },
  Artifact = FramedArtifact,
}: {
  message: Pick<SharedMessage, "content" | "state">;
  Artifact?: ArtifactView;
}) {
  const [open, setOpen] = useState(false);
  const sources = state ? callsOf(state).flatMap(({ search }) => search?.sources ?? []) : [];
  return (
    <article className="answer" data-part="answer" aria-label={t("assistant")}>
      <SourcesContext value={sources}>
        {state && hasSteps(state) && (
          <Steps
            state={state}
            running={false}
            thought={undefined}
            open={open}
            onOpen={setOpen}
            nested={() => null}
          />
        )}
        {state ? <Blocks state={state} Artifact={Artifact} /> : <Markdown text={content} complete />}
        <SourceList sources={sources} />
      </SourcesContext>
    </article>
  );
}

/** A copy without steps still has what was made, which is no step to read about. */
function hasSteps({ blocks }: RunState): boolean {
  return blocks.some(
    (block) => block.type === "reasoning" || (block.type === "tool" && block.call.output !== undefined),
  );
}

interface BlocksProps {
  state: RunState;
  Artifact: ArtifactView;
}

function Blocks({ state: { blocks, notices = [], images = [] }, Artifact }: BlocksProps) {
  return (
    <>
      {[...blocks, undefined].map((block, index) => (
        <Fragment key={index}>
          {notices.map(({ at, event }, place) =>
            at === index && event.type === "user_message" ? (
              <div key={place} className="asked">
                <div className="asked-words" dir="auto">
                  <p>{event.text}</p>
                </div>
              </div>
            ) : null,
          )}
          {block?.type === "text" && <Markdown text={block.text} complete />}
          {block?.type === "tool" && <Made call={block.call} Artifact={Artifact} />}
        </Fragment>
      ))}
      {images.map((image, index) => (
        <SharedImage key={index} {...image} />
      ))}
    </>
  );
}

/** What a call made: an artifact or an image. */
function Made({ call: { artifact, image }, Artifact }: { call: ToolCallState; Artifact: ArtifactView }) {
  if (image) return <SharedImage {...image} />;
  return artifact?.complete ? <Artifact artifact={artifact} /> : null;
}

function FramedArtifact({ artifact }: { artifact: ArtifactState }) {
  if (artifact.previewUrl === undefined) return null;
  return (
    <figure className="shared-artifact" data-part="artifact-card">
      <figcaption>
        <Icon name="artifact" /> {artifact.title ?? t("artifact")}
      </figcaption>
      <iframe
        title={artifact.title ?? t("artifact")}
        src={artifact.previewUrl}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        loading="lazy"
      />
    </figure>
  );
}

function SharedImage({ imageUrl, imageData, mimeType }: NonNullable<ToolCallState["image"]>) {
  const source =
    imageUrl ?? (imageData?.startsWith("data:image/") ? imageData : `data:${mimeType};base64,${imageData}`);
  return (
    <figure className="image">
      <img src={source} alt={t("image")} />
    </figure>
  );
}
