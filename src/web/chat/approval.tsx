import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Decision } from "../../protocol/chat.ts";
import type { AlwaysCovers } from "../../protocol/events.ts";
import { isObject } from "../../protocol/json.ts";
import type { ToolCallState } from "../../protocol/reduce.ts";
import { visibleLine, visibleText } from "../../protocol/visible-text.ts";
import { conversation } from "../state/conversation.ts";
import { focusDraft } from "../state/draft.ts";
import { decide } from "../state/live-run.ts";
import { attempt } from "../state/notices.ts";
import type { TextKey } from "../text/english.ts";
import { reasonWords } from "../text/reasons.ts";
import { clockTime, moment, t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Diff, isDiff } from "../ui/diff.tsx";
import { Icon } from "../ui/icons.tsx";
import { commandTitle } from "./command-title.ts";
import { usePlan } from "./plan-steps.tsx";
import { previewWords } from "./preview-words.ts";
import { Sheet } from "./sheet.tsx";
import { type Act, actOf, iconOf, nameOf } from "./step-words.ts";
import { argumentsText } from "./tool-summary.ts";

interface Props {
  call: ToolCallState;
  approval: NonNullable<ToolCallState["approval"]>;
  /** Takes the decision on a call that is not part of the run. */
  onDecide?(decision: Decision): Promise<unknown>;
}

/** Asks the person for a decision and shows exactly what the call would do. */
export function Approval({ call, approval, onDecide }: Props) {
  const [sent, setSent] = useState(false);
  const [open, setOpen] = useState(false);
  const card = useRef<HTMLFieldSetElement>(null);
  const decided = conversation(({ live }) => live?.decided?.includes(call.toolCallId) === true);
  const plan = usePlan(approval.plan);
  const act = actOf(call);
  const always = approval.risk === "high" ? undefined : approval.always;
  useEffect(() => {
    card.current?.scrollIntoView({ block: "nearest" });
  }, []);
  // A button that is disabled would lose the focus to nothing.
  useLayoutEffect(() => {
    if (sent && (card.current?.contains(document.activeElement) || document.activeElement === document.body))
      focusNext();
  }, [sent]);

  async function answer(decision: Decision["decision"]): Promise<void> {
    setSent(true);
    const edited = decision === "once" && plan?.edited ? { steps: plan.edited } : {};
    const given = { decision, ...edited };
    const done = await attempt(() => (onDecide ? onDecide(given) : decide(call.toolCallId, given)));
    if (done) focusNext();
    else setSent(false);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      event.preventDefault();
      card.current?.querySelector<HTMLElement>("button.deny")?.focus();
    } else if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      if (plan?.edited?.length !== 0) void answer("once");
    }
  }

  return (
    <Sheet>
      <fieldset
        ref={card}
        className="approval"
        data-part="approval"
        data-risk={approval.risk}
        disabled={sent || decided}
        onKeyDown={onKeyDown}
      >
        <legend>
          <Icon name={approval.risk === "high" ? "warning" : iconOf(call)} />
          {plan ? t("approvePlan") : titleOf(call)}
        </legend>
        {plan ? plan.list : <Exactly call={call} preview={approval.preview} />}
        <p className="reason">{reasonOf(call, approval)}</p>
        <div className="choices">
          <Button className="primary" disabled={plan?.edited?.length === 0} onClick={() => answer("once")}>
            {t(plan ? "approveSteps" : (`${lower(act)}Once` as const))}
          </Button>
          <Button className="deny" onClick={() => answer("deny")}>
            {t(`${lower(act)}Not`)}
          </Button>
          {always && (
            <Button className="quiet always" aria-expanded={open} onClick={() => setOpen(!open)}>
              {alwaysLabel(call, always)}
            </Button>
          )}
        </div>
        {always && open && (
          <p className="covers">
            <span>{`${coversOf(call, always)} ${t("alwaysHint")}`}</span>
            <Button className="small" onClick={() => answer("always")}>
              {t("alwaysAct")}
            </Button>
          </p>
        )}
        {plan && <p className="hint">{t("planHint")}</p>}
      </fieldset>
      <Deadline text={`noAnswer${act}`} approvals={[approval]} />
    </Sheet>
  );
}

/** The very thing that would be done, with what hides in it made visible. */
export function Exactly({ call, preview }: { call: ToolCallState; preview: string | undefined }): ReactNode {
  const shown = visibleText(preview ?? argumentsText(call.arguments));
  const exact = call.toolName === "filesystem" && preview !== undefined ? previewWords(shown) : shown;
  if (isDiff(exact)) return <Diff text={exact} />;
  return (
    <pre className="command" dir="ltr" tabIndex={0}>
      {exact}
    </pre>
  );
}

/** Returns the question whether a call may do what it wants. */
export function titleOf(call: ToolCallState): string {
  const act = actOf(call);
  const command = isObject(call.arguments) ? call.arguments.command : undefined;
  if (act === "Run" && typeof command === "string") return t(commandTitle(command));
  return t(`ask${act}`, { name: visibleLine(nameOf(call)) });
}

/** Returns the first letter of a word in lower case. */
function lower<Word extends string>(word: Word): Uncapitalize<Word> {
  return (word.slice(0, 1).toLowerCase() + word.slice(1)) as Uncapitalize<Word>;
}

/** Says where it would happen, for what, and why the person is asked. */
function reasonOf(call: ToolCallState, approval: Props["approval"]): string {
  const { because = [], outside, from } = approval;
  const folder = isObject(call.arguments) ? call.arguments.cwd : undefined;
  const act = actOf(call);
  const isRun = act === "Run";
  const place =
    isRun && typeof folder === "string" ? t("placeRunIn", { place: visibleLine(folder) }) : t(`place${act}`);
  // The words for what is done say so already.
  const onlyChanges = because.length === 1 && because[0]?.code === "changes" && act !== "Use";
  const why = onlyChanges ? (isRun ? t("mayChangeFiles") : "") : visibleText(reasonWords(approval));
  const isSaid = act === "Remember" && outside;
  return [
    from ? t("forPart", { task: visibleLine(from.task) }) : "",
    place,
    isSaid ? "" : why,
    outside ? t("fromOutside") : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** Moves the focus to the next decision or back to the message field: this one is about to disappear. */
export function focusNext(): void {
  const next = document.querySelector<HTMLElement>(".approval:not(:disabled) button");
  if (next) next.focus();
  else focusDraft();
}

function alwaysLabel(call: ToolCallState, { prefix, command }: AlwaysCovers): string {
  if (command !== undefined) return t("alwaysExact");
  if (prefix !== undefined) return t("alwaysRun", { prefix: visibleLine(prefix) });
  const act = actOf(call);
  return act === "Run" ? t("alwaysExact") : t(`always${act}`, { name: visibleLine(nameOf(call)) });
}

/** What "always" covers for each operation that changes files. */
const COVERED: Partial<Record<string, TextKey>> = {
  write: "coversWrite",
  edit: "coversEdit",
  move: "coversMove",
  delete: "coversDelete",
};

/** Says what exactly "always" would allow. */
function coversOf(call: ToolCallState, { operation, prefix, command, targets }: AlwaysCovers): string {
  if (prefix !== undefined) return t("alwaysFamily", { prefix: visibleLine(prefix) });
  if (command !== undefined) return t("alwaysSame");
  if (targets?.length) return t("coversTargets", { targets: visibleLine(targets.join(", ")) });
  if (operation === undefined) return t("coversTool", { name: visibleLine(nameOf(call)) });
  return t((call.toolName === "filesystem" && COVERED[operation]) || "coversKind");
}

interface DeadlineProps {
  text: `noAnswer${Act | "ToAllBy"}`;
  approvals: readonly Pick<Props["approval"], "expiresAt">[];
}

/** Says until when the person can decide. */
export function Deadline({ text, approvals }: DeadlineProps) {
  const date = new Date(Math.min(...approvals.map(({ expiresAt }) => Date.parse(expiresAt))));
  const isToday = date.toDateString() === new Date().toDateString();
  return <p className="deadline">{t(text, { clock: isToday ? clockTime(date) : moment(date) })}</p>;
}
