import type { Json, JsonObject } from "./json.ts";

const NAMES: Record<string, Json> = { None: null, True: true, False: false };
const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", a: "\x07", "0": "\0" };
const MAX_DEPTH = 200;

class Reader {
  private at = 0;
  private depth = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  whole(): Json | undefined {
    const value = this.value();
    this.blanks();
    return this.at === this.text.length ? value : undefined;
  }

  private blanks(): void {
    while (/\s/.test(this.text[this.at] ?? "")) this.at++;
  }

  private take(char: string): boolean {
    this.blanks();
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private value(): Json | undefined {
    this.blanks();
    const char = this.text[this.at] ?? "";
    if (++this.depth > MAX_DEPTH) return undefined;
    try {
      if (char === "{") return this.dict();
      if (char === "[") return this.list("[", "]");
      if (char === "(") return this.list("(", ")");
      if (char === "'" || char === '"') return this.string();
      return this.word();
    } finally {
      this.depth--;
    }
  }

  private dict(): Json | undefined {
    const out: JsonObject = {};
    this.take("{");
    if (this.take("}")) return out;
    do {
      this.blanks();
      if (this.text[this.at] === "}") break;
      const key = this.value();
      if ((typeof key !== "string" && typeof key !== "number") || !this.take(":")) return undefined;
      const value = this.value();
      if (value === undefined) return undefined;
      Object.defineProperty(out, String(key), { value, enumerable: true, writable: true, configurable: true });
    } while (this.take(","));
    return this.take("}") ? out : undefined;
  }

  private list(open: string, close: string): Json | undefined {
    const out: Json[] = [];
    this.take(open);
    if (this.take(close)) return out;
    do {
      this.blanks();
      if (this.text[this.at] === close) break;
      const value = this.value();
      if (value === undefined) return undefined;
      out.push(value);
    } while (this.take(","));
    return this.take(close) ? out : undefined;
  }

  private string(): string | undefined {
    const quote = this.text[this.at++];
    let out = "";
    while (this.at < this.text.length) {
      const char = this.text[this.at++] as string;
      if (char === quote) return out;
      if (char !== "\\") {
        out += char;
        continue;
      }
      const code = this.text[this.at++] ?? "";
      const width = code === "x" ? 2 : code === "u" ? 4 : code === "U" ? 8 : 0;
      if (width > 0) {
        const point = Number.parseInt(this.text.slice(this.at, this.at + width), 16);
        if (!Number.isInteger(point) || point > 0x10ffff) return undefined;
        out += String.fromCodePoint(point);
        this.at += width;
      } else out += ESCAPES[code] ?? code;
    }
    return undefined;
  }

  private word(): Json | undefined {
    const word = /^[-+A-Za-z0-9_.]+/.exec(this.text.slice(this.at, this.at + 64))?.[0];
    if (word === undefined) return undefined;
    this.at += word.length;
    if (Object.hasOwn(NAMES, word)) return NAMES[word];
    const number = Number(word);
    return Number.isFinite(number) && /\d/.test(word) ? number : undefined;
  }
}

/** The value of a Python literal (dict, list, tuple, string, number, None, True, False); undefined when the text is anything else. */
export function parsePythonLiteral(text: string): Json | undefined {
  return new Reader(text).whole();
}
