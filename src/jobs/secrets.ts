export const REDACTED = '[redacted]';

const SEARCHED_LENGTH = 20_000;
/** A URL within a URL is encoded twice. */
const DECODED_TIMES = 3;

type Replacement = string | ((match: string, ...groups: string[]) => string);

/** Linear: repetitions are bounded, or end where the next match could begin. */
const SECRETS: readonly (readonly [RegExp, Replacement])[] = [
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[\s\S]*)/g,
    REDACTED,
  ],
  [/(?<![a-z0-9])(xox[a-z]|xapp|xwfp)[-.][\w.%-]+/gi, `$1-${REDACTED}`],
  [/(\/\/hooks\.[^\s/]+\/|\bhooks\.slack(?:-gov)?\.com\/)[^\s"']+/gi, `$1${REDACTED}`],
  [/(?<![a-z0-9])(gh[oprsu]|github_pat)_[\w.-]+/gi, `$1-${REDACTED}`],
  [/(?<![a-z0-9])(gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct))-[\w.-]+/gi, `$1-${REDACTED}`],
  [
    /(?<![a-z0-9])sk-(?:(?:proj|ant|svcacct|admin|or|live|test)-[\w-]{8,}|[a-z0-9]{16,}[\w-]*)/gi,
    `sk-${REDACTED}`,
  ],
  [
    /(?<![a-z0-9])([rs]k_(?:live|test)|whsec|npm|hf|pypi|dop_v1|shpat|mint(?:_[a-z]{2,8})?)_[a-z0-9]{16,}\w*/gi,
    `$1_${REDACTED}`,
  ],
  [
    /(?<![a-z0-9])((?:glsa|lin_api|dckr_pat|gsk|r8|figd|shp(?:ca|pa|ss)|ntn|lsv2_[a-z]{2}|sntry[su]|do[or]_v1)_|(?:xai|nvapi|pplx|xkeysib|gocspx|sq0csp|pmak|age-secret-key)-|(?:hv[bs]|ya29)\.)(?=[\w.-]{0,40}\d)[\w.-]{16,}/gi,
    `$1${REDACTED}`,
  ],
  [/(?<![A-Za-z0-9])SG\.[\w-]{16,}\.[\w-]{16,}/g, REDACTED],
  [/(?<![a-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16,}/g, REDACTED],
  [/(?<![a-z0-9])AIza[\w-]{30,}/g, REDACTED],
  [/(?<![a-z0-9])AT(?:ATT|BB|CTT)[\w-]{16,}[=\w-]*/g, REDACTED],
  // JSON in base64, such as a JWT.
  [/(?<![a-z0-9])eyJ[\w.-]{17,}/gi, REDACTED],
  [/\b(Bearer)([\s:]{1,8})([\w.~+/=:-]{6,})/gi, unlessWords],
  [/\b(Basic)(\s{1,8})([\w+/-]{6,}={0,2})/gi, unlessWords],
  [
    /\b(authorization["'\\]{0,3}\s{0,8}[:=]\s{0,8}["'\\]{0,3}(?:[a-z]{1,20}\s{1,8})?)([\w.~+/=-]{8,})/gi,
    ifRandom,
  ],
  // Browsers accept backslashes and missing slashes, and skip line ends.
  [/(https?:[\\/]*)(?:(?!https?:)[^ \\/?#"'<>])*@/gi, `$1${REDACTED}@`],
  [/(\w:\/\/)[^\s/?#]*@/g, `$1${REDACTED}@`],
  [/(:\/\/)[^\s/?#:@]{1,100}:(?!\d{1,5}(?:[/?#\s]|$))[^\s@]{1,100}@/g, `$1${REDACTED}@`],
  [/(?<!:)(\/\/)[^\s/?#:@]{1,100}:[^\s/?#]{1,200}@/g, `$1${REDACTED}@`],
  // No scheme, as in git and SSH. Excludes image digests and package versions.
  [
    /(?<![\w.%+-])(?!(?:mailto|sips?|xmpp|acct|npm):)([\w.%+-]{1,64}:)([^\s"'<>/]{8,100})@(?=[a-z0-9-]{1,63}\.[a-z0-9.-]{0,100}[a-z])/gi,
    (match, user = '', password = '') => (isRandom(password) ? `${user}${REDACTED}@` : match),
  ],
  [/\b(x-access-token|x-token-auth|oauth2|gitlab-ci-token):[^\s@/]+/gi, `$1:${REDACTED}`],
  [
    /((?<![\w.-])(?:[\w.-]{0,40}(?:token|secret|passw(?:or)?d|signature|credential)|api[_-]?key|access[_-]?key(?:[_-]?id)?|private[_-]?key)=)[^\s&;"'`<>]+/gi,
    `$1${REDACTED}`,
  ],
  [/([?&;#](?:key|pwd|pass|auth|authorization|sig|ticket|jwt|session)=)[^\s&;"'`<>]+/gi, `$1${REDACTED}`],
  [
    /("(?:[\w.-]{0,40}(?:token|secret|passw(?:or)?d|signature|credential)|api[_-]?key|access[_-]?key(?:[_-]?id)?|private[_-]?key)"\s{0,8}:\s{0,8}")[^"]+/gi,
    `$1${REDACTED}`,
  ],
  [
    /((?<![\w.-])(?:[\w.-]{0,40}(?:token|secret|passw(?:or)?d|credential|(?:api|access|secret|private)[_-]?key))["'\\]{0,3}\s{0,8}[:=]\s{0,8}["'\\]{0,3})([\w.~+/=-]{8,})/gi,
    ifRandom,
  ],
  [
    /((?<![\w.-])--?[\w-]{0,40}(?:token|secret|passw(?:or)?d|api-?key)\s{1,8}["'\\]{0,3})([\w.~+/=-]{8,})/gi,
    ifRandom,
  ],
];

/** Most texts have no secret, and these two searches take a sixth of the time that one for each takes. */
const ANY_SECRET = ['', 'i'].map((flags) => {
  const alike = SECRETS.filter(([secret]) => secret.ignoreCase === (flags === 'i'));
  return new RegExp(alike.map(([secret]) => `(?:${secret.source})`).join('|'), flags);
});

/** "Bearer tokens" are words. */
function unlessWords(match: string, scheme = '', blank = '', credentials = '') {
  const decoded = Buffer.from(credentials, 'base64').toString('latin1');
  const isWords =
    scheme.toLowerCase() === 'basic'
      ? !/^[\x20-\x39\x3b-\x7e]*:[\x20-\x7e]*$/.test(decoded)
      : /^[a-z]{1,24}(?:-[a-z]{1,24})?[.:]?$/i.test(credentials);
  return isWords ? match : `${scheme}${blank}${REDACTED}`;
}

function ifRandom(match: string, name = '', value = '') {
  return isRandom(value) ? `${name}${REDACTED}` : match;
}

/** Secrets have digits, but `oauth2-device-flow` is not secret. */
function isRandom(value: string) {
  return /\d/.test(value) && /[a-z]/i.test(value) && !HYPHENATED_WORDS.test(value);
}

const HYPHENATED_WORDS =
  /^(?:[a-z]{1,20}\d{0,3}|\d{1,4}|[a-z]\d{1,2}[a-z]{1,10})(?:[-./](?:[a-z]{1,20}\d{0,3}|\d{1,4}|[a-z]\d{1,2}[a-z]{1,10}))+\.?$/;

const INVISIBLE = /[\p{Cf}[\p{Cc}--[\n\r\t]]]/gv;

/** Also decodes percent-encoding. Cuts long texts. */
export function withoutSecrets(text: string): string {
  const searched = searchable(text);
  const visible = searched.replace(INVISIBLE, '');
  const clean = withoutEncodedSecrets(withoutPlainSecrets(visible));
  return clean === visible ? searched : clean;
}

export function hasSecrets(text: string): boolean {
  return withoutSecrets(text) !== text;
}

/** A truncated secret may not match: drops the last word. */
function searchable(text: string) {
  if (text.length <= SEARCHED_LENGTH) return text;
  const start = text.slice(0, SEARCHED_LENGTH);
  return start.slice(0, Math.max(start.lastIndexOf(' '), start.lastIndexOf('\n'), 0));
}

function withoutPlainSecrets(text: string) {
  if (!ANY_SECRET.some((secret) => secret.test(text))) return text;
  return SECRETS.reduce((left, [secret, by]) => left.replace(secret, by as string), text);
}

/** A word with a secret is returned decoded. */
function withoutEncodedSecrets(text: string) {
  if (!text.includes('%')) return text;
  return text.replace(/\S+/g, (word) => {
    const decoded = decodedOf(word);
    const clean = withoutPlainSecrets(decoded);
    return clean === decoded ? word : clean;
  });
}

function decodedOf(word: string) {
  let decoded = word;
  for (let round = 0; round < DECODED_TIMES && decoded.includes('%'); round += 1) {
    decoded = decoded.replace(/%(2[1-9a-f]|[3-6][0-9a-f]|7[0-9a-e])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  return decoded;
}
