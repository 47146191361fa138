import type { Cell } from "./page-doc.ts";

/** A share of 0 to 1 as a percentage with one decimal, in one piece. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)}\u00a0%`;
}

/** A difference of shares in points, with its sign. */
export function points(difference: number): string {
  return `${difference > 0 ? "+" : ""}${(100 * difference).toFixed(1)}`;
}

/** Met of valid as a cell: its tone says all, some or none. */
export function metOf({
  met,
  valid,
}: {
  readonly met: number;
  readonly valid: number;
}): Extract<Cell, { text: string }> {
  const tone = valid === 0 ? "plain" : met === valid ? "good" : met === 0 ? "bad" : "warn";
  return { text: `${met} of ${valid}`, tone };
}

/** How somebody's text is shown to the reader of a page: as it is, or redacted. */
export type Wording = (text: string) => string;
/** To the org's own people, as they are. */
export const asTheyAre: Wording = (text) => text;

/** Somebody's text, cut to `most` characters with an ellipsis. */
export function cut(text: string, most: number): string {
  const whole = [...text];
  return whole.length <= most
    ? text
    : `${whole
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
}

/** A text as a sentence: with one point, where it ends in no mark. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Any JSON value as a text of at most `most` characters. */
export function shown(value: unknown, most: number): string {
  return cut(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), most);
}

/** A name of the contract in words: `missing_call` as "missing call". */
export function inWords(name: string): string {
  return name.replaceAll("_", " ");
}

/** `n things`, in the right number. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** US dollars, with as many decimals as small amounts need. */
export function dollars(usd: number): string {
  return `$${usd !== 0 && Math.abs(usd) < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}

/** Milliseconds as seconds or minutes, in two or three digits. */
export function seconds(ms: number): string {
  if (ms > 0 && ms < 1) return "under 1 ms";
  if (ms > 0 && ms < 100) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${Number((ms / 1000).toPrecision(2))} s` : `${Number((ms / 60_000).toPrecision(3))} min`;
}

/** A time in unix seconds as a day and a minute, UTC. */
export function minuteOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
}

/** Tokens of a trial or trace, read and written, to the whole. */
export function tokensText({ input, output }: { readonly input: number; readonly output: number }): string {
  return Math.round(input + output).toLocaleString("en");
}
