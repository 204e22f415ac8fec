import { madeUp } from "./made-up.ts";

/**
 * How the vendors' secrets are built, as `vendor  form`: `{hex:32}` stands for made-up characters of that alphabet.
 * The vendor's name is what appears in front of `_token`, `Key` and so on where the secret is assigned.
 */
const FORMATS = `
adafruit {safe:32}
adobe {hex:32}
adobe p8e-{mixed:32}
adyen AQE{lower:6}.{safe:60}
adyen test_{mixed:34}
age AGE-SECRET-KEY-1{capitals:58}
airtable {lower:17}
airtable pat{mixed:14}.{hex:64}
algolia {lower:32}
alibaba LTAI{mixed:20}
alibaba {lower:30}
amazon AKIA{capitals:16}
amazon ASIA{capitals:16}
amazon ABIA{capitals:16}
amazon ACCA{capitals:16}
anthropic sk-ant-api03-{safe:93}AA
anthropic sk-ant-admin01-{safe:93}AA
anthropic sk-ant-oat01-{safe:95}
artifactory AKCp{mixed:69}
artifactory cmVmd{mixed:59}
artifactory {lower:64}
asana {digits:16}
asana {lower:32}
atlassian {lower:20}{hex:4}
atlassian ATATT3{safe:186}
authress sc_{lower:10}.{lower:4}.acc-{lower:12}.{base64:60}
azure {mixed:3}8Q~{safe:34}
azure IR@{uuid}@adf-orders-01@we@{base64:43}=
beamer b_{safe:44}
bitbucket {lower:32}
bitbucket {safe:64}
bittrex {lower:32}
clickhouse 4b1d{mixed:38}
clojars CLOJARS_{lower:60}
cloudflare {safe:40}
cloudflare {hex:37}
cloudflare v1.0-{hex:24}-{hex:146}
codecov {lower:32}
cohere {mixed:40}
coinbase {safe:64}
confluent {lower:16}
confluent {lower:64}
contentful {safe:43}
databricks dapi{hex:32}
datadog {lower:40}
definednetworking dnkey-{safe:26}-{safe:52}
digitalocean dop_v1_{hex:64}
digitalocean doo_v1_{hex:64}
digitalocean dor_v1_{hex:64}
discord {hex:64}
discord {digits:18}
discord {safe:32}
docker dckr_pat_{safe:27}
doppler dp.pt.{mixed:43}
droneci {lower:32}
dropbox {lower:15}
dropbox {lower:11}AAAAAAAAAA{safe:43}
dropbox sl.{safe:135}
duffel duffel_test_{safe:43}
dynatrace dt0c01.{capitals:24}.{capitals:64}
easypost EZAK{mixed:54}
easypost EZTK{mixed:54}
etsy {lower:24}
exa {uuid}
facebook {hex:32}
facebook {digits:16}|{safe:27}
facebook EAAM{mixed:120}
fastly {safe:32}
finicity {hex:32}
finicity {lower:20}
finnhub {lower:20}
flickr {lower:32}
flutterwave FLWSECK_TEST-{hex:12}
flutterwave FLWPUBK_TEST-{hex:32}-X
fly fo1_{safe:43}
fly fm2_{base64:110}
frameio fio-u-{safe:64}
freshbooks {lower:64}
google AIza{safe:35}
google GOCSPX-{safe:28}
google ya29.{safe:120}
github ghp_{mixed:36}
github gho_{mixed:36}
github ghu_{mixed:36}
github ghr_{mixed:36}
github github_pat_{mixed:22}_{mixed:59}
gitlab glpat-{safe:20}
gitlab glpat-{safe:27}.{lower:9}
gitlab glcbt-{mixed:5}_{safe:20}
gitlab gldt-{safe:20}
gitlab glffct-{safe:20}
gitlab glft-{safe:20}
gitlab glimt-{safe:25}
gitlab glagent-{safe:50}
gitlab gloas-{safe:64}
gitlab glptt-{hex:40}
gitlab GR1348941{safe:20}
gitlab glrt-t1_{safe:27}.{lower:9}
gitlab glsoat-{safe:20}
gitlab _gitlab_session={lower:32}
gitter {safe:40}
gocardless live_{safe:40}
grafana eyJrIjoi{mixed:90}
grafana glc_{base64:80}
grafana glsa_{mixed:32}_{hex:8}
groq gsk_{mixed:52}
harness pat.{safe:22}.{mixed:24}.{mixed:20}
hashicorp {lower:14}.atlasv1.{safe:65}
heroku {uuid}
heroku HRKU-AA{safe:58}
hubspot {uuid}
huggingface hf_{letters:34}
huggingface api_org_{letters:34}
infracost ico-{mixed:32}
intercom {safe:60}
intra42 s-s4t2ud-{hex:64}
jfrog {lower:73}
kraken {base64:85}
kucoin {hex:24}
kucoin {uuid}
langsmith lsv2_pt_{lower:32}_{lower:10}
launchdarkly {safe:40}
linear lin_api_{mixed:40}
linear {hex:32}
linkedin {lower:14}
linkedin {lower:16}
lob live_{hex:35}
lob test_pub_{hex:31}
looker {mixed:20}
mailchimp {hex:32}-us20
mailgun key-{hex:32}
mailgun pubkey-{hex:32}
mailgun {hex:32}-{hex:8}-{hex:8}
mapbox pk.{lower:60}.{lower:22}
mattermost {lower:26}
maxmind {mixed:6}_{mixed:29}_mmk
meraki {hex:40}
messagebird {lower:25}
mistral {mixed:32}
netlify {safe:43}
netlify nfp_{mixed:36}
newrelic NRJS-{hex:19}
newrelic NRII-{safe:32}
newrelic NRAK-{capitals:27}
newrelic {lower:64}
notion ntn_{digits:11}{mixed:35}
npm npm_{mixed:36}
nytimes {safe:32}
octopus API-{capitals:26}
okta 00{safe:40}
onepassword A3-{capitals:6}-{capitals:11}-{capitals:5}-{capitals:5}-{capitals:5}
onepassword ops_eyJ{base64:260}
openai sk-{mixed:20}T3BlbkFJ{mixed:20}
openai sk-proj-{safe:74}T3BlbkFJ{safe:74}
openrouter sk-or-v1-{hex:64}
openshift sha256~{safe:43}
perplexity pplx-{mixed:48}
plaid access-sandbox-{uuid}
plaid {lower:24}
plaid {lower:30}
planetscale pscale_tkn_{safe:43}
planetscale pscale_oauth_{safe:43}
planetscale pscale_pw_{safe:43}
polymarket {base64:43}=
postman PMAK-{hex:24}-{hex:34}
prefect pnu_{mixed:36}
privateai {lower:32}
pulumi pul-{hex:40}
pypi pypi-AgEIcHlwaS5vcmc{safe:80}
rapidapi {safe:50}
readme rdme_{lower:70}
rubygems rubygems_{hex:48}
scalingo tk-us-{safe:48}
sendbird {uuid}
sendbird {hex:40}
sendgrid SG.{safe:22}.{safe:43}
sendinblue xkeysib-{hex:64}-{mixed:16}
sentry {hex:64}
sentry sntryu_{hex:64}
sentry sntrys_eyJpYXQiO{mixed:120}_{mixed:43}
settlemint sm_pat_{mixed:16}
shippo shippo_live_{hex:40}
shopify shpat_{hex:32}
shopify shpca_{hex:32}
shopify shppa_{hex:32}
shopify shpss_{hex:32}
slack xoxb-{digits:12}-{digits:12}-{mixed:24}
slack xoxb-{digits:10}-{mixed:24}
slack xoxp-{digits:12}-{digits:12}-{digits:12}-{hex:32}
slack xoxe.xoxp-1-{mixed:163}
slack xoxe-1-{mixed:146}
slack xoxs-{digits:10}-{digits:10}-{digits:10}-{hex:10}
slack xoxa-2-{mixed:14}
slack xoxr-{mixed:12}
slack xapp-1-A{capitals:10}-{digits:13}-{hex:64}
snyk {uuid}
sonar {lower:40}
sonar squ_{hex:40}
sourcegraph sgp_{hex:16}_{hex:40}
sourcegraph {hex:40}
square EAAA{safe:60}
square sq0atp-{safe:22}
square sq0csp-{safe:43}
squarespace {uuid}
stripe sk_live_{mixed:24}
stripe rk_test_{mixed:30}
stripe sk_prod_{mixed:99}
sumologic su{mixed:12}
sumologic {mixed:64}
tavily tvly-dev-{mixed:32}
telegram {digits:8}:A{safe:34}
travis {lower:22}
twilio SK{hex:32}
twitch {lower:30}
twitter {lower:45}
twitter {digits:18}-{mixed:30}
twitter {lower:25}
twitter {lower:50}
twitter AAAAAAAAAAAAAAAAAAAAAA{mixed:84}
typeform tfp_{safe:59}
vault hvs.{safe:95}
vault hvb.{safe:140}
vault s.{mixed:24}
vercel {mixed:24}
xai xai-{mixed:80}
yandex t1.{safe:40}.{safe:86}
yandex AQVN{safe:38}
yandex YC{safe:38}
zai {hex:32}.{mixed:16}
zendesk {lower:40}
zendesk {mixed:40}
`;

/** Puts made-up characters where a form has `{alphabet:length}`. */
export function filled(form: string, made: ReturnType<typeof madeUp>): string {
  return form.replace(
    /\{(hex|mixed|safe|base64|capitals|lower|letters|digits|uuid)(?::(\d+))?\}/g,
    (_, alphabet, length) => (alphabet === "uuid" ? made.uuid() : made[alphabet as "hex"](Number(length))),
  );
}

/** A vendor's name as it appears in names of variables, and a secret of its kind. */
export type VendorSecret = readonly [vendor: string, secret: string];

/** One secret of every form that a vendor is known to use. */
export function vendorSecrets(seed: number): readonly VendorSecret[] {
  const made = madeUp(seed);
  return FORMATS.trim()
    .split("\n")
    .map((line) => {
      const [vendor = "", form = ""] = line.split(" ");
      return [vendor, filled(form, made)];
    });
}
