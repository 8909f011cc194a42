#include "base/crypto/secret_rules.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define W SECRET_WORD
#define I SECRET_CASELESS
#define QUOTE SECRET_TAIL_QUOTE
#define NONE SECRET_TAIL_NONE
#define EXAMPLE SECRET_ALLOW_EXAMPLE

#define OPENAI(lead, before, after, length)                                                        \
	{ "openai-api-key", "an OpenAI key", lead,                                                         \
	  "[A-Za-z0-9_-]{" #before "}T3BlbkFJ[A-Za-z0-9_-]{" #after "}\\b", W, QUOTE, 0, length, length, 3 }
#define AWS(lead, rest) { "aws-access-token", "an AWS access key", lead, rest "\\b", W, NONE, EXAMPLE, 20, 20, 3 }
#define STRIPE(lead) { "stripe-access-token", "a Stripe token", lead, "[a-zA-Z0-9]{10,99}", W, QUOTE, 0, 18, 107, 2 }
#define SLACK_USER(lead)                                                                            \
	{ "slack-user-token", "a Slack token", lead, "(?:-[0-9]{10,13}){3}-[a-zA-Z0-9-]{28,34}", 0, NONE, 0, 66, 81, 2 }
#define SLACK_LEGACY(lead) \
	{ "slack-legacy-token", "a Slack token", lead, "\\d+-\\d+-\\d+-[a-fA-F\\d]+", 0, NONE, 0, 12, 0, 2 }
#define FLY(lead, least) \
	{ "flyio-access-token", "a Fly.io token", lead, "[a-zA-Z0-9+\\/]{100,}={0,3}", W, QUOTE, 0, least, 0, 4 }
#define KNOWN SECRET_ALLOW_KNOWN
/* A key with a minimum number of bytes after its lead, and no maximum. */
#define LONG(id, service, lead, bytes, least) \
	{ id, service, lead, bytes "{" #least ",}", W | SECRET_ALONE, NONE, 0, sizeof(lead) - 1 + (least), 0, 3 }
/* One of other lengths than those that a published rule has. */
#define OTHER(id, service, lead, least, most) \
	{ id, service, lead, "[A-Za-z0-9_-]{" #least "," #most "}", W, SECRET_TAIL_TOKEN, 0, \
	  sizeof(lead) - 1 + (least), sizeof(lead) - 1 + (most), 3 }
#define ALNUM "[A-Za-z0-9]"
#define TOKEN "[A-Za-z0-9_-]"
#define SLACK(lead) \
	{ "slack-token-of-any-kind", "a Slack token", lead, \
	  "(?:[0-9]-)?(?:[0-9]{8,14}-){1,3}[a-z0-9]{0,20}[a-z][a-z0-9]{11,}", I, NONE, 0, 26, 0, 3 }
/* What stands between a name and its value: api-key: x, "secret": "x", key = 'x' */
#define IS "[\"'\\x60]?[\\t ]{0,3}[:=>,]{1,3}[\\t ]{0,3}[\"'\\x60]?"
/* No space and no control character; a mask ends at the others, too. */
#define PASSWORD "(?:password|passwd|pwd)=[^\\x00-\\x20\\x7f&;,#\\x60\"'<>${}*%\\[\\]()]{3,}"
#define UUID_TEXT "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\\b"
#define UUID "[a-z0-9]{8}-(?:[a-z0-9]{4}-){3}[a-z0-9]{12}"

const struct secret_rule secret_rules[] = {
	{ "anthropic-api-key", "an Anthropic key", "sk-ant-api03-", "[a-zA-Z0-9_\\-]{93}AA", W, QUOTE, 0, 108,
	  108, 0 },
	{ "anthropic-admin-api-key", "an Anthropic administration key", "sk-ant-admin01-",
	  "[a-zA-Z0-9_\\-]{93}AA", W, QUOTE, 0, 110, 110, 0 },
	OPENAI("sk-proj-", 58, 58, 132),
	OPENAI("sk-proj-", 58, 74, 148),
	OPENAI("sk-proj-", 74, 58, 148),
	OPENAI("sk-proj-", 74, 74, 164),
	OPENAI("sk-svcacct-", 58, 58, 135),
	OPENAI("sk-svcacct-", 58, 74, 151),
	OPENAI("sk-svcacct-", 74, 58, 151),
	OPENAI("sk-svcacct-", 74, 74, 167),
	OPENAI("sk-admin-", 58, 58, 133),
	OPENAI("sk-admin-", 58, 74, 149),
	OPENAI("sk-admin-", 74, 58, 149),
	OPENAI("sk-admin-", 74, 74, 165),
	{ "openai-api-key", "an OpenAI key", "sk-", "[a-zA-Z0-9]{20}T3BlbkFJ[a-zA-Z0-9]{20}", W, QUOTE, 0, 51,
	  51, 3 },
	{ "perplexity-api-key", "a Perplexity key", "pplx-", "[a-zA-Z0-9]{48}\\b", W, NONE, 0, 53, 53, 4 },
	{ "huggingface-access-token", "a Hugging Face token", "hf_", "(?i:[a-z]{34})", W, QUOTE, 0, 37, 37, 2 },
	{ "huggingface-organization-api-token", "a Hugging Face organization token", "api_org_",
	  "(?i:[a-z]{34})", W, QUOTE, 0, 42, 42, 2 },
	{ "gcp-api-key", "a Google Cloud key", "AIza", "[\\w-]{35}", W, QUOTE, SECRET_ALLOW_GOOGLE, 39, 39, 4 },
	AWS("A3T", "[A-Z0-9][A-Z2-7]{16}"),
	AWS("AKIA", "[A-Z2-7]{16}"),
	AWS("ASIA", "[A-Z2-7]{16}"),
	AWS("ABIA", "[A-Z2-7]{16}"),
	AWS("ACCA", "[A-Z2-7]{16}"),
	{ "aws-amazon-bedrock-api-key-long-lived", "an Amazon Bedrock key", "ABSK", "[A-Za-z0-9+/]{109,}={0,2}",
	  W, QUOTE, 0, 113, 273, 3 },
	{ "aws-amazon-bedrock-api-key-short-lived", "a short-lived Amazon Bedrock key", "bedrock-api-key-",
	  "YmVkcm9jay5hbWF6b25hd3MuY29t", 0, NONE, 0, 44, 44, 3 },
	{ "alibaba-access-key-id", "an Alibaba Cloud key", "LTAI", "(?i:[a-z0-9]{20})", W, QUOTE, 0, 24, 24,
	  2 },
	{ "azure-ad-client-secret", "a secret of an Azure AD client", "",
	  "(?:\\A|[\\\\'\"\\x60\\t\\n\\f\\r >=:(,)])[a-zA-Z0-9_~.]{3}\\dQ~[a-zA-Z0-9_~.-]{31,34}", SECRET_HEAD,
	  SECRET_TAIL_AZURE, 0, 37, 40, 3 },
	{ "github-pat", "a GitHub token", "ghp_", "[0-9a-zA-Z]{36}", 0, NONE, 0, 40, 40, 3 },
	{ "github-fine-grained-pat", "a fine-grained GitHub token", "github_pat_", "\\w{82}", 0, NONE, 0, 93,
	  93, 3 },
	{ "github-oauth", "a GitHub OAuth token", "gho_", "[0-9a-zA-Z]{36}", 0, NONE, 0, 40, 40, 3 },
	{ "github-app-token", "a GitHub App token", "ghu_", "[0-9a-zA-Z]{36}", 0, NONE, 0, 40, 40, 3 },
	{ "github-app-token", "a GitHub App token", "ghs_", "[0-9a-zA-Z]{36}", 0, NONE, 0, 40, 40, 3 },
	{ "github-refresh-token", "a GitHub refresh token", "ghr_", "[0-9a-zA-Z]{36}", 0, NONE, 0, 40, 40, 3 },
	{ "gitlab-pat", "a GitLab token", "glpat-", "[\\w-]{20}", 0, NONE, 0, 26, 26, 3 },
	{ "gitlab-pat-routable", "a routable GitLab token", "glpat-",
	  "[0-9a-zA-Z_-]{27,}\\.[0-9a-z]{2}[0-9a-z]{7}\\b", W, NONE, 0, 43, 316, 4 },
	{ "gitlab-ptt", "a GitLab pipeline trigger token", "glptt-", "[0-9a-f]{40}", 0, NONE, 0, 46, 46, 3 },
	{ "gitlab-rrt", "a GitLab runner registration token", "GR1348941", "[\\w-]{20}", 0, NONE, 0, 29, 29,
	  3 },
	{ "gitlab-runner-authentication-token", "a GitLab runner token", "glrt-", "[0-9a-zA-Z_\\-]{20}", 0,
	  NONE, 0, 25, 25, 3 },
	{ "gitlab-deploy-token", "a GitLab deployment token", "gldt-", "[0-9a-zA-Z_\\-]{20}", 0, NONE, 0, 25,
	  25, 3 },
	{ "slack-bot-token", "a Slack bot token", "xoxb-", "[0-9]{10,13}-[0-9]{10,13}[a-zA-Z0-9-]*", 0, NONE, 0,
	  26, 0, 3 },
	SLACK_USER("xoxp"),
	SLACK_USER("xoxe"),
	{ "slack-app-token", "a Slack app token", "xapp-", "\\d-[A-Z0-9]+-\\d+-[a-z0-9]+", I, NONE, 0, 12, 0,
	  2 },
	SLACK_LEGACY("xoxo-"),
	SLACK_LEGACY("xoxs-"),
	{ "slack-webhook-url", "a Slack webhook", "hooks",
	  ".slack.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{43,56}", 0, NONE, 0, 68, 82, 0 },
	STRIPE("sk_test_"),
	STRIPE("sk_live_"),
	STRIPE("sk_prod_"),
	STRIPE("rk_test_"),
	STRIPE("rk_live_"),
	STRIPE("rk_prod_"),
	{ "npm-access-token", "an npm token", "npm_", "[a-z0-9]{36}", W | I, QUOTE, 0, 40, 40, 2 },
	{ "pypi-upload-token", "a PyPI token", "pypi-AgEIcHlwaS5vcmc", "[\\w-]{50,}", 0, NONE, 0, 70, 1020, 3 },
	{ "rubygems-api-token", "a RubyGems token", "rubygems_", "[a-f0-9]{48}", W, QUOTE, 0, 57, 57, 2 },
	{ "databricks-api-token", "a Databricks token", "dapi", "[a-f0-9]{32}(?:-\\d)?", W, QUOTE, 0, 36, 38,
	  3 },
	{ "digitalocean-pat", "a DigitalOcean token", "dop_v1_", "[a-f0-9]{64}", W, QUOTE, 0, 71, 71, 3 },
	{ "digitalocean-access-token", "a DigitalOcean OAuth token", "doo_v1_", "[a-f0-9]{64}", W, QUOTE, 0, 71,
	  71, 3 },
	{ "doppler-api-token", "a Doppler token", "dp.pt.", "(?i:[a-z0-9]{43})", 0, NONE, 0, 49, 49, 2 },
	{ "dynatrace-api-token", "a Dynatrace token", "dt0c01.", "(?i:[a-z0-9]{24}\\.[a-z0-9]{64})", 0, NONE, 0,
	  96, 96, 4 },
	{ "flyio-access-token", "a Fly.io token", "fo1_", "[\\w-]{43}", W, QUOTE, 0, 47, 47, 4 },
	FLY("fm1a_", 105),
	FLY("fm1r_", 105),
	FLY("fm2_", 104),
	{ "grafana-api-key", "a Grafana token", "eyJrIjoi", "[A-Za-z0-9]{70,}={0,3}", W | I, QUOTE, 0, 78, 408,
	  3 },
	{ "grafana-cloud-api-token", "a Grafana Cloud token", "glc_", "[A-Za-z0-9+/]{32,}={0,3}", W | I, QUOTE,
	  0, 36, 404, 3 },
	{ "grafana-service-account-token", "a Grafana service account token", "glsa_",
	  "[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}", W | I, QUOTE, 0, 46, 46, 3 },
	{ "hashicorp-tf-api-token", "a Terraform token", "",
	  "[a-z0-9]{14}\\.(?-i:atlasv1)\\.[a-z0-9\\-_=]{60,70}", I, NONE, 0, 83, 93, 3.5 },
	{ "vault-service-token", "a Vault token", "hvs.", "[\\w-]{90,120}", W, QUOTE, SECRET_ALLOW_LETTERS, 94,
	  124, 3.5 },
	{ "vault-service-token", "a Vault token", "s.", "(?i:[a-z0-9]{24})", W, QUOTE, SECRET_ALLOW_LETTERS, 26,
	  26, 3.5 },
	{ "vault-batch-token", "a Vault batch token", "hvb.", "[\\w-]{138,300}", W, QUOTE, 0, 142, 304, 4 },
	{ "heroku-api-key-v2", "a Heroku key", "HRKU-AA", "[0-9a-zA-Z_-]{58}", W, QUOTE, 0, 65, 65, 4 },
	{ "linear-api-key", "a Linear token", "lin_api_", "(?i:[a-z0-9]{40})", 0, NONE, 0, 48, 48, 2 },
	{ "notion-api-token", "a Notion token", "ntn_", "[0-9]{11}[A-Za-z0-9]{35}", W, QUOTE, 0, 50, 50, 4 },
	{ "planetscale-api-token", "a PlanetScale token", "pscale_tkn_", "(?i:[\\w=\\.-]{32,64})", W, QUOTE, 0,
	  43, 75, 3 },
	{ "postman-api-token", "a Postman key", "PMAK-", "(?i:[a-f0-9]{24}\\-[a-f0-9]{34})", W, QUOTE, 0, 64,
	  64, 3 },
	{ "prefect-api-token", "a Prefect token", "pnu_", "[a-zA-Z0-9]{36}", W, QUOTE, 0, 40, 40, 2 },
	{ "pulumi-api-token", "a Pulumi token", "pul-", "[a-f0-9]{40}", W, QUOTE, 0, 44, 44, 2 },
	{ "sendgrid-api-token", "a SendGrid key", "SG.", "(?i:[a-z0-9=_\\-\\.]{66})", W, QUOTE, 0, 69, 69, 2 },
	{ "sendinblue-api-token", "a Sendinblue key", "xkeysib-", "[a-f0-9]{64}\\-(?i:[a-z0-9]{16})", W, QUOTE,
	  0, 89, 89, 2 },
	{ "sentry-org-token", "a Sentry organization token", "sntrys_eyJpYXQiO",
	  "[a-zA-Z0-9+/]{10,200}(?:LCJyZWdpb25fdXJs|InJlZ2lvbl91cmwi|cmVnaW9uX3VybCI6)[a-zA-Z0-9+/]{10,200}={0,2}_"
	  "[a-zA-Z0-9+/]{43}(?:[^a-zA-Z0-9+/]|\\z)",
	  W, NONE, 0, 96, 479, 4.5 },
	{ "sentry-user-token", "a Sentry user token", "sntryu_", "[a-f0-9]{64}", W, QUOTE, 0, 71, 71, 3.5 },
	{ "shopify-access-token", "a Shopify token", "shpat_", "[a-fA-F0-9]{32}", 0, NONE, 0, 38, 38, 2 },
	{ "square-access-token", "a Square token", "EAAA", "[\\w-]{22,60}", W, QUOTE, 0, 26, 64, 2 },
	{ "square-access-token", "a Square token", "sq0atp-", "[\\w-]{22,60}", W, QUOTE, 0, 29, 67, 2 },
	{ "twilio-api-key", "a Twilio key", "SK", "[0-9a-fA-F]{32}", 0, NONE, 0, 34, 34, 3 },
	{ "jwt", "a JSON Web Token", "ey",
	  "[a-zA-Z0-9]{17,}\\.ey[a-zA-Z0-9\\/\\\\_-]{17,}\\.(?:[a-zA-Z0-9\\/\\\\_-]{10,}={0,2})?", W, QUOTE, 0,
	  40, 0, 3 },
	{ "private-key", "a private key", "-----BEGIN", "[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----",
	  I | SECRET_BLOCK, NONE, 0, 26, 132, 0 },
	{ "age-secret-key", "an age identity", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", 0,
	  NONE, 0, 74, 74, 0 },
	{ "1password-service-account-token", "a 1Password service account token", "ops_eyJ",
	  "[a-zA-Z0-9+/]{250,}={0,3}", 0, NONE, 0, 257, 0, 4 },
	{ "1password-secret-key", "a 1Password secret key", "A3-",
	  "[A-Z0-9]{6}-[A-Z0-9]{11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}\\b", W, NONE, 0, 39, 39, 3.8 },
	{ "1password-secret-key", "a 1Password secret key", "A3-",
	  "[A-Z0-9]{6}-[A-Z0-9]{6}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}\\b", W, NONE, 0, 40, 40,
	  3.8 },
	{ "artifactory-api-key", "an Artifactory key", "AKCp", "[A-Za-z0-9]{69}\\b", W, NONE, 0, 73, 73, 4.5 },
	{ "clickhouse-cloud-api-secret-key", "a ClickHouse Cloud key", "4b1d", "[A-Za-z0-9]{38}\\b", W, NONE, 0,
	  42, 42, 3 },
	{ "openshift-user-token", "an OpenShift token", "sha256~", "[\\w-]{43}", W, SECRET_TAIL_TOKEN, 0, 50,
	  50, 3.5 },
	{ "sourcegraph-access-token", "a Sourcegraph key", "sgp_", "[a-f0-9]{16}_[a-f0-9]{40}\\b", W | I, QUOTE,
	  0, 61, 61, 3 },
	{ "sourcegraph-access-token", "a Sourcegraph key", "sgp_local_", "[a-f0-9]{40}\\b", W | I, QUOTE, 0, 50,
	  50, 3 },
	{ "sourcegraph-access-token", "a Sourcegraph key", "sgp_", "[a-f0-9]{40}\\b", W | I, QUOTE, 0, 44, 44,
	  3 },
	{ "sourcegraph-access-token", "a Sourcegraph key", "",
	  "sourcegraph[\\w.-]{0,24}[\"'\\x60]?[\\t ]{0,3}[:=>,]{1,3}[\\t ]{0,3}[\"'\\x60]?[a-f0-9]{40}\\b",
	  I | SECRET_NAMED, QUOTE, 0, 40, 40, 3 },
	{ "readme-api-token", "a ReadMe key", "rdme_", "[a-z0-9]{70}", W, QUOTE, 0, 75, 75, 2 },
	{ "infracost-api-token", "an Infracost key", "ico-", "[a-zA-Z0-9]{32}", W, QUOTE, 0, 36, 36, 3 },
	{ "airtable-personnal-access-token", "an Airtable token", "pat", "[A-Za-z0-9]{14}\\.[a-f0-9]{64}\\b", W,
	  NONE, 0, 82, 82, 0 },
	{ "microsoft-teams-webhook", "a Microsoft Teams webhook", "https://",
	  "[a-z0-9]+\\.webhook\\.office\\.com/webhookb2/" UUID "@" UUID "/IncomingWebhook/[a-z0-9]{32}/" UUID,
	  0, NONE, 0, 198, 0, 0 },

	/* Ours, behind the published ones: those name a key first. */
	LONG("groq-api-key", "a Groq key", "gsk_", ALNUM, 32),
	LONG("openrouter-api-key", "an OpenRouter key", "sk-or-v1-", ALNUM, 32),
	LONG("xai-api-key", "an xAI key", "xai-", ALNUM, 40),
	LONG("nvidia-api-key", "an NVIDIA key", "nvapi-", TOKEN, 40),
	{ "deepseek-api-key", "a DeepSeek key", "sk-", "[0-9a-f]{32}\\b", W, NONE, 0, 35, 35, 3 },
	{ "openai-user-key", "an OpenAI key", "sk-", ALNUM "{48}\\b", W, NONE, 0, 51, 51, 3 },
	OTHER("openai-project-key", "an OpenAI key", "sk-proj-", 32, 47), /* one of 48 has its mark in the middle */
	LONG("openai-project-key", "an OpenAI key", "sk-proj-", TOKEN, 49),
	LONG("openai-service-key", "an OpenAI key", "sk-svcacct-", TOKEN, 32),
	LONG("openai-admin-key", "an OpenAI administration key", "sk-admin-", TOKEN, 32),
	OTHER("anthropic-other-key", "an Anthropic key", "sk-ant-api03-", 24, 90),
	OTHER("anthropic-other-admin-key", "an Anthropic administration key", "sk-ant-admin", 24, 90),
	LONG("anthropic-oauth-token", "an Anthropic token", "sk-ant-oat01-", TOKEN, 32),
	LONG("langsmith-api-key", "a LangSmith key", "lsv2_", "[A-Za-z0-9_]", 32),
	{ "langfuse-key", "a Langfuse key", "pk-lf-", UUID_TEXT, W, NONE, 0, 42, 42, 3 },
	{ "langfuse-key", "a Langfuse key", "sk-lf-", UUID_TEXT, W, NONE, 0, 42, 42, 3 },
	LONG("tavily-api-key", "a Tavily key", "tvly-", TOKEN, 28),
	LONG("replicate-api-token", "a Replicate token", "r8_", ALNUM, 36),
	LONG("cerebras-api-key", "a Cerebras key", "csk-", ALNUM, 40),
	LONG("together-api-key", "a Together key", "tgp_v1_", TOKEN, 40),
	LONG("fireworks-api-key", "a Fireworks key", "fw_", ALNUM, 22),
	LONG("pinecone-api-key", "a Pinecone key", "pcsk_", "[A-Za-z0-9_]", 40),
	{ "huggingface-token", "a Hugging Face token", "hf_", ALNUM "{34}\\b", W | SECRET_ALONE, NONE, 0, 37, 37, 3 },
	LONG("google-oauth-token", "a Google OAuth token", "ya29.", TOKEN, 30),
	LONG("pypi-token", "a PyPI token", "pypi-AgE", TOKEN, 40),
	SLACK("xoxa-"),
	SLACK("xoxb-"),
	SLACK("xoxc-"),
	SLACK("xoxd-"),
	SLACK("xoxp-"),
	SLACK("xoxr-"),
	SLACK("xoxs-"),
	{ "aws-secret-access-key", "an AWS secret key", "",
	  "aws[_-]?secret[_-]?(?:access[_-]?)?key" IS "[A-Za-z0-9/+=]{40}", I | SECRET_NAMED, NONE, 0, 40, 40, 3 },
	/* 64 digits alone are a SHA-256 */
	{ "named-hex-key", "an API key", "",
	  "(?:api|access|secret|auth|together)[_ .-]?(?:key|token)" IS "[a-f0-9]{64}\\b", I | SECRET_NAMED, NONE, 0, 64,
	  64, 3 },
	{ "azure-api-key", "an Azure key", "", "api-key" IS "[a-z0-9]{32,}", I | SECRET_NAMED, NONE, KNOWN, 32, 0, 3 },
	{ "authorization-bearer", "a bearer token", "", "authorization" IS "bearer[\\t ]{1,3}[a-z0-9._~+/-]{16,}",
	  I | SECRET_NAMED, NONE, KNOWN, 16, 0, 3 },
	{ "password-parameter", "a password", "", "[?&;][\\t ]{0,2}" PASSWORD, I | SECRET_NAMED, NONE, 0, 3, 0, 0 },
	{ "password-parameter", "a password", "", "\\b" PASSWORD ";", I | SECRET_NAMED, NONE, 0, 3, 0, 0 },
	{ "password-parameter", "a password", "", "[a-z]=[^\\s=]{1,64}[\\t ]" PASSWORD, I | SECRET_NAMED, NONE, 0, 3, 0,
	  0 },
	{ "url-password", "a password in a URL", "",
	  "\\b[a-z][a-z0-9+.-]{1,20}://[^\\x00-\\x20\\x7f:/?#@\"'<>]{0,64}:"
	  "[^\\x00-\\x20\\x7f/?#@\"'<>${}*%]{3,64}@[a-z0-9\\[]", I, NONE, 0, 11, 155, 0 },
};

const size_t secret_rules_count = COUNT(secret_rules);
_Static_assert(COUNT(secret_rules) <= SECRET_RULES_MAX, "a larger limit");

void secret_rules_body(const struct secret_rule *r, char out[SECRET_EXPRESSION_MAX])
{
	char lead[128];
	size_t n = 0;

	for (const char *p = r->lead; *p; p++) {
		if (strchr(".+-", *p))
			lead[n++] = '\\';
		lead[n++] = *p;
	}
	lead[n] = '\0';
	snprintf(out, SECRET_EXPRESSION_MAX, "%s%s%s%s", r->flags & SECRET_CASELESS ? "(?i)" : "",
		 r->flags & SECRET_WORD ? "\\b" : "", lead, r->rest);
}

void secret_rules_expression(const struct secret_rule *r, char out[SECRET_EXPRESSION_MAX])
{
	static const char *const tails[] = {
		[SECRET_TAIL_NONE] = "",
		[SECRET_TAIL_QUOTE] = "(?:[\\x60'\"\\t\\n\\f\\r ;]|\\\\[nr]|\\z)",
		[SECRET_TAIL_TOKEN] = "(?:[^\\w-]|\\z)",
		[SECRET_TAIL_AZURE] = "(?:\\z|[\\\\'\"\\x60\\t\\n\\f\\r <),])",
	};
	size_t n;

	secret_rules_body(r, out);
	n = strlen(out);
	snprintf(out + n, SECRET_EXPRESSION_MAX - n, "%s", tails[r->tail]);
}

bool secret_rules_has_start(const struct secret_rule *r)
{
	return r->least == r->most || (r->flags & SECRET_BLOCK);
}
