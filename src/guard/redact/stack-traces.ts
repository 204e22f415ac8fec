const TRACES: readonly (readonly [RegExp, string])[] = [
  // Python
  [/Traceback \(most recent call last\):(?:\n[ \t]+[^\n]{0,1000}){1,400}\n?/g, ""],
  [
    /(?:^|\n)[ \t]*File "[^"\n]{1,400}", line \d{1,7}(?:, in [^\n]{1,200})?(?:\n[ \t]{4,}[^\n]{0,500}){0,3}/g,
    "",
  ],
  // V8, Java, .NET: "    at …"; one line with several frames as well
  [
    /(?:^|\r?\n|\\n)[ \t]{1,40}at (?=[^\n]{0,600}?(?::\d+\)?|:line \d|\(native\)|<anonymous>|\(index \d|Native Method|Unknown Source))(?:[^\n\\]|\\(?!n[ \t]{0,40}at )){1,600}/g,
    "",
  ],
  [
    /[ \t]\bat (?:async )?(?:[\w$.<>[\]]{1,120} )?\(?(?:file:\/\/|node:|[A-Za-z]:\\|\/)[^\s()]{1,400}:\d{1,7}(?::\d{1,7})?\)?/g,
    "",
  ],
  [/[ \t]\bat [\w$.<>]{1,160}\([\w$]{1,80}\.(?:java|kt|scala|cs):\d{1,7}\)/g, ""],
  [/\n[ \t]{0,20}\.\.\. \d{1,5} (?:more|common frames omitted)/g, ""],
  // Go, Rust, PHP, Ruby, Firefox
  [/(?:^|\n)goroutine \d{1,9} \[[^\]\n]{1,60}\]:(?:\n[^\n]{1,400}){0,200}/g, ""],
  [/\n?stack backtrace:(?:\n[ \t]+[^\n]{1,400}){1,300}/g, ""],
  [/(?:\nStack trace:)?(?:\n#\d{1,4} [^\n]{1,400}){1,300}/g, ""],
  [/\n[ \t]{0,10}from [^\s:]{1,300}:\d{1,7}:in [^\n]{1,200}/g, ""],
  [/(?:\n[\w$.<>/]{0,100}@(?:https?|file|node|webpack)[^\s]{1,400}:\d{1,7}:\d{1,7}){1,200}/g, ""],
];

/** Removes stack traces of the common languages. The message above them stays. */
export function redactStackTraces(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of TRACES) clean = clean.replace(pattern, replacement);
  return clean;
}
