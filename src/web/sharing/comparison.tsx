import { useEffect, useId, useState } from "react";
import type { ModelListing, TranscriptMessage } from "../../protocol/chat.ts";
import { callsOf, type RunState } from "../../protocol/reduce.ts";
import { ReadAnswer } from "../shared/reading.tsx";
import { goTo } from "../shell/address.ts";
import { showVersion } from "../state/branches.ts";
import { conversation } from "../state/conversation.ts";
import { stop } from "../state/live-run.ts";
import { attempt, notify, sentenceOf } from "../state/notices.ts";
import { person } from "../state/person.ts";
import { chat } from "../state/server.ts";
import type { askBeside, SideAnswer } from "../state/side-answers.ts";
import { t } from "../text/share.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Modal } from "../ui/dialog.tsx";
import { useMatches } from "../ui/matches.ts";
import { panelOf, Tabs } from "../ui/tabs.tsx";

interface Props {
  message: TranscriptMessage;
  /** The model that answers in the conversation itself. */
  model: ModelListing;
  /** Those that answer in forks of it. */
  others: readonly ModelListing[];
  side: ReturnType<typeof askBeside>;
  onClose(): void;
}

interface Column {
  name: string;
  message?: Pick<TranscriptMessage, "content" | "state"> | undefined;
  running: boolean;
  /** Why there is no answer, or what it ended with. */
  problem?: string | undefined;
  /** What continuing with it does, where that needs saying. */
  hint?: string | undefined;
  /** Undefined while there is nothing to continue with. */
  proceed?: (() => void) | undefined;
  decide?: (() => void) | undefined;
  /** Ends this answer alone. Undefined while nothing is written. */
  stop?: (() => void) | undefined;
}

/** Answers of several models beside each other; on a phone, one at a time. */
export function Comparison({ message, model, others, side, onClose }: Props) {
  const heading = useId();
  const tabsId = useId();
  const [shown, setShown] = useState("0");
  const isPhone = useMatches("(max-width: 759px)");
  const { answers } = side.beside();
  const own = useOwnColumn(message, model, onClose);
  useEffect(() => () => void side.end(), [side]);

  async function keep(sessionId: string): Promise<void> {
    if (!(await side.end(sessionId))) return;
    onClose();
    goTo(sessionId);
    notify({ text: t("branched") });
  }

  const columns: Column[] = [
    {
      name: nameOf(message.model),
      message,
      running: false,
      proceed: () => {
        onClose();
        void showVersion(message.id);
      },
    },
    own,
    ...answers.map((answer, index) =>
      sideColumn(answer, others[index]?.label ?? answer.model, (id) => void keep(id)),
    ),
  ];
  return (
    <Modal
      labelledBy={heading}
      onClose={onClose}
      className="compare-dialog"
      data-part="compare"
      data-columns={columns.length}
    >
      <header>
        <h2 id={heading}>{t("compareTitle")}</h2>
        <IconButton icon="close" label={t("close")} onClick={onClose} />
      </header>
      {isPhone && (
        <Tabs
          id={tabsId}
          label={t("compareTitle")}
          tabs={columns.map(({ name }, index) => ({ name: String(index), title: name }))}
          chosen={shown}
          onChoose={setShown}
        />
      )}
      <div className="compare-columns">
        {columns.map((column, index) => (
          <section
            key={index}
            aria-label={column.name}
            aria-busy={column.running}
            {...(isPhone ? panelOf(tabsId, String(index)) : {})}
            hidden={isPhone && shown !== String(index)}
          >
            <Answer {...column} />
          </section>
        ))}
      </div>
    </Modal>
  );
}

function Answer({ name, message, running, problem, hint, proceed, decide, stop }: Column) {
  return (
    <>
      <h3>
        {name}
        {running && <span className="ring" />}
      </h3>
      {message && <ReadAnswer message={message} />}
      {decide && (
        <p className="hint">
          {t("compareWaits")} <Button onClick={decide}>{t("compareDecide")}</Button>
        </p>
      )}
      {problem !== undefined && <p className="hint">{problem}</p>}
      <footer>
        <Button disabled={!proceed} onClick={proceed}>
          {t("compareGoOn")}
        </Button>
        {stop && (
          <Button className="quiet" aria-label={t("compareStop", { name })} onClick={stop}>
            {t("stop")}
          </Button>
        )}
        {hint !== undefined && <span className="hint">{hint}</span>}
      </footer>
    </>
  );
}

/** The answer that is another version in the conversation. */
function useOwnColumn(first: TranscriptMessage, { label }: ModelListing, onClose: () => void): Column {
  const live = conversation((state) => state.live);
  const newest = conversation((state) => state.messages.at(-1));
  const refused = conversation((state) => state.refused?.failure.publicMessage);
  const isOther = !live && newest?.role === "assistant" && newest.id !== first.id;
  const state = live?.state ?? (isOther ? newest.state : undefined);
  return {
    name: label,
    message: state && { content: "", state },
    running: live !== undefined,
    problem: live || isOther ? state?.error?.error : (refused ?? t("compareNothing")),
    proceed: isOther ? onClose : undefined,
    decide: live && waits(live.state) ? onClose : undefined,
    stop: live?.runId === undefined || live.stopping ? undefined : () => void stop(),
  };
}

/** An answer in a fork, which is kept if the person continues with it. */
function sideColumn(answer: SideAnswer, name: string, keep: (sessionId: string) => void): Column {
  const { sessionId, runId, state, ended, failure } = answer;
  const take = sessionId === undefined ? undefined : () => keep(sessionId);
  return {
    name,
    message: state && { content: "", state },
    running: !ended,
    problem: failure ? sentenceOf(failure) : state?.error?.error,
    hint: failure ? undefined : t("compareOwn"),
    proceed: ended && state ? take : undefined,
    decide: !ended && state && waits(state) ? take : undefined,
    stop: ended || runId === undefined ? undefined : () => void attempt(() => chat.cancel(runId)),
  };
}

function waits(state: RunState): boolean {
  return callsOf(state).some(({ status }) => status === "waiting");
}

function nameOf(model: string | undefined): string {
  return person.getState().models.find(({ id }) => id === model)?.label ?? model ?? "";
}
