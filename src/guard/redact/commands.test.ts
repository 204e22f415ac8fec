import { describe, expect, it } from "vitest";
import { redactCommands } from "./commands.ts";
import { marked } from "./testing/marked.ts";

function checkRemoved(example: string): void {
  const { text, clean } = marked(example, "[credentials]");
  expect(redactCommands(text)).toBe(clean);
}

function checkKept(text: string): void {
  expect(redactCommands(text)).toBe(text);
}

describe("a password in a command", () => {
  it.each([
    "mysql -u root -p⟦S3cret9x⟧ shop",
    "mysql -u root \\\n  -p⟦S3cret9x⟧ shop",
    "mysql -u root \\\r\n  -p⟦S3cret9x⟧ shop",
    "cat dump.sql | mysql -p⟦S3cret9x⟧",
    "mysql -p⟦$#secret9⟧",
    "mysql -p⟦passwords⟧",
    "mysql -p⟦123456⟧",
    "mysql -p⟦%S3cret⟧",
    "curl -u ⟦a:b1c⟧ https://h.example",
    "curl -u ⟦ada:hunter2⟧ https://h.example",
    "curl -u ⟦a8f3c1d9e2:⟧ https://h.example",
    "curl https://h.example -u ⟦a8f3c1d9e2:⟧",
    "curl -u ⟦'a8f3c1d9e2:'⟧ https://h.example",
    "sshpass -p ⟦S3cret9x⟧ ssh host",
    'auth=("ada", "⟦hunter2⟧")',
    'mysqli_connect("host", "ada", "⟦hunter2⟧")',
    "IDENTIFIED BY '⟦hunter2⟧'",
  ])("is removed: %s", checkRemoved);

  it.each([
    "mysql shop | sort -pattern9",
    "mysql shop; sort -pattern9",
    "mysql shop && sort -pattern9",
    "mysql shop\nsort -pattern9",
    "mysql -p$PASSWORD",
    "mysql -p$(cat file)",
    "mysql -p%PASSWORD%",
    "mysql -p{{password}}",
    "mysql -p<password>",
    "mysql -P3306",
    "mysql -P12345",
    "mysql -ptrue",
    "mysql -ppass",
    "mysql -ppasswd",
    "mysql -pPWD",
    "mysql -pchangeit",
    "mysql -pchangeme",
    "mysql -pxxx",
    "curl -u 'a:b1' https://h.example",
    "curl -u <ada>:hunter2 https://h.example",
    "curl -u https://h.example:8080/a1",
    "curl -u apiuser: https://h.example",
    "curl -u $KEY1: https://h.example",
    "curl -u ada:$PASSWORD https://h.example",
    "curl -u hunter2 https://h.example",
    'auth=("ada", "your-password")',
    'mysqli_connect("host", "ada", "your-password")',
    "IDENTIFIED BY 'your-password'",
  ])("is not seen in %s", checkKept);
});

describe("a name and a password of a request", () => {
  it.each(["curl", "wget", "http", "https", "xh"])("are removed behind %s", (program) => {
    checkRemoved(`${program} -u ⟦ada:hunter2⟧ localhost`);
  });

  it.each(["-u", "-U", "--user", "--proxy-user", "--auth", "-a"])("are removed behind %s", (flag) => {
    checkRemoved(`curl ${flag} ⟦ada:hunter2⟧ localhost`);
    checkRemoved(`curl ${flag}=⟦ada:hunter2⟧ localhost`);
    checkRemoved(`curl ${flag} \\\n  ⟦ada:hunter2⟧ localhost`);
    checkRemoved(`curl ${flag} \\\r\n  ⟦ada:hunter2⟧ localhost`);
  });

  it.each([
    '⟦"ada l":"hunter 2"⟧',
    '⟦"ada:hunter 2"⟧',
    "⟦'ada:hunter 2'⟧",
    '⟦ada:"hunter 2"⟧',
    "⟦ada:'hunter 2'⟧",
    "⟦ada:hunter2⟧",
  ])("are removed with their quotes: %s", (value) => checkRemoved(`curl -u ${value} localhost`));

  it("are removed at the end of a command, where the password is missing", () => {
    checkRemoved("curl localhost -u ⟦a8f3c1d9e2:⟧");
    checkKept("curl -u a8f3c1d9e2:'' localhost");
  });
});

describe("a password behind a flag of", () => {
  it.each(
    [
      "mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mariadb-dump 7z 7za sshpass mongo mongosh mongodump",
      "mongorestore mongoexport mongoimport rar sqlcmd isql bcp",
    ].flatMap((names) => names.split(" ")),
  )("%s is removed where it is written together", (program) => {
    checkRemoved(`${program} -p⟦S3cret9x⟧ a`);
    checkRemoved(`${program} -P⟦'S3cret 9x'⟧ a`);
    checkRemoved(`${program} -p⟦"S3cret 9x"⟧ a`);
    checkKept(`x${program}x -pS3cret9x a`);
  });

  it.each([
    ..."sshpass mongo mongosh mongodump mongorestore mongoexport mongoimport unzip sqlcmd bcp xfreerdp".split(
      " ",
    ),
    ..."docker podman nerdctl oras crane az oc cf heroku argocd"
      .split(" ")
      .map((program) => `${program} login`),
    ...["helm registry login", "docker auth login"],
  ])("%s is removed where it stands apart", (program) => {
    checkRemoved(`${program} -p ⟦S3cret9x⟧ a`);
    checkRemoved(`${program} -P ⟦'S3cret 9x'⟧ a`);
    checkRemoved(`${program} -p ⟦"S3cret 9x"⟧ a`);
    checkKept(`${program} -p --verbose`);
  });

  it.each([
    ...["redis-cli", "keydb-cli", "valkey-cli"].flatMap((program) => [
      `${program} -a `,
      `${program} --pass=`,
    ]),
    ...["ldapsearch -w ", "snmpwalk -A ", "snmpget -X ", "htpasswd -w "],
    ..."-pass -passin -passout -k -storepass -keypass".split(" ").map((flag) => `openssl ${flag} `),
    ...["openssl -passin pass:", "keytool -storepass ", "jarsigner -keypass "],
  ])("%s is removed", (start) => {
    checkRemoved(`${start}⟦S3cret9x⟧ a`);
    checkRemoved(`${start}⟦'S3cret 9x'⟧ a`);
    checkRemoved(`${start}⟦"S3cret 9x"⟧ a`);
  });

  it.each(["smbclient", "mount.cifs", "rpcclient", "net use"])("%s is removed behind the name", (program) => {
    checkRemoved(`${program} -U ada%⟦S3cret9x⟧ a`);
    checkRemoved(`${program} -U'ada%⟦S3cret9x⟧' a`);
  });
});

describe("a password as an argument of", () => {
  it.each([
    ..."auth= credential= credentials= basic_auth: basicauth= proxyauth= proxy_auth="
      .split(" ")
      .flatMap((name) => [`${name}(`, `${name}[`]),
    ...'"auth": (|auth (|basic_auth(|basicauth(|digest_auth(|digestauth(|set_basic_auth(|setBasicAuth('.split(
      "|",
    ),
    ..."HTTPBasicAuth( HTTPDigestAuth( HTTPProxyAuth( login( authenticate( setCredentials( set_credentials(".split(
      " ",
    ),
    ...["NetworkCredential(", "UsernamePasswordCredentials("],
  ])("%s is removed", (start) => {
    checkRemoved(`${start}"ada", "⟦hunter2⟧")`);
    checkRemoved(`${start}'ada', '⟦hunter2⟧')`);
  });

  it.each(
    [
      "mysql_connect|mysqli_connect|mysqli_pconnect|mysql_pconnect|new mysqli|new PDO|pg_connect",
      "DriverManager.getConnection|smtplib|ftp_login|ldap_bind",
    ].flatMap((names) => names.split("|")),
  )("%s is removed behind the host and the name", (call) => {
    checkRemoved(`${call}("host", "ada", "⟦hunter2⟧")`);
    checkRemoved(`${call}($host, 'ada', '⟦hunter2⟧')`);
    checkRemoved(`${call}(host, $user, "⟦hunter2⟧")`);
  });

  it.each([
    "IDENTIFIED BY ",
    "IDENTIFIED BY PASSWORD ",
    "IDENTIFIED WITH caching_sha2_password BY ",
    "ALTER ROLE ada PASSWORD ",
    "ALTER ROLE ada ENCRYPTED PASSWORD ",
    "SET PASSWORD = ",
    "SET PASSWORD FOR 'ada'@'%' = ",
    "SET PASSWORD = PASSWORD(",
  ])("%s is removed", (start) => {
    checkRemoved(`${start}'⟦hunter2⟧'`);
    checkRemoved(`${start}"⟦hunter2⟧"`);
  });
});
