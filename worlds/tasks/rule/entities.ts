import { escapePattern } from "../../pattern.ts";
import { datesInText } from "../checks/dates.ts";
import { numbersInText } from "../checks/numbers.ts";
import { fold, humanize, stems } from "../checks/words.ts";
import { skeleton } from "../leaves.ts";
import type { Param, ToolView } from "../surface.ts";
import { writtenAddress } from "../words/address.ts";
import { argumentLabel } from "../words/phrases.ts";

/** What a text names that could be an argument. */
export interface Entities {
  readonly emails: readonly string[];
  readonly ids: readonly string[];
  /** ISO days. */
  readonly dates: readonly string[];
  readonly numbers: readonly number[];
  readonly names: readonly string[];
}

// Both begin at the start of a run of their signs: begun anywhere in it, a long run would be read once per sign.
const EMAIL = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const ID = /(?:#|(?<![A-Za-z0-9_-]))(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]+/g;
const NAME = /(?<![.!?]\s|^|\n)\b\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)*/gu;

/** Reads the entities of a text; values keep the writing that they had. */
export function entitiesOf(text: string): Entities {
  const emails = [...text.matchAll(EMAIL)].map((m) => m[0]);
  const rest = text.replace(EMAIL, " ");
  const two = (n: number) => String(n).padStart(2, "0");
  const dates = datesInText(fold(rest)).flatMap((d) =>
    d.year === undefined ? [] : [`${d.year}-${two(d.month)}-${two(d.day)}`],
  );
  return {
    emails,
    ids: [...rest.matchAll(ID)].map((m) => m[0]).filter((id) => /[A-Za-z#_]/.test(id) || id.length >= 5),
    dates: [...new Set(dates)],
    numbers: numbersInText(fold(rest)).map((n) => n.value),
    names: [...rest.matchAll(NAME)].map((m) => m[0]),
  };
}

function coerce(raw: string, param: Param): unknown {
  const text = raw.trim().replace(/[.,;!?]+$/, "");
  if (param.type === "integer" || param.type === "number") {
    const [said] = numbersInText(fold(text));
    return said?.value;
  }
  if (param.type === "boolean")
    return /^(?:yes|true|on)\b/i.test(text) ? true : /^(?:no|false|off)\b/i.test(text) ? false : undefined;
  const [date] = datesInText(fold(text));
  if (date?.year !== undefined && /date|day|dob|birth/i.test(param.name))
    return `${date.year}-${String(date.month).padStart(2, "0")}-${String(date.day).padStart(2, "0")}`;
  return text === "" ? undefined : text;
}

/** The value that a text labels with a parameter's name ("city Denver, zip 80203"), to a comma, full stop or label. */
export function labelled(text: string, param: Param, all: readonly Param[], last = false): unknown {
  const labels = (p: Param) => {
    const words = humanize(p.name);
    return [...new Set([words, argumentLabel(p.name)])].filter((w) => w !== "");
  };
  for (const label of labels(param)) {
    const pattern = new RegExp(
      `(?:^|[,(;:]\\s*|\\b(?:to|with|for|and|new|the)\\s+)${escapePattern(label)}(?:\\s*[:=]\\s*|\\s+(?:is|to|as|be)\\s+|\\s+)`,
      "gi",
    );
    const start = [...text.matchAll(pattern)].at(last ? -1 : 0);
    if (!start) continue;
    const tail = text.slice(start.index + start[0].length);
    const stop = /, (?=\p{L})|[;)\n]|[.!?](?:\s|$)|, please|$/u.exec(tail)?.index ?? tail.length;
    let value = tail.slice(0, stop);
    for (const other of all) {
      if (other === param) continue;
      for (const word of labels(other)) {
        const at = new RegExp(`\\s(?:(?:and|for|with)\\s)?${escapePattern(word)}\\s`, "i").exec(value);
        if (at && at.index > 0) value = value.slice(0, at.index);
      }
    }
    const made = coerce(value, param);
    if (made !== undefined) return made;
  }
  return undefined;
}

/** Whether the text puts another thing's noun before an id: "order 17" is no customer's. */
function isAnothers(text: string, id: string, own: readonly string[], nouns: ReadonlySet<string>): boolean {
  const at = text.indexOf(id);
  const before =
    stems(
      text
        .slice(Math.max(0, at - 30), at)
        .trim()
        .split(/\s+/)
        .at(-1) ?? "",
    )[0] ?? "";
  return nouns.has(before) && !own.includes(before);
}

/** The nouns that parameters for ids carry: customer, order, product. */
export function idNouns(views: readonly ToolView[]): Set<string> {
  return new Set(
    views.flatMap((v) =>
      v.params.flatMap((p) => (/(?:^|_)ids?$|Id$/.test(p.name) ? stems(p.name).filter((w) => w !== "id") : [])),
    ),
  );
}

/** Of several addresses a write takes the last, which is the new one; a read the first. */
function emailFrom(text: string, view: ToolView, emails: readonly string[]): string | undefined {
  if (view.effect === "read" || emails.length < 2)
    return view.effect === "write" && /\bwith email\b/.test(text) && emails.length < 2 ? undefined : emails[0];
  return emails.at(-1);
}

/** An argument that a text gives for a parameter: by its label, its closed set, its example's form, or its kind. */
export function argumentFrom(
  text: string,
  param: Param,
  view: ToolView,
  found: Entities,
  used: ReadonlySet<string>,
  nouns: ReadonlySet<string> = new Set(),
): unknown {
  if (param.values) {
    const folded = ` ${fold(text).replace(/[_-]/g, " ")} `;
    const hits = param.values.filter(
      (v) => typeof v === "string" && folded.includes(` ${fold(v).replace(/[_-]/g, " ")}`),
    );
    return hits.sort((a, b) => String(b).length - String(a).length)[0];
  }
  if (param.type === "array" || param.type === "object") return undefined;
  const direct =
    labelled(text, param, view.params, view.effect === "write") ??
    writtenAddress(
      text,
      view.params.map((p) => p.name),
    )?.get(param.name);
  const example = /such as ['"\u2018\u201c]([^'"\u2019\u201d]+)['"\u2019\u201d]/.exec(param.description)?.[1];
  const names = stems(param.name);
  const open = (list: readonly string[]) => list.filter((v) => !used.has(v));
  if (names.includes("email")) return emailFrom(text, view, open(found.emails));
  if (param.type === "number" || param.type === "integer") return direct ?? undefined;
  if (names.includes("date") || names.includes("day")) return direct ?? found.dates[0];
  if (
    /\bid\b|number|code|key|reference/.test(humanize(param.name)) ||
    (example !== undefined && /\d/.test(example) && !/\s/.test(example))
  ) {
    const fits = open(found.ids)
      .filter((id) => !isAnothers(text, id, names, nouns))
      .filter(
        (id) =>
          example === undefined ||
          skeleton(id) === skeleton(example) ||
          (id.length === example.length && /^[A-Z0-9]+$/.test(id) === /^[A-Z0-9]+$/.test(example)),
      );
    if (fits.length > 0) return fits[0];
    const near = new RegExp(
      `\\b${escapePattern(names[0] ?? "")}(?:s|'s)?(?: (?:id|number|no))?[:\\s]+(#?[\\w-]*\\d[\\w-]*)`,
      "i",
    ).exec(text)?.[1];
    if (near !== undefined) return near;
    return example === undefined && typeof direct === "string" && /\d/.test(direct) && !/\s/.test(direct)
      ? direct
      : undefined;
  }
  return direct;
}
