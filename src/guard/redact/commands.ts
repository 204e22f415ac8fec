import { type Mark, plainMark } from "./mark.ts";
import { isPlaceholder } from "./placeholder.ts";

/** How programs take a password on their command line: the flag with what precedes it, and the value. */
const FLAGS: readonly { programs: RegExp; flag: RegExp; pair?: true }[] = [
  {
    pair: true,
    programs: /\b(?:curl|wget|http|https|xh)\b/,
    flag: /(\s(?:-u|-U|--user|--proxy-user|--auth|-a)(?:[ \t=]{0,5}|[ \t]{0,3}\\\r?\n[ \t]{0,8})?)("[^"\n]{1,200}":"[^"\n]{3,200}"|"[^"\n]{4,300}"|'[^'\n]{4,300}'|[^\s"':]{1,100}:(?:"[^"\n]{3,200}"|'[^'\n]{3,200}'|[^\s"']{3,300})|[^\s"':]{4,100}:(?=\s|$))/g,
  },
  {
    programs:
      /\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mariadb|7za?|sshpass|mongo(?:sh|dump|restore|export|import)?|rar|sqlcmd|isql|bcp)\b/,
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

/** A name and a password as arguments of a call: `auth=("jane", "…")`. */
const PAIR =
  /(\b(?:auth|credentials?|basic_?auth|proxy_?auth)\b["']?\s{0,3}[:=]?\s{0,3}[([]\s{0,3}|\b(?:HTTP(?:Basic|Digest|Proxy)Auth|digest_?auth|set_?basic_?auth|login|authenticate|set_?credentials|NetworkCredential|UsernamePasswordCredentials)\s{0,2}\(\s{0,3})((["'])[^"'\n]{1,120}\3\s{0,3},\s{0,3})(["'])([^"'\n]{3,200})\4/gi;
/** A password as the third argument, after host and user: `mysqli_connect("host", "user", "…")`. */
const CONNECT =
  /(\b(?:mysqli?_p?connect|new mysqli|new PDO|pg_connect|DriverManager\.getConnection|smtplib|ftp_login|ldap_bind)\s{0,2}\(\s{0,3}(?:["'][^"'\n]{1,300}["']|\$?\w{1,60})\s{0,3},\s{0,3}(?:["'][^"'\n]{1,120}["']|\$?\w{1,60})\s{0,3},\s{0,3})(["'])([^"'\n]{3,200})\2/g;
/** SQL that sets a password. */
const SQL =
  /\b(IDENTIFIED\s{1,3}(?:WITH\s{1,3}\S{1,40}\s{1,3})?BY\s{1,3}|PASSWORD\s{1,3}|SET PASSWORD[^=\n]{0,80}=\s{0,3}(?:PASSWORD\()?)(["'])([^"'\n]{3,200})\2/gi;

/** Removes passwords in the arguments of programs and calls: `mysql -p…`, `curl -u name:…`, `auth=("name", "…")`. */
export function redactCommands(text: string, mark: Mark = plainMark): string {
  const credentials = mark("credentials");
  let clean = text;
  for (const { programs, flag, pair } of FLAGS) {
    if (!programs.test(clean)) continue;
    const whole = clean;
    clean = clean.replace(flag, (match, before: string, value: string, at: number) => {
      const bare = value.replaceAll(/["']/g, "");
      return (pair ? isLiteralPair(bare) : isLiteral(bare)) && programs.test(commandBefore(whole, at))
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

/** Returns the command line up to a position, with the lines above it that end in a backslash. */
function commandBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - BACKWARDS), at + 1);
  const line = /(?:[^\n]*\\\r?\n)*[^\n]*$/.exec(before)?.[0] ?? "";
  return line.slice(line.search(/[^|;&]*$/));
}

/** True for a literal password, and not for a variable or a placeholder. */
function isLiteral(value: string): boolean {
  if (/^(?:\$[({\w]|%\w+%|\{\{|<|\[|`)/.test(value) || /^(?:\d{1,5}|true|false)$/.test(value)) return false;
  if (/^(?:pass(?:wd)?|pwd|changeit)$/i.test(value)) return false;
  return !isPlaceholder(value);
}

/** `name:password`, where one of the two may be missing. */
function isLiteralPair(value: string): boolean {
  const colon = value.indexOf(":");
  if (colon < 0 || value.length < 5 || value.startsWith("<") || value.includes("://")) return false;
  const [name, password] = [value.slice(0, colon), value.slice(colon + 1)];
  return password === "" ? isLiteral(name) && /\d/.test(name) : isLiteral(password);
}
