interface Trigger {
  /** Three characters of ASCII that every match of the pattern holds. */
  readonly three: string;
  /** Where they begin in the pattern. */
  readonly at: number;
  /** The part of the rule's pattern that a match cannot lack. */
  readonly pattern: RegExp;
  readonly of: keyof Suspicion;
}

/** What a content could hold. */
export interface Suspicion {
  readonly secret: boolean;
  /** Headers of recorded requests or responses. */
  readonly headers: boolean;
}

function triggers(pattern: RegExp, ...threes: readonly (string | readonly [three: string, at: number])[]): Trigger[] {
  return threes.map((each) =>
    typeof each === "string"
      ? { three: each, at: 0, pattern, of: "secret" }
      : { three: each[0], at: each[1], pattern, of: "secret" },
  );
}

/**
 * Per rule, what its matches cannot lack: of what is fixed in them, three characters that texts seldom hold two of. A
 * text without any of it holds nothing that the rules could find; a test holds this to samples of every rule. The last
 * entries are JSON escapes that may hide one.
 */
const TRIGGERS: readonly Trigger[] = [
  ...triggers(/(?:SECRET|secret|Secret)_?(?:ACCESS|access|Access)_?(?:KEY|key|Key)/y, ["ECR", 1], ["ecr", 1]), // aws
  ...triggers(/PRIVATE KEY/y, "PRI"), // privatekey, gcp
  ...triggers(/x-oauth-basic/y, "x-o"), // npm
  ...triggers(/_authToken=/y, "_au"),
  ...triggers(/npm_[A-Za-z0-9_]{36}/y, ["pm_", 1]),
  ...triggers(/xox[bpaor]-|xapp-/y, "xox", "xap"), // slack
  ...triggers(/:\/\/(?:[^:/\s]{1,256}:[^@/\s]{1,256}@|hooks\.slack\.com)/iy, "://"), // basicauth, databases, slack
  ...triggers(/sk-(?:proj-|svcacct-|admin-|ant-api0|[a-zA-Z0-9]{20}T3)/y, "sk-"), // openai, anthropic
  ...triggers(/gsk_[a-zA-Z0-9]{52}/y, "gsk"), // groq
  ...triggers(/hf_[a-zA-Z]{34}/y, "hf_"), // huggingface
  ...triggers(/lin_api_/y, ["_ap", 3]), // linear
  ...triggers(/ntn_[0-9]{11}/y, ["tn_", 1]), // notion
  ...triggers(/SG\.\w/y, "SG."), // sendgrid
  ...triggers(/shp(?:pa|ca|at|ss)_/y, "shp"), // shopify
  ...triggers(/[sr]k_(?:live|test)_/y, "sk_", "rk_"), // stripe
  ...triggers(/gh[pousr]_[A-Za-z0-9_]{2}/y, "ghp", "gho", "ghu", "ghs", "ghr"), // github
  ...triggers(/github_pat_/y, ["b_p", 5]),
  ...triggers(/glpat-/y, "glp"), // gitlab
  ...triggers(/glc_|glsa_/y, "glc", "gls"), // grafana
  ...triggers(/ops_ey/y, ["s_e", 2]), // 1password
  ...triggers(/hv[sbr]\.[A-Za-z0-9_-]{90}/y, "hvs", "hvb", "hvr"), // hashicorp vault
  ...triggers(/vc[piark]_[A-Za-z0-9]{20}/y, "vcp", "vci", "vca", "vcr", "vck"), // vercel
  ...triggers(/dapi[A-Fa-f0-9]{32}/y, "dap"), // databricks
  ...triggers(/dckr_pat_/y, ["ckr", 1]), // docker
  ...triggers(/figd_/y, ["gd_", 2]), // figma
  ...triggers(/cf(?:k|ut|at)_/y, "cfk", "cfu", "cfa"), // cloudflare
  ...triggers(/tskey-/y, "tsk"), // tailscale
  ...triggers(/\\u00[2-7]/iy, "\\u0"),
  ...triggers(/\/\\+\//y, "/\\/", "/\\\\"), // slashes, escaped any number of times
  ...triggers(/\\\/\//y, "\\//"),
  ...['rs"', 'RS"', 'Rs"', 'rS"'].map((three): Trigger => ({ three, at: 4, pattern: /eaders"/iy, of: "headers" })),
];

/** Triggers by their three characters; marked by what a hash of them leaves. */
const AT = new Map<number, Trigger[]>();
const MASK = 0x7fff;
const MARKED = new Uint8Array(MASK + 1);
/** The first and last two characters of a trigger as 16-bit words: one of the pairs begins at an even offset. */
const PAIRS = new Uint8Array(0x10000);
for (const trigger of TRIGGERS) {
  const codes = Uint8Array.from(trigger.three, (char) => char.charCodeAt(0));
  const key = keyAt(codes, 0);
  AT.set(key, [...(AT.get(key) ?? []), trigger]);
  MARKED[hashAt(codes, 0)] = 1;
  for (const from of [0, 1]) PAIRS[new Uint16Array(codes.slice(from, from + 2).buffer)[0] as number] = 1;
}

function hashAt(bytes: Uint8Array, at: number): number {
  return (((bytes[at] as number) << 10) ^ ((bytes[at + 1] as number) << 5) ^ (bytes[at + 2] as number)) & MASK;
}

function keyAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
}

/** A pattern's match is not longer than this many bytes; of an address with a password, in any script, not than the second. */
const MATCH_BYTES = 128;
const ADDRESS_BYTES = 2200;

/**
 * What a text could hold, from its UTF-8 and in one pass. `secret` is never false where the rules find one in the text
 * or in its unescaped form, `headers` never where `mayHoldHeaders` says so.
 */
export function suspicionOf(bytes: Buffer): Suspicion {
  let secret = false;
  let headers = false;
  for (let at = nextMarked(bytes, 0); at < bytes.length && !(secret && headers); at = nextMarked(bytes, at + 1)) {
    const found = confirmed(bytes, at);
    if (found === "secret") secret = true;
    else if (found === "headers") headers = true;
  }
  return { secret, headers };
}

/** The first place from `from` on where three characters begin that could be a trigger; the length when there is none. */
function nextMarked(bytes: Buffer, from: number): number {
  // Pairs are read as they lie in memory, at even addresses: each tells of the trigger that begins with it, and of the one before.
  const odd = bytes.byteOffset % 2;
  const pairs = new Uint16Array(bytes.buffer, bytes.byteOffset + odd, Math.max(0, (bytes.length - odd) >> 1));
  const { length } = pairs;
  for (let i = (from - odd + 1) >> 1; i < length; i++) {
    if (PAIRS[pairs[i] as number] !== 1) continue;
    const at = odd + 2 * i;
    if (at > from && MARKED[hashAt(bytes, at - 1)] === 1) return at - 1;
    if (at >= from && MARKED[hashAt(bytes, at)] === 1) return at;
  }
  return bytes.length;
}

/** Whether a text could hold a secret, as `suspicionOf` has it. */
export function mayHoldSecret(text: string): boolean {
  return suspicionOf(Buffer.from(text)).secret;
}

function confirmed(bytes: Buffer, start: number): keyof Suspicion | undefined {
  if (start < 0 || start + 3 > bytes.length) return undefined;
  const triggers = AT.get(keyAt(bytes, start));
  if (triggers === undefined) return undefined;
  for (const { three, at, pattern, of } of triggers) {
    const from = start - at;
    if (from < 0) continue;
    pattern.lastIndex = 0;
    const end = from + (three === "://" ? ADDRESS_BYTES : MATCH_BYTES);
    if (pattern.test(bytes.toString("utf8", from, end))) return of;
  }
  return undefined;
}

/** The rules, loaded when something is to be looked at by them: most evidence is not. */
let linter: ReturnType<typeof loadLinter> | undefined;

async function loadLinter() {
  const [{ lintSource }, { creator }] = await Promise.all([
    import("@secretlint/core"),
    import("@secretlint/secretlint-rule-preset-recommend"),
  ]);
  const config = { rules: [{ id: "recommended", rule: creator, options: {} }] };
  return (filePath: string, content: string) =>
    lintSource({
      source: { filePath, ext: "", content, contentType: "text" },
      options: { config, noPhysicFilePath: true },
    });
}

/**
 * The kinds of secrets in a text (`github`, `aws`, …), sorted, never the secrets. The text may be JSON: escapes are
 * undone first, so that a key right after an escaped line end is seen as one.
 */
export async function findSecrets(text: string): Promise<string[]> {
  if (!mayHoldSecret(text)) return [];
  return [...new Set((await secretSpansOf(unescaped(text))).map(({ kind }) => kind))].sort();
}

const OWN_TOKEN = /svc_(?:op|org|world|door|share)_[\w-]{20,}/g;

/** The text with every secret that is found in it, and every token of this service, replaced by its kind; and how many those were. */
export async function withoutSecrets(text: string): Promise<{ readonly text: string; readonly removed: number }> {
  let removed = 0;
  const own = text.replace(OWN_TOKEN, () => {
    removed += 1;
    return "[removed: svc]";
  });
  if (!mayHoldSecret(own)) return { text: own, removed };
  let left = own;
  let before = left.length;
  const places = (await secretSpansOf(own)).map((place) => ({ ...place, to: endOf(own, place.to) }));
  for (const { kind, from, to } of places.sort((a, b) => b.to - a.to)) {
    // Of places that overlap all is taken out, under the kind of the last.
    if (from >= before) continue;
    left = `${left.slice(0, from)}${to > before ? "" : `[removed: ${kind}]`}${left.slice(Math.min(to, before))}`;
    before = from;
    removed += 1;
  }
  return { text: left, removed };
}

/** The end of what a place is part of: rules tell the length of a key's value, from where its name begins. */
function endOf(text: string, to: number): number {
  return to + (/^[\w+/=-]*/.exec(text.slice(to, to + MOST_KEY))?.[0].length ?? 0);
}

/** Characters of a key that a rule may have left. */
const MOST_KEY = 2_000;

async function secretSpansOf(text: string): Promise<{ kind: string; from: number; to: number }[]> {
  linter ??= loadLinter();
  const lint = await linter;
  // The rules listen to directives in the text that switch them off; evidence must not.
  const content = text.replaceAll(/secretlint-/gi, "secretlint_");
  // Registry tokens are looked for in files of one name only.
  const names = content.includes("_authToken=") ? ["evidence.txt", ".npmrc"] : ["evidence.txt"];
  const places = [];
  for (const filePath of names)
    for (const { ruleId, range } of (await lint(filePath, content)).messages)
      places.push({ kind: ruleId.replace(/^.*secretlint-rule-/, ""), from: range[0], to: range[1] });
  return places;
}

function unescaped(text: string): string {
  return text.replace(
    /\\+(?:u([0-9a-fA-F]{4})|([nrtbf])|(["/]))/g,
    (_all, code: string | undefined, space: string | undefined, kept: string | undefined) =>
      code === undefined ? (space === undefined ? (kept ?? "") : "\n") : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const CREDENTIAL_HEADERS = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "api-key",
  "x-auth-token",
  "x-goog-api-key",
  "dd-api-key",
  "dd-application-key",
  "openai-organization",
  "anthropic-organization-id",
]);

/** The value without credentials in the headers of recorded requests and responses, and how many there were. */
export function stripCredentials(value: unknown): { readonly value: unknown; readonly stripped: number } {
  let stripped = 0;
  const visit = (each: unknown, inHeaders: boolean): unknown => {
    if (Array.isArray(each))
      return each.map((item) => (isCredentialPair(item) && inHeaders ? withoutValue(item) : visit(item, inHeaders)));
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, item]) => {
        const headers = /headers?$/i.test(key);
        if (inHeaders && !headers && CREDENTIAL_HEADERS.has(key.toLowerCase())) {
          stripped++;
          return [key, ""];
        }
        return [key, visit(item, headers || (inHeaders && !Array.isArray(each)))];
      }),
    );
  };
  const withoutValue = (pair: { name: string }) => {
    stripped++;
    return { ...pair, value: "" };
  };
  return { value: visit(value, false), stripped };
}

const CREDENTIAL_NAME =
  /(?:^|[-_])(?:token|secret|password|passwd|api-?key|app(?:lication)?-?key|auth|authorization|cookie2?|session(?:-?id)?|csrf|xsrf|signature|jwt|assertion)$/i;

/** Whether a header of this name holds what opens something. */
export function isCredentialHeader(name: string): boolean {
  return CREDENTIAL_HEADERS.has(name.toLowerCase()) || CREDENTIAL_NAME.test(name);
}

function isCredentialPair(item: unknown): item is { name: string } {
  const name = typeof item === "object" && item !== null ? (item as { name?: unknown }).name : undefined;
  return typeof name === "string" && CREDENTIAL_HEADERS.has(name.toLowerCase());
}

/** Whether a JSON text may hold credential headers; a cheap look before `stripCredentials`. */
export function mayHoldHeaders(text: string): boolean {
  return /"(?:raw|request|response)?_?headers"/i.test(text);
}
