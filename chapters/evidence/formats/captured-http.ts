import * as zlib from "node:zlib";
import { isCredentialHeader } from "../intake/secrets.ts";
import type { CapturedHttp, HttpMessage, Reading } from "./format.ts";
import { defined, list, object, text } from "./values.ts";

/** A body is kept up to so many characters as text; JSON is kept whole up to the second. */
const TEXT_KEPT = 64 * 1024;
const BODY_READ = 8 * 1024 * 1024;
/** Fields of queries, forms and JSON that hold what opens something. */
const SECRET_FIELD =
  /^(?:pass(?:word|wd|phrase)?|(?:client_?)?secret|(?:access|refresh|id|auth|session|csrf|xsrf|bearer)?_?-?token|api_?-?key|app_?-?key|key|sig(?:nature)?|x-amz-(?:signature|credential|security-token)|code_verifier|client_assertion|assertion|authorization|jwt|sid|session_?id)$/i;
/** Of JSON bodies only names that mean nothing else are taken out: records have keys and tokens of their own. */
const SECRET_MEMBER =
  /^(?:password|passwd|passphrase|client_?secret|access_?token|refresh_?token|id_?token|api_?key|private_?key|authorization)$/i;

/** What a recorder wrote of one side. */
export interface Recorded {
  readonly headers: unknown;
  readonly type?: unknown;
  readonly body: unknown;
}

/** What a recorder wrote of an exchange. */
export interface RecordedHttp {
  readonly place: number;
  readonly method: unknown;
  readonly url: string;
  readonly status: number;
  readonly startedAt?: number | undefined;
  readonly ms?: number | undefined;
  readonly request: Recorded;
  readonly response: Recorded;
}

/** A captured exchange without credentials of headers, address, forms and plainly named JSON members; each is counted. */
export function capturedHttpOf(given: RecordedHttp, reading: Reading): CapturedHttp {
  return {
    place: given.place,
    method: (text(given.method) ?? "GET").toUpperCase(),
    url: cleanUrl(given.url, reading),
    status: given.status,
    ...defined({ started_at: given.startedAt, ms: given.ms }),
    request: part(given.request, reading),
    response: part(given.response, reading),
  };
}

function part({ headers, type: said, body }: Recorded, reading: Reading): HttpMessage {
  const kept: Record<string, string> = {};
  for (const [name, value] of headerPairs(headers)) {
    if (isCredentialHeader(name)) reading.strip(value === "" ? 0 : 1);
    else kept[name.toLowerCase()] = value;
  }
  const type = (text(said) ?? kept["content-type"])?.split(";")[0]?.trim().toLowerCase();
  const value = bodyValue(body, type, kept["content-encoding"], reading);
  return { headers: kept, ...defined({ type: type === "" ? undefined : type, body: value }) };
}

/** Names and values of headers: pairs of a list, members of an object, each with one value or a list of them. */
function headerPairs(headers: unknown): [name: string, value: string][] {
  if (Array.isArray(headers))
    return headers.flatMap((each): [string, string][] => {
      const pair = object(each);
      return pair && typeof pair.name === "string" ? [[pair.name, String(pair.value ?? "")]] : [];
    });
  return Object.entries(object(headers) ?? {}).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(String).join(", ") : String(value ?? ""),
  ]);
}

/** The address without a user's name and password, and without secrets in its query; the fragment never left the browser. */
function cleanUrl(given: string, reading: Reading): string {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    return given.split("?")[0] ?? "";
  }
  if (url.username !== "" || url.password !== "") reading.strip(1);
  url.username = "";
  url.password = "";
  url.hash = "";
  for (const name of new Set(url.searchParams.keys())) {
    if (!SECRET_FIELD.test(name)) continue;
    reading.strip(1);
    url.searchParams.set(name, "");
  }
  return url.href;
}

function bodyValue(given: unknown, type: string | undefined, encoding: string | undefined, reading: Reading): unknown {
  const read = typeof given === "string" ? given : bodyText(given, encoding, reading);
  if (read === undefined || read === "") return undefined;
  if (typeof read !== "string") return withoutSecrets(read, reading);
  if (read.length > BODY_READ) {
    reading.lose("body_too_large");
    return undefined;
  }
  if (type === "application/x-www-form-urlencoded") return form(read, reading);
  const first = read.trimStart()[0];
  if (first === "{" || first === "[" || /[/+]json$/.test(type ?? "")) {
    try {
      return withoutSecrets(JSON.parse(read), reading);
    } catch {
      // Text that only begins like JSON.
    }
  }
  // Pages hold whatever their server put there, tokens among it, and no answer of an interface.
  if (type === "text/html" || type === "application/xhtml+xml") {
    reading.lose("page_body");
    return undefined;
  }
  if (read.length <= TEXT_KEPT) return read;
  reading.lose("body_cut");
  return read.slice(0, TEXT_KEPT);
}

/** The JSON of a recorded body, whatever it is wrapped in; undefined where it holds none. */
export function recordedBody(given: unknown): unknown {
  const body = wrappedBody(given);
  const read = typeof body === "string" ? body : bodyText(body, "any", { lose() {} });
  if (typeof read !== "string") return read;
  try {
    return JSON.parse(read);
  } catch {
    return undefined;
  }
}

/** A cassette wraps its bodies: `{string}`, or bytes under it. */
export function wrappedBody(body: unknown): unknown {
  const wrapped = object(body);
  return wrapped && "string" in wrapped ? wrapped.string : body;
}

/** A body that is not plain text: bytes in base64 or hexadecimal, decompressed, else JSON that the recorder parsed. */
function bodyText(given: unknown, encoding: string | undefined, reading: Pick<Reading, "lose">): unknown {
  if (given === null || given === undefined) return undefined;
  const packed = bytesOf(given, encoding);
  if (packed === undefined) return given;
  const bytes = unpacked(packed);
  const words = bytes?.toString("utf8");
  if (words !== undefined && !words.includes("\ufffd") && !words.includes("\0")) return words;
  reading.lose("body_not_text");
  return undefined;
}

function bytesOf(given: unknown, encoding: string | undefined): Buffer | undefined {
  const base64 = object(given)?.base64_string;
  if (typeof base64 === "string") return Buffer.from(base64, "base64");
  const parts = list(given);
  const hex = parts.length > 0 && parts.every((each) => typeof each === "string" && /^(?:[0-9a-f]{2})+$/i.test(each));
  return hex && encoding !== undefined ? Buffer.from(parts.join(""), "hex") : undefined;
}

function unpacked(bytes: Buffer): Buffer | undefined {
  const limit = { maxOutputLength: BODY_READ };
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return zlib.gunzipSync(bytes, limit);
    if (bytes[0] === 0x78) return zlib.inflateSync(bytes, limit);
    if (bytes.length >= 4 && bytes.readUInt32LE(0) === 0xfd2fb528) return zlib.zstdDecompressSync(bytes, limit);
    return bytes;
  } catch {
    return undefined;
  }
}

function form(given: string, reading: Reading): Record<string, string> {
  return Object.fromEntries(
    [...new URLSearchParams(given)].map(([name, value]) => {
      if (!SECRET_FIELD.test(name) || value === "") return [name, value];
      reading.strip(1);
      return [name, ""];
    }),
  );
}

function withoutSecrets(value: unknown, reading: Reading, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, reading, depth + 1));
  const fields = object(value);
  if (!fields || depth > 100) return value;
  return Object.fromEntries(
    Object.entries(fields).map(([name, each]) => {
      if (typeof each !== "string" || each === "" || !SECRET_MEMBER.test(name))
        return [name, withoutSecrets(each, reading, depth + 1)];
      reading.strip(1);
      return [name, ""];
    }),
  );
}
