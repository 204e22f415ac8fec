import { useState } from "react";
import { callsOf, type RunState, type ToolCallState } from "../../protocol/reduce.ts";
import type { SharedMessage, SharedPage } from "../../protocol/shares.ts";
import { SourceList } from "../chat/sources.tsx";
import { Steps } from "../chat/steps.tsx";
import { Markdown, SourcesContext } from "../markdown/markdown.tsx";
import { t } from "../text/share.ts";
import { dayText } from "../text/t.ts";
import { Icon, Mark } from "../ui/icons.tsx";

/** The token of the link that is being read. */
const TOKEN = /^\/s\/([\w-]+)/.exec(location.pathname)?.[1] ?? "";

/** A conversation behind a link, or without one that it is gone. */
export function SharedConversation({ copy }: { copy: SharedPage | null }) {
  return (
    <>
      <header className="shared-bar" data-part="bar">
        <span className="shared-mark">
          <Mark />
          Tackle
        </span>
        {copy && (
          <a className="button primary" href={`/#/continue/${TOKEN}`}>
            {t("continueShared")}
          </a>
        )}
      </header>
      <main className="log-content" data-part="column">
        {copy ? <Copy copy={copy} /> : <Gone />}
      </main>
    </>
  );
}

function Gone() {
  return (
    <div className="shared-gone">
      <h1>{t("sharedGone")}</h1>
      <p>{t("sharedGoneHint")}</p>
      <a className="button" href="/">
        {t("toTackle")}
      </a>
    </div>
  );
}

function Copy({ copy: { title, by, sharedAt, messages } }: { copy: SharedPage }) {
  const date = dayText(sharedAt.slice(0, 10));
  return (
    <>
      <h1 className="shared-title" dir="auto">
        {title}
      </h1>
      <p className="shared-by">
        {by === undefined ? t("sharedOn", { date }) : t("sharedBy", { name: by, date })}
      </p>
      {messages.map((message, index) =>
        message.role === "user" ? (
          <Question key={index} message={message} />
        ) : (
          <SharedAnswer key={index} message={message} />
        ),
      )}
    </>
  );
}

function Question({ message: { content, attachments = [] } }: { message: SharedMessage }) {
  return (
    <article className="asked" data-part="asked" aria-label={t("you")}>
      {attachments.length > 0 && (
        <div className="asked-files">
          {attachments.map(({ fileId, mimeType, name }) => {
            const address = `/s/${TOKEN}/files/${encodeURIComponent(fileId)}`;
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

function SharedAnswer({ message: { content, state } }: { message: SharedMessage }) {
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
        {state ? <Blocks state={state} /> : <Markdown text={content} complete />}
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

function Blocks({ state: { blocks, notices = [], images = [] } }: { state: RunState }) {
  return (
    <>
      {[...blocks, undefined].map((block, index) => (
        <div key={index}>
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
          {block?.type === "tool" && <Made call={block.call} />}
        </div>
      ))}
      {images.map((image, index) => (
        <SharedImage key={index} {...image} />
      ))}
    </>
  );
}

/** What a call made: an artifact in its frame, or an image. */
function Made({ call: { artifact, image } }: { call: ToolCallState }) {
  if (image) return <SharedImage {...image} />;
  if (!artifact?.complete || artifact.previewUrl === undefined) return null;
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
