import { conversation } from "../state/conversation.ts";
import { draft } from "../state/draft.ts";
import { notify } from "../state/notices.ts";
import { speech } from "../state/speech.ts";
import { type SpeechKey, t } from "../text/speech.ts";
import { language } from "../text/translate.ts";
import { regionalTag } from "./language-of.ts";
import { stopReading } from "./read-aloud.ts";

/** The part of the browser's interface that is used. Not every library of types has it. */
interface Recognition {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onresult: ((event: { resultIndex: number; results: ArrayLike<Result> }) => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  stop(): void;
  abort(): void;
}

interface Result {
  isFinal: boolean;
  0: { transcript: string };
}

const PROBLEMS: Record<string, SpeechKey> = {
  "not-allowed": "dictationNotAllowed",
  "service-not-allowed": "dictationNotAllowed",
  "audio-capture": "dictationNoMicrophone",
  "no-speech": "dictationNoSound",
  network: "dictationNoNetwork",
  "language-not-supported": "dictationNoLanguage",
};

/** Languages that put no spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

let current: Recognition | undefined;

/** Writes what is said into a field, at its caret, until it is stopped. */
export function startDictation(field: HTMLTextAreaElement): void {
  const recognition = createRecognition();
  if (current || !recognition) return;
  stopReading();
  current = recognition;
  recognition.lang = regionalTag(language());
  recognition.interimResults = true;
  // Android repeats everything said so far in each final result of a continuous dictation.
  recognition.continuous = !/Android/.test(navigator.userAgent);

  const { sessionId } = conversation.getState();
  const unwatch = conversation.subscribe((state) => state.sessionId !== sessionId && end());

  function end(): void {
    if (current !== recognition) return;
    current = undefined;
    unwatch();
    document.removeEventListener("keydown", onKeyDown, true);
    removeEventListener("pagehide", end);
    speech.setState({ heard: undefined, finish: undefined });
    recognition?.abort();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.isComposing) return;
    // It must not stop the answer too.
    event.preventDefault();
    event.stopPropagation();
    finish();
  }

  function finish(): void {
    const { heard = "" } = speech.getState();
    if (current === recognition) insert(field, heard);
    end();
  }

  recognition.onresult = ({ resultIndex, results }) => {
    if (current !== recognition) return;
    let heard = "";
    for (const { isFinal, 0: best } of Array.from(results).slice(resultIndex))
      if (isFinal) insert(field, best.transcript);
      else heard += best.transcript;
    speech.setState({ heard: heard.trim() });
  };
  recognition.onerror = ({ error }) => {
    if (current !== recognition || error === "aborted") return;
    notify({ kind: "error", text: t(PROBLEMS[error] ?? "dictationFailed") });
  };
  recognition.onend = finish;
  document.addEventListener("keydown", onKeyDown, true);
  addEventListener("pagehide", end);
  speech.setState({ heard: "", finish });
  recognition.start();
}

/** Ends dictation. The browser still returns the words that it has heard. */
export function stopDictation(): void {
  current?.stop();
}

function createRecognition(): Recognition | undefined {
  const scope = globalThis as { SpeechRecognition?: new () => Recognition } & {
    webkitSpeechRecognition?: new () => Recognition;
  };
  const Engine = scope.SpeechRecognition ?? scope.webkitSpeechRecognition;
  return Engine && new Engine();
}

/** Puts words at the caret, with spaces around them where the language has some. */
function insert(field: HTMLTextAreaElement, heard: string): void {
  const words = heard.trim();
  if (words === "") return;
  const { selectionStart, selectionEnd, value, maxLength } = field;
  const before = value.slice(0, selectionStart);
  const after = value.slice(selectionEnd);
  const isSpaced = !UNSPACED.test(words[0] ?? "");
  const space = isSpaced && /\S$/.test(before) && !/^\p{P}/u.test(words) ? " " : "";
  const text = space + words + (isSpaced && /^[\p{L}\p{N}]/u.test(after) ? " " : "");
  const room = maxLength < 0 ? text.length : Math.max(0, maxLength - before.length - after.length);
  field.setRangeText(text.slice(0, room), selectionStart, selectionEnd, "end");
  draft.setState({ text: field.value });
  field.scrollTop = field.scrollHeight;
}
