/** A token of Python source. `text` of a string is its content; `holes` are the sources of an f-string's expressions. */
export interface Token {
  readonly kind: "name" | "number" | "string" | "op" | "newline" | "indent" | "dedent" | "end";
  readonly text: string;
  readonly line: number;
  /** Of an f-string: literal text and the source of each expression, in turn. */
  readonly parts?: readonly { readonly text: string; readonly hole: boolean }[];
}

/** A source that is not Python as far as this reads it. */
export class NotPython extends Error {}

const OPS =
  /(?:\*\*=|\/\/=|>>=|<<=|\.\.\.|!=|==|<=|>=|->|:=|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|@=|\*\*|\/\/|<<|>>|[-+*/%@&|^~<>()[\]{},:.;=])/y;
const NAME = /[\p{ID_Start}_]\p{ID_Continue}*/uy;
const NUMBER = /(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?)[jJ]?/y;
const STRING = /([rRbBuUfFtT]{0,2})("""|'''|"|')/y;

/** The tokens of a source that starts in that line, with its indentation. Throws NotPython. */
export function pythonTokens(source: string, first = 1): Token[] {
  const text = source.replace(/\r\n?/g, "\n");
  const out: Token[] = [];
  const indents = [0];
  let at = 0;
  let line = first;
  let depth = 0;
  let fresh = true;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  while (at < text.length) {
    if (fresh && depth === 0) {
      const [blank] = match(/[ \t\f]*/y) as RegExpExecArray;
      at += blank.length;
      if (text[at] === "\n" || text[at] === "#" || at >= text.length) {
        const end = text.indexOf("\n", at);
        if (end < 0) break;
        at = end + 1;
        line++;
        continue;
      }
      indentTo(width(blank), indents, out, line);
      fresh = false;
    }
    const char = text[at] as string;
    if (char === "\n") {
      if (depth === 0) {
        out.push({ kind: "newline", text: "\n", line });
        fresh = true;
      }
      at++;
      line++;
    } else if (char === " " || char === "\t" || char === "\f") at++;
    else if (char === "\\" && text[at + 1] === "\n") {
      at += 2;
      line++;
    } else if (char === "#") {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
    } else {
      const string = match(STRING);
      if (string) {
        const token = readString(text, at, string[1] as string, string[2] as string, line);
        out.push(token.token);
        line += count(text.slice(at, token.end));
        at = token.end;
        continue;
      }
      const name = match(NAME);
      const number = name ? null : match(NUMBER);
      const op = name || number ? null : match(OPS);
      const found = name ?? number ?? op;
      if (!found) throw new NotPython();
      const kind = name ? "name" : number ? "number" : "op";
      if (op) depth += /[([{]/.test(found[0]) ? 1 : /[)\]}]/.test(found[0]) ? -1 : 0;
      if (depth < 0) throw new NotPython();
      out.push({ kind, text: found[0], line });
      at += found[0].length;
    }
  }
  if (depth > 0) throw new NotPython();
  out.push({ kind: "newline", text: "\n", line });
  indentTo(0, indents, out, line);
  out.push({ kind: "end", text: "", line });
  return out;
}

function indentTo(to: number, indents: number[], out: Token[], line: number): void {
  const now = indents.at(-1) as number;
  if (to > now) {
    indents.push(to);
    out.push({ kind: "indent", text: "", line });
  }
  while (to < (indents.at(-1) as number)) {
    indents.pop();
    out.push({ kind: "dedent", text: "", line });
  }
  if (to !== indents.at(-1)) throw new NotPython();
}

function width(blank: string): number {
  let n = 0;
  for (const char of blank) n = char === "\t" ? (Math.floor(n / 8) + 1) * 8 : n + 1;
  return n;
}

function count(text: string): number {
  return text.split("\n").length - 1;
}

function readString(text: string, from: number, prefix: string, quote: string, line: number) {
  const start = from + prefix.length + quote.length;
  const raw = /r/i.test(prefix);
  let at = start;
  while (at < text.length && !text.startsWith(quote, at)) {
    if (text[at] === "\n" && quote.length === 1) throw new NotPython();
    at += text[at] === "\\" ? 2 : 1;
  }
  if (at >= text.length) throw new NotPython();
  const body = text.slice(start, at);
  const end = at + quote.length;
  const plain = (part: string) => (raw ? part : unescaped(part));
  if (!/[ft]/i.test(prefix)) return { token: { kind: "string" as const, text: plain(body), line }, end };
  const parts = holes(body).map(({ text: part, hole }) => ({ text: hole ? part : plain(part), hole }));
  return { token: { kind: "string" as const, text: "", line, parts }, end };
}

/** An f-string's literal parts and the sources of its expressions, without conversion and format. */
function holes(body: string): { text: string; hole: boolean }[] {
  const out: { text: string; hole: boolean }[] = [];
  let literal = "";
  for (let at = 0; at < body.length; at++) {
    const char = body[at] as string;
    if ((char === "{" || char === "}") && body[at + 1] === char) {
      literal += char;
      at++;
    } else if (char === "{") {
      let depth = 1;
      let end = at + 1;
      let cut = -1;
      for (; end < body.length && depth > 0; end++) {
        const inner = body[end] as string;
        if (/[([{]/.test(inner)) depth++;
        else if (/[)\]}]/.test(inner)) depth--;
        else if (depth === 1 && cut < 0 && (inner === ":" || (inner === "!" && body[end + 1] !== "="))) cut = end;
      }
      out.push({ text: literal, hole: false }, { text: body.slice(at + 1, cut < 0 ? end - 1 : cut), hole: true });
      literal = "";
      at = end - 1;
    } else literal += char;
  }
  out.push({ text: literal, hole: false });
  return out.filter((part) => part.hole || part.text !== "");
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
};

function unescaped(text: string): string {
  return text.replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|[\s\S])/g, (whole, code: string) => {
    if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return ESCAPES[code] ?? whole;
  });
}
