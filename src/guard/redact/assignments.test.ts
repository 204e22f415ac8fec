import { describe, expect, it } from "vitest";
import { redactAssignments } from "./assignments.ts";
import { marked } from "./testing/marked.ts";

const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const UUID = "7d9f2b1c-3e4a-4f6b-8c2d-9a1e5b7f0c3d";
const LONG = "q7Zk29LmXw4TbPq81sVe";

function checkRemoved(example: string): void {
  const { text, clean } = marked(example, "[secret]");
  expect(redactAssignments(text)).toBe(clean);
}

function checkKept(text: string): void {
  expect(redactAssignments(text)).toBe(text);
}

describe("a password", () => {
  it.each([
    'password = "⟦p4ss⟧"',
    "password = ⟦swordfish⟧",
    "password ?= ⟦swordfish⟧",
    "password+=⟦swordfish⟧",
    'cfg["password"] = ⟦swordfish⟧',
    'password => "⟦hunter2x⟧"',
    "the password is ⟦hunter2x⟧",
    "password:\n  ⟦hunter2x⟧",
    "password:\n⟦hun:ter2⟧",
    "password:\n⟦a8f3c1d9e2==⟧\n",
    'password = "⟦correct horse 7⟧"',
    `password = "⟦${"horse ".repeat(6)}ab7⟧"`,
    "PASSWORD=⟦/x1y2z3⟧",
    "MYPWD=⟦/x1y2z3⟧",
    "PWDS=⟦/x1y2z3⟧",
    "PWD=⟦x1/y2z3⟧",
    "PWD=⟦hunter2x⟧",
    "password = ⟦hunt2..⟧",
    "password = ⟦hunt2⟧[0]",
    "password = ⟦hu..nt2⟧[x",
    "password\n⟦Tr0ub4dor3x⟧\n",
    "password\r\n⟦Tr0ub4dor3x⟧\r\n",
    "password \t⟦Tr0ub4dor3x⟧",
    "- name: DB_PASSWORD\n  value: ⟦swordfish⟧",
  ])("is removed where it is behind its name: %s", checkRemoved);

  it.each(["tool --password ⟦swordfish⟧ run", "tool -password ⟦swordfish⟧", "tool --password ⟦sword-fish⟧"])(
    "is removed where it is the value of an option: %s",
    checkRemoved,
  );

  it.each([
    'password = "abc"',
    "password = getPass1(user)",
    "password: swordfish",
    "password := swordfish",
    "password => hunter2x",
    "the password swordfish",
    "a--password swordfish",
    "tool --password --verbose",
    "tool --password -v7x",
    "the password is user@host",
    "password:\nuser2=5",
    "password:\nuser2:\n",
    "password:\nswordfish",
    'password, "hunter2x"',
    'password = "at least eight letters"',
    `password = "${"horse ".repeat(6)}abc7"`,
    "PWD=/home/a1b2",
    "OLDPWD=~/a1b2",
    "PWD=C:/work1",
    "password = hunt2..[hidden]",
    'password = "[secret] 12"',
  ])("is not seen in %s", checkKept);
});

describe("a token or key", () => {
  it.each([
    "token,⟦q7Zk29LmXw4T⟧",
    "token,⟦q7Zk29LmXw4T⟧,next",
    "token,⟦q7Zk29LmXw4T⟧;next",
    "token,⟦q7Zk29LmXw4T⟧\nnext",
    '"password", "⟦q7Zk29LmXw4T⟧"',
    'key_token = "⟦qzkWrtv12Bxn7⟧"',
    'key = "⟦a8f3c1d9e2b7k4m1⟧"',
    'license_key = "⟦q7Zk29LmXw4T⟧"',
    'key_token = "⟦q7Zk29LmXw4T⟧"',
    'token = "⟦183746529018374652⟧"',
    "token = ⟦q7Zk29LmXw4TbPq81sV..⟧[x",
    `client_id_secret = "⟦${UUID}⟧"`,
    `signature: ⟦${LONG.repeat(4)}abcde⟧`,
  ])("is removed: %s", checkRemoved);

  it.each([
    "token, q7Zk29LmXw4T",
    "token,q7Zk29LmXw4T)",
    "token,q7Zk29LmXw4",
    'key = "a8f3c1d9e2b7k4m"',
    'key = "183746529018374652"',
    'key: "qzkWrtv12Bxn7qzkWrtv12"',
    'token = "q7Zk29 LmXw4TbPq8"',
    'token = "q7Zk29 LmXw4TbPq8 q7Zk29 LmXw4TbPq8 q7Zk29 LmXw4TbPq8"',
    "token = q7Zk29LmXw4TbPq81s..[x",
    `client_id = "${UUID}"`,
    `signature: ${LONG.repeat(4)}abcdef`,
  ])("is not seen in %s", checkKept);
});

describe("the name of a vendor", () => {
  it.each([
    'SONAR_LOGIN="⟦a8f3c1d9e2b7k4m1⟧"',
    'mySonar = "⟦a8f3c1d9e2b7k4m1⟧"',
    "sonar=⟦a8f3c1d9e2b7k4m1⟧",
    'heroku = "⟦a8xkqzvbnmwrt3pq⟧"',
    'heroku = "⟦a8f3c1d9e2b7k4⟧"',
    "contribsys: ⟦a1b2c3d4:e5f6a7b8⟧",
  ])("labels a secret: %s", checkRemoved);

  it.each([
    'resonar = "a8f3c1d9e2b7k4m1"',
    'SetSysctl = "a8f3c1d9e2b7k4m1"',
    "sonar: a8f3c1d9e2b7k4m1",
    'sonar_sha = "a8f3c1d9e2b7k4m1"',
    'sonar_version = "a8f3c1d9e2b7k4m1"',
    'sonar = "your-token-here-a1b2"',
    'contribsys = "xa1b2c3d4:e5f6a7b8"',
    'contribsys = "a1b2c3d4:e5f6a7b8x"',
    'contribsys = "a8f3c1d9e2b7a4c1"',
    'heroku = "x/a8f3c1d9e2b7k4m1"',
    'heroku = "a8f3c1d9e2b7k4m1/x"',
    'heroku = "a8f3c1d9e2b7k"',
    'heroku = "183746529018374"',
    'heroku = "xkqzvbnmwrtpsdf1"',
    'heroku = "1xkqzvbnmwrtpsdf"',
    'heroku = "SalesResults-1.2"',
    'heroku = "sales-results-12-34"',
  ])("labels nothing in %s", checkKept);
});

describe("a value before its name", () => {
  it.each([
    "⟦a1b2c3⟧ is my password",
    "(⟦hunter2x⟧ is my password)",
    "⟦hun(ter2⟧ is my password",
    "⟦q7Zk29LmXw4T⟧ is the token",
    "it says ⟦hunter2x⟧ is my password, ⟦q7Zk29LmXw4T⟧ is the token",
  ])("is removed: %s", checkRemoved);

  it("is removed from its end, up to the length of a secret", () => {
    const word = LONG.repeat(11);
    expect(redactAssignments(`${word} is the token`)).toBe(`${word.slice(0, 20)}[secret] is the token`);
  });

  it.each([
    "a1b2c is my password",
    "swordfish is my password",
    "!?;#$%1 is my password",
    "1234567 is my password",
    "getUserName.v2 is the password",
    "q7Zk29LmXw4 is the token",
    "SalesResults-1.2 is the key",
    "xkqzvbnmwrtpsdfg is the key",
    "your-token-123 is the token",
  ])("is not seen in %s", checkKept);
});

describe("an address at which a person signs in", () => {
  const parameters = `client_id=${LONG}&state=home&code_challenge=${CHALLENGE}`;

  it("keeps its public parameters, so that it can be opened", () => {
    checkKept(`Open https://id.example/auth?response_type=code&${parameters} and sign in.`);
    checkKept(`Open https://id.example/auth?response_type=code&${parameters}&scope=all and sign in.`);
  });

  it("loses them if it would hand out a token, or if nothing proves who asked", () => {
    const token = `https://id.example/auth?response_type=token&${parameters}`;
    expect(redactAssignments(token)).not.toContain(LONG);
    const unproven = `https://id.example/auth?response_type=code&client_id=${LONG}&state=home&scope=all`;
    expect(redactAssignments(unproven)).not.toContain(LONG);
  });

  it("does not hide what stands around it", () => {
    const address = `https://id.example/auth?response_type=code&${parameters}`;
    checkRemoved(`token = "⟦${LONG}⟧" ${address} password = "⟦hunter2x⟧"`);
  });
});

describe("a name that calls its value secret", () => {
  it.each(
    [
      "password passwd passphrase passwort kennwort contraseña pwd passcode pass secret token api_key api-key api.key",
      "apikey access_key access_id private_key client_id client_key account_key auth cred creds credential credentialValue",
      "db_key myKey deploy-key DEPLOY_KEY cookie_signature sig encryption bearer jwt license_key license-key licencekey",
      "webhook dsn salt pin pat otp",
    ].flatMap((names) => names.split(" ")),
  )("may be %s", (name) => checkRemoved(`${name} = "⟦q7Zk29LmXw4TbPq8⟧"`));

  it.each(["mot de passe", "api key", "private key", "account key"])("may have a space: %s", (name) =>
    checkRemoved(`${name} = "⟦q7Zk29LmXw4TbPq8⟧"`),
  );

  it.each(
    "credits monkeys keystone assignee compass passed spin pinned pattern robots hotpot signal design".split(
      " ",
    ),
  )("is not part of %s", (name) => checkKept(`${name} = "q7Zk29LmXw4TbPq8"`));

  it.each([..."passphrase passcode kennwort contraseña pass".split(" "), ...["mot de passe", "my pass"]])(
    "may call it a password, so that any word is one: %s",
    (name) => checkRemoved(`${name} = ⟦swordfish⟧`),
  );

  it.each(["compass", "passenger"])("calls nothing a password in %s", (name) =>
    checkKept(`${name} = swordfish`),
  );

  it.each([
    ..."api access secret auth private license admin deploy service"
      .split(" ")
      .flatMap((word) => [`${word} key`, `${word}_token`, `${word}token`]),
    ..."bearer token|refresh token|session token|personal access token".split("|"),
  ])("may be so certain that its value only stands next to it: %s", (name) =>
    checkRemoved(`${name} ⟦a8xkqzvbnmwrt3pq⟧`),
  );

  it.each(["the token", "a key", "secret"])("is not that certain: %s", (name) =>
    checkKept(`${name} a8xkqzvbnmwrt3pq`),
  );
});

it.each(
  [
    "adafruit airtable algolia artifactory asana bintray bitbucket bittrex cloudflare codecov coinbase confluent",
    "confluence contentful datadog discord drone dropbox etsy facebook fastly finicity finnhub flickr freshbooks gitter",
    "heroku hubspot intercom jfrog jira kraken kucoin launchdarkly linkedin mailchimp mailgun mapbox mattermost meraki",
    "messagebird netlify newrelic new-relic new_relic nytimes okta plaid rapidapi sendbird sentry snyk sonar squarespace",
    "sumo telegram telegraf travis twitch twitter zendesk",
  ].flatMap((names) => names.split(" ")),
)("the vendor %s labels a secret", (vendor) => checkRemoved(`${vendor}_login = "⟦a8f3c1d9e2b7k4m1⟧"`));

it.each(["sha", "hash", "sum", "digest", "integrity", "version", "url"])(
  "a vendor labels no secret in its %s",
  (word) => checkKept(`heroku_${word} = "a8f3c1d9e2b7k4m1"`),
);

describe("a secret behind its name", () => {
  it.each(
    "= == === => -> := ::= ?= ??= += .= : :: || ?? > %3D is was value= value:"
      .split(" ")
      .map((word) => ` ${word} `),
  )("and %j is removed", (separator) => checkRemoved(`token${separator}"⟦q7Zk29LmXw4TbPq8⟧"`));

  it.each([
    "token: String = ",
    "token: &str = ",
    "token :&str= ",
    "token: Option<Secret.Text>=",
    "token %3D",
    "token]=",
    'token"]) = ',
    'token\\"]: ',
    "token: new ",
    "token = String ",
    "token = string ",
    "token = str ",
    "token = b",
    "token = f",
    "token = r",
    "token = u",
    "token: |\n  ",
    "token: >-\n  ",
    "token: |+\r\n  ",
    "token:\r\n",
  ])("and %j is removed", (start) => checkRemoved(`${start}"⟦q7Zk29LmXw4TbPq8⟧"`));

  it.each(["'", "`", '"', '\\"'])("and %s is removed", (quote) => {
    checkRemoved(`token = ${quote}⟦q7Zk29LmXw4TbPq8⟧${quote}`);
  });

  it("is removed whole, even if a part follows a bar", () => {
    checkRemoved("token = ⟦1234567890|q7Zk29LmXw4TbPq81sVe4rT6⟧ next");
    checkRemoved("token = ⟦q7Zk29LmXw4TbPq8==⟧ next");
  });

  it.each([
    'name: TOKEN\nvalue: "⟦q7Zk29LmXw4TbPq8⟧"',
    'name: TOKEN\n  default: "⟦q7Zk29LmXw4TbPq8⟧"',
    '"name": "token", "value": "⟦q7Zk29LmXw4TbPq8⟧"',
    '{\\"name\\": \\"token\\", \\"value\\": \\"⟦q7Zk29LmXw4TbPq8⟧\\"}',
    '<meta name="token" content="⟦q7Zk29LmXw4TbPq8⟧">',
    '<add key="token" value="⟦q7Zk29LmXw4TbPq8⟧"/>',
    '<entry key="token"><value>⟦a8f3c1d9e2b7k4m1⟧</value>',
    '<entry key="token"/>\n  <value>⟦a8f3c1d9e2b7k4m1⟧</value>',
  ])("is removed from the field next to it: %s", checkRemoved);

  it.each("value val label text title count path items children".split(" "))(
    "is kept where it is a key with a %s",
    (field) => {
      checkKept(`{ key: "a8f3c1d9e2b7k4m1", ${field}: "Berlin" }`);
      checkKept(`{ "key": "a8f3c1d9e2b7k4m1", "${field}": "Berlin" }`);
      checkKept(`{\\"key\\": \\"a8f3c1d9e2b7k4m1\\", \\"${field}\\": \\"Berlin\\"}`);
      checkKept(`<entry key="a8f3c1d9e2b7k4m1" ${field}="Berlin">`);
    },
  );

  it.each(["cloudfront", "amz", "goog", "shared", "cookie", "hmac"])(
    "is a signature of %s, however long",
    (word) => checkRemoved(`${word}_signature: ⟦${LONG.repeat(4)}abcdef⟧`),
  );

  it("is no public id", () => {
    checkKept('client_id = "12345678901234567890"');
    checkRemoved(`client_id = "⟦${UUID}x9q⟧"`);
    checkRemoved(`client_id = "⟦x9q${UUID}⟧"`);
  });
});

describe("a secret before its name", () => {
  it.each(["the", "my", "our", "your", "his", "her", "a"])("is removed: … is %s password", (word) =>
    checkRemoved(`⟦hunter2x⟧ is ${word} password`),
  );

  it.each([
    "passphrase",
    "passcode",
    "api key",
    "api-key",
    "apikey",
    "token",
    "secret",
    "credential",
    "key",
    "pin",
  ])("is removed: … is my new %s", (name) => checkRemoved(`⟦q7Zk29LmXw4T⟧ is my brand new ${name}`));

  it("is removed with its quotes left", () => checkRemoved('"⟦hunter2x⟧" is my password'));
});

it.each(["code_challenge_method", "redirect_uri", "state", "scope", "resource", "audience", "prompt"])(
  "an address at which a person signs in may have the parameter %s",
  (parameter) =>
    checkKept(
      `https://id.example/auth?response_type=code&client_id=${LONG}&${parameter}=x&code_challenge=${CHALLENGE} opens`,
    ),
);
