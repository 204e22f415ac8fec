const ROOTS =
  "(?:home|root|Users|usr|var|opt|etc|tmp|srv|mnt|media|work|app|proc|sys|dev|run|private|Library|Applications|Volumes|System|workspaces?|builds?|snap|nix|boot|lib64|bin|sbin|go|gopath|code|projects?|repo|repos|data|storage|cygdrive|github|layers|function|task|vercel|lambda|jenkins|runner|export|efs|nfs|scratch|local|host)";
const FILES =
  "(?:[cm]?[jt]sx?|py[co]?|go|rs|java|class|jar|rb|php|cs|cpp|cc|c|h|hpp|kt|swift|scala|ex|exs|erl|lua|pl|sh|bash|ps1|bat|exe|dll|so|dylib|node|json|ya?ml|toml|ini|conf|cfg|env|log|txt|md|csv|db|sqlite3?|sql|pem|key|crt|cert|sock|pid|lock|tmp|bak|xml|html|pdf|png|jpe?g|zip|gz|tar|vue|svelte)";
const SEGMENT = "[^\\s\"'`<>|:;,(){}\\[\\]/\\\\*?&=]";
const BEFORE = "(?<![\\w/.~:@%=&?#$}\\])-])";
const END = "(?::\\d{1,6}){0,2}";

const QUOTED = new RegExp(
  `(["'\`])(?:/${ROOTS}/|[A-Za-z]:[\\\\/]|\\\\{2,4}[\\w.$-]{1,60}\\\\)[^"'\`\\n]{1,400}\\1`,
  "g",
);
const ROOTED = new RegExp(
  `${BEFORE}/${ROOTS}(?:/${SEGMENT}{1,200}(?: ${SEGMENT}{1,40}(?=/))?){1,40}/?${END}`,
  "g",
);
const WITH_FILE = new RegExp(
  `${BEFORE}/(?!v\\d|api/|assets/|static/|public/|images?/|docs?/|files?/)${SEGMENT}{1,60}(?:/${SEGMENT}{1,200}){0,20}/${SEGMENT}{0,200}\\.${FILES}(?![\\w])${END}`,
  "g",
);
const WINDOWS =
  /(?<![\w])[A-Za-z]:(?:\\{1,2}|\/(?!\/))(?:[^\s"'`<>|:;,(){}[\]/\\*?]{1,100}(?:(?: \(x86\)| [^\s"'`<>|:;,(){}[\]/\\*?]{1,40})(?=[\\/]))?(?:\\{1,2}|\/)?){1,40}(?::\d{1,6}){0,2}/g;
const SHARE = /(?<![\w\\:])\\{2,4}[A-Za-z0-9_.?$-]{1,60}\\{1,2}[^\s"'`<>|:;,(){}[\]*?]{1,300}/g;
const FILE_URL = /\bfile:(?:\/\/[\w.-]{0,100}\/|\/(?!\/))[^\s"'`<>)\]}]{1,500}/gi;

/** Removes file paths of this machine. Routes, URLs, dates and fractions stay. */
export function redactPaths(text: string): string {
  if (!/[\\/]/.test(text)) return text;
  return text
    .replace(FILE_URL, "[path]")
    .replace(QUOTED, (path, quote: string) =>
      isHarmless(path.slice(1, -1)) ? path : `${quote}[path]${quote}`,
    )
    .replace(WINDOWS, "[path]")
    .replace(SHARE, "[path]")
    .replace(ROOTED, (path) => (isHarmless(path) ? path : "[path]"))
    .replace(WITH_FILE, "[path]");
}

/** True for system paths that are the same everywhere. */
function isHarmless(path: string): boolean {
  return /^\/(?:dev\/(?:null|zero|u?random|std(?:in|out|err)|tty|shm)|bin\/(?:ba)?sh|usr\/bin\/env)(?: \w+)?$/.test(
    path,
  );
}
