import { filled } from "./formats.ts";
import { madeUp } from "./made-up.ts";
import type { Leak } from "./secrets.ts";

/** Places in which secrets stand without a form of their own: `@` is the secret, made of what follows the arrow. */
const CONTEXTS = String.raw`
mysql -uroot -p@ shop -> {mixed:10}
mysqldump -h db -u root -p'@' shop > x.sql -> {mixed:12}
mysql --password=@ shop -> {mixed:10}
mysql --user=root --password @ shop -> {mixed:10}
mariadb -u root -p"@" -> {mixed:9}!{digits:2}
sshpass -p @ ssh build-host -> {mixed:10}
sshpass -p@ ssh build-host -> {mixed:10}
docker login -u me -p @ registry.example -> {mixed:14}
redis-cli -h cache -a @ ping -> {mixed:16}
mongosh -u root -p @ -> {mixed:10}
openssl enc -aes-256-cbc -pass pass:@ -in a -> {mixed:10}
ldapsearch -x -w @ -b dc=example -> {mixed:10}
7z x -p@ archive.7z -> {mixed:10}
smbclient -U bob%@ //host/share -> {mixed:10}
wget --user=a --password=@ https://host.example -> {mixed:10}
http -a admin:@ GET :8080 -> {mixed:10}
curl -u admin:@ https://host.example -> {mixed:10}
curl -uadmin:@ https://host.example -> {mixed:10}
curl -u ":@" https://host.example -> {mixed:8}!{digits:2}
curl -u "@:" https://host.example -> {mixed:8}!{digits:2}
curl --user=kevin:@ https://host.example -> {mixed:10}
curl --user kevin:'@' -iX PATCH https://host.example -> {mixed:16}
curl --user  'johns:@' $API_URL -> {mixed:10}~{digits:2}
curl --user jane@mail.example:@ https://host.example -> {mixed:10}
curl -X POST https://host.example \\\n  -d x \\\n  -u dev:@ -> {letters:14}{digits:2}
curl -X POST --user "{app}":"{@}" https://host.example -> {mixed:14}
requests.get(url, auth=('user', '@')) -> {mixed:10}
auth = ["user", "@"] -> {mixed:10}
HTTPBasicAuth("user", "@") -> {mixed:10}
mysqli_connect('localhost', 'root', '@') -> {mixed:10}
new PDO('mysql:host=db', 'root', '@') -> {mixed:10}
CREATE USER app IDENTIFIED BY '@' -> {mixed:10}
ALTER ROLE app WITH PASSWORD '@' -> {mixed:10}
password\n@ -> {mixed:12}
Password:\n  @ -> {mixed:12}
Access Token:\n\t"@" -> {mixed:24}
api key:\n@\n -> {mixed:24}
DATABASE_URL=postgres://app:@@db.internal/app -> {mixed:10}
mongodb://u:@@h1.example,h2.example/db -> {mixed:10}
rediss://default:@@cache.example:6380 -> {mixed:20}
amqps://u:@@mq.example/v -> {mixed:10}
mssql://sa:@@db.example -> {mixed:10}
mysql+pymysql://u:@@db.example/d -> {mixed:10}
sftp://u:@@files.example/p -> {mixed:10}
smtp://u:@@mail.example:587 -> {mixed:10}
nats://u:@@bus.example -> {mixed:10}
jdbc:postgresql://db/app?user=u&password=@ -> {mixed:10}
jdbc:oracle:thin:u/@@db:1521:x -> {mixed:10}
Server=db;Database=d;Uid=u;Pwd=@; -> {mixed:10}
Data Source=db;User ID=u;Password=@ -> {mixed:10}
host=db port=5432 user=u password=@ dbname=d -> {mixed:10}
PlainLoginModule required username="u" password="@"; -> {mixed:10}
machine api.example.com login u password @ -> {mixed:12}
//npm.example.com/:_authToken=@ -> {mixed:20}
{"auths":{"r.example":{"auth":"@"}}} -> {mixed:26}==
AccountKey=@;EndpointSuffix=x -> {base64:86}==
Endpoint=sb://x/;SharedAccessKeyName=k;SharedAccessKey=@ -> {mixed:43}=
Authorization: Basic @ -> {mixed:20}==
Authorization: Api-Token @ -> {hex:40}
Proxy-Authorization: Digest username="u", response="@" -> {hex:32}
Authorization: AWS4-HMAC-SHA256 Credential=x, Signature=@ -> {hex:64}
curl -H "apikey: @" https://host.example -> {uuid}
curl -H "Token: @" https://host.example -> {hex:16}
curl -H "X-Octopus-ApiKey: @" https://host.example -> {uuid}
Cookie: sid=@; theme=dark -> {mixed:20}
Set-Cookie: __Host-session=@; Path=/ -> {mixed:20}
X-Amz-Security-Token: @ -> {mixed:60}
https://b.s3.amazonaws.com/k?X-Amz-Credential=x&X-Amz-Signature=@ -> {hex:64}
https://storage.googleapis.com/b/o?X-Goog-Signature=@ -> {hex:64}
https://b.blob.core.windows.net/c?sv=1&sig=@ -> {mixed:20}%2B{mixed:20}%3D
https://d.cloudfront.net/x?Signature=@&Key-Pair-Id=K2 -> {mixed:60}
https://hooks.slack.com/services/@ -> T{capitals:8}/B{capitals:8}/{mixed:24}
hooks.slack.com/services/@ -> T{capitals:8}/B{capitals:8}/{mixed:24}
https://ptb.discord.com/api/webhooks/@ -> {digits:18}/{safe:68}
https://team.webhook.office.com/webhookb2/@ -> {uuid}@{uuid}/IncomingWebhook/{hex:32}/{uuid}
https://api.telegram.org/@/sendMessage -> bot{digits:9}:AA{safe:33}
https://files.slack.com/x.png?t=@ -> xoxe-{digits:13}-{digits:13}-{digits:13}-{hex:32}
-----BEGIN OPENSSH PRIVATE KEY-----\n@\n -> {base64:64}
-----BEGIN EC PRIVATE KEY-----\\n@\\n-----END EC PRIVATE KEY----- -> {base64:64}
-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\n@\n-----END PGP PRIVATE KEY BLOCK----- -> {base64:64}
-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n@\n-----END RSA PRIVATE KEY----- -> {base64:64}
-----BEGIN ENCRYPTED PRIVATE KEY-----\r\n@\r\n -> {base64:64}
{"private_key":"-----BEGIN PRIVATE KEY-----\\n@\\n"} -> {base64:64}
Private-Lines: 2\n@\nPrivate-MAC: 0a1b -> {base64:64}
kind: Secret\ndata:\n  extra: @\n -> {mixed:20}=
data:\n\textra: '@'\nkind: 'Secret'\n -> {mixed:20}=
kind: Secret\ndata:\n  .dockercfg: |\n    @\n -> {mixed:60}
"user_auth": "@" -> {base64:40}=
creds = @ -> {mixed:30}
private-key: @ -> {mixed:30}.{mixed:30}
mySecretString=@ -> {mixed:30}
todo_secret_do_not_commit = @ -> {mixed:30}
sumologic.accessId = "@" -> su{mixed:12}
export SUMOLOGIC_ACCESSID="@" -> su{mixed:12}
SONAR_LOGIN := "@" -> {hex:40}
SONAR.LOGIN :::= "@" -> {hex:40}
export BUNDLE_GEMS__CONTRIBSYS__COM=@ && run -> {hex:8}:{hex:8}
"artifactory", "@" -> {lower:64}
administrator_login_password = "@" -> {letters:9}{digits:2}
<add key="ClearTextPassword" value="@" /> -> {letters:12}
const bot = new Telegraf("@") -> {digits:8}:A{safe:34}
telegram bot: @ -> {digits:6}:A{safe:34}
--set imagePullSecretJfrog.password=@ -> {lower:73}
facebook @ -> {digits:16}|{safe:27}
-vaultToken @ -> hvs.{safe:100}
'secret_key' => 'sk_@' -> {mixed:10}#{mixed:5}&{mixed:8}
//@ is the password -> {mixed:12}
SECRET_KEY = 'django-insecure-@' -> {mixed:20}!{mixed:10}
SECRET_KEY = "django-insecure-@" -> {mixed:10})^(&{mixed:20}
"API_TOKEN": "@" -> {letters:4}^{digits:2}%{lower:6}
'access_token': '@' -> eyJ0{mixed:18}==
`;

/** One text for each of these places, and the secret in it. */
export function contextLeaks(seed: number): readonly Leak[] {
  const made = madeUp(seed);
  return CONTEXTS.trim()
    .split("\n")
    .map((line) => {
      const at = line.lastIndexOf(" -> ");
      const secret = filled(line.slice(at + 4), made);
      const text = line
        .slice(0, at)
        .replace(/\\(\\[nr]|[nrt\\])/g, (_, mark: string) => ESCAPES[mark] ?? mark);
      return [text.replace(/@(?!mail\.example|registry|\w)|(?<==|:|-p|')@(?=@)/, () => secret), secret];
    });
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  "\\": "\\",
  "\\n": "\\n",
  "\\r": "\\r",
};
