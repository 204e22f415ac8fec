import { type Mark, plainMark } from "./mark.ts";
import { isPlaceholder } from "./placeholder.ts";

/** How programs take a password from their command line: the flag, what may stand before it, and the value. */
const FLAGS: readonly { programs: RegExp; flag: RegExp; pair?: true }[] = [
  {
    pair: true,
    programs: /\b(?:curl|wget|http|https|xh)\b/,
    flag: /(\s(?:-u|-U|--user|--proxy-user|--auth|-a)(?:[ \t=]{0,5}|[ \t]{0,3}\\\r?\n[ \t]{0,8})?)("[^"\n]{1,200}":"[^"\n]{3,200}"|"[^"\n]{4,300}"|'[^'\n]{4,300}'|[^\s"':]{1,100}:(?:"[^"\n]{3,200}"|'[^'\n]{3,200}'|[^\s"']{3,300}))/g,
  },
  {
    programs:
      /\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mariadb|mariadb-dump|7za?|sshpass|mongo(?:sh|dump|restore|export|import)?|rar|sqlcmd|isql|bcp)\b/,
    flag: /(\s-[pP](?=[^\s-]))("[^"\n]{3,200}"|'[^'\n]{3,200}'|[^\s"'-][^\s"']{2,200})/g,
  },
  {
    programs:
      /\b(?:sshpass|mongo(?:sh|dump|restore|export|import)?|(?:docker|podman|nerdctl|helm registry|oras|crane|az|oc|cf|heroku|argocd)\s{1,3}(?:auth )?login|unzip|sqlcmd|bcp|xfreerdp)\b/,
    flag: /(\s-[pP]\s{1,3})("[^"\n]{3,200}"|'[^'\n]{3,200}'|[^\s"'-][^\s"']{2,200})/g,
  },
  {
    programs: /\b(?:redis-cli|keydb-cli|valkey-cli)\b/,
    flag: /(\s(?:-a|--pass)[ =]{1,3})("[^"\n]{3,200}"|'[^'\n]{3,200}'|[^\s"'-][^\s"']{2,200})/g,
  },
  {
    programs: /\b(?:ldap\w{3,12}|snmpwalk|snmpget|htpasswd)\b/,
    flag: /(\s-[wAX]\s{1,3})("[^"\n]{3,200}"|'[^'\n]{3,200}'|[^\s"'-][^\s"']{2,200})/g,
  },
  {
    programs: /\b(?:openssl|keytool|jarsigner)\b/,
    flag: /((?:\s-(?:pass(?:in|out)?|k|storepass|keypass)\s{1,3})(?:pass:)?)("[^"\n]{3,200}"|'[^'\n]{3,200}'|[^\s"'-][^\s"']{2,200})/g,
  },
  {
    programs: /\b(?:smbclient|mount\.cifs|rpcclient|net use)\b/,
    flag: /(\s-U\s{0,3}["']?[^\s%"']{1,60}%)([^\s"']{3,200})/g,
  },
];
const BACKWARDS = 500;

/** Pairs of a name and a password in the arguments of a call: `auth=("jane", "…")`. */
const PAIR =
  /(\b(?:auth|credentials?|basic_?auth|proxy_?auth)\b["']?\s{0,3}[:=]?\s{0,3}[([]\s{0,3}|\b(?:HTTP(?:Basic|Digest|Proxy)Auth|basic_?auth|digest_?auth|set_?basic_?auth|login|authenticate|set_?credentials|NetworkCredential|UsernamePasswordCredentials)\s{0,2}\(\s{0,3})((["'])[^"'\n]{1,120}\3\s{0,3},\s{0,3})(["'])([^"'\n]{3,200})\4/gi;
/** The third of them where a host comes first: `mysqli_connect("host", "user", "…")`. */
const CONNECT =
  /(\b(?:mysqli?_p?connect|new mysqli|new PDO|pg_connect|DriverManager\.getConnection|smtplib|ftp_login|ldap_bind)\s{0,2}\(\s{0,3}(?:["'][^"'\n]{1,300}["']|\$?\w{1,60})\s{0,3},\s{0,3}(?:["'][^"'\n]{1,120}["']|\$?\w{1,60})\s{0,3},\s{0,3})(["'])([^"'\n]{3,200})\2/g;
/** SQL that gives somebody a password. */
const SQL =
  /\b(IDENTIFIED\s{1,3}(?:WITH\s{1,3}\S{1,40}\s{1,3})?BY\s{1,3}(?:PASSWORD\s{1,3})?|(?:ENCRYPTED\s{1,3})?PASSWORD\s{1,3}|SET PASSWORD[^=\n]{0,80}=\s{0,3}(?:PASSWORD\()?)(["'])([^"'\n]{3,200})\2/gi;

/** Takes out passwords that are given to programs and calls: `mysql -p…`, `curl -u name:…`, `auth=("name", "…")`. */
export function redactCommands(text: string, mark: Mark = plainMark): string {
  const credentials = mark("credentials");
  let clean = text;
  for (const { programs, flag, pair } of FLAGS) {
    if (!programs.test(clean)) continue;
    const whole = clean;
    clean = clean.replace(flag, (match, before: string, value: string, at: number) => {
      const bare = value.replaceAll(/["']/g, "");
      return (pair ? isGivenPair(bare) : isGiven(bare)) && programs.test(commandBefore(whole, at))
        ? `${before}${credentials}`
        : match;
    });
  }
  return clean
    .replace(PAIR, (match, call: string, name: string, _: string, quote: string, value: string) =>
      isPlaceholder(value) ? match : `${call}${name}${quote}${credentials}${quote}`,
    )
    .replace(CONNECT, (match, call: string, quote: string, value: string) =>
      isPlaceholder(value) ? match : `${call}${quote}${credentials}${quote}`,
    )
    .replace(SQL, (match, words: string, quote: string, value: string) =>
      isPlaceholder(value) ? match : `${words}${quote}${credentials}${quote}`,
    );
}

/** The command line in which something stands, with the lines above it that a backslash joins. */
function commandBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - BACKWARDS), at + 1);
  const line = /(?:[^\n]*(?:\\\r?\n|\\\r?\n[#$> ]{0,4}))*[^\n]*$/.exec(before)?.[0] ?? "";
  return line.slice(line.search(/[^|;&]*$/));
}

/** A password itself; no variable, no placeholder. */
function isGiven(value: string): boolean {
  if (/^(?:\$[({\w]|%\w+%|\{\{|<|\[|`)/.test(value) || /^(?:\d{1,5}|true|false)$/.test(value)) return false;
  if (/^(?:pass(?:word|wd)?|pwd|test|token|secret|change(?:me|it)|\*+|x+|y+)$/i.test(value)) return false;
  return !isPlaceholder(value);
}

/** `name:password`, where one of the two may be missing. */
function isGivenPair(value: string): boolean {
  const colon = value.indexOf(":");
  if (colon < 0 || value.length < 5 || value.startsWith("<") || value.includes("://")) return false;
  const [name, password] = [value.slice(0, colon), value.slice(colon + 1)];
  return password === "" ? isGiven(name) && /\d/.test(name) : isGiven(password);
}
