import { literal } from "../conditions/term.ts";
import type { Call } from "../observations.ts";
import { type Example, fitAnswer, holes } from "./answers.ts";

/** A call with what may be said and asked at its moment. */
export interface Seen extends Example {
  readonly call: Call;
}

/** A refusal with the condition under which it is given. */
interface Refusal {
  readonly when: string;
  readonly text: string;
}

/** How calls of a tool end: refusals in the order in which they are looked for, else the answer. */
export interface Endings {
  readonly refusals: readonly Refusal[];
  /** Undefined where nothing says what is answered. */
  readonly answer: string | undefined;
}

/** A refusal that so small a share of the calls meet of which it is not known is taken not to happen. */
const SELDOM = 0.2;

/** Calls of a tool that its endings are learnt from, and ways of being refused that are looked at, at most. */
const MOST_CALLS = 500;
const MOST_KINDS = 40;

/** The text of a refusal as it went over the wire. */
const rawText = ({ parsed, value }: Call): string =>
  parsed.text ?? (typeof value === "string" ? value : JSON.stringify(value));

/** Learns how calls of a tool end. */
export function learnEndings(all: readonly Seen[]): Endings {
  const calls = all.slice(0, MOST_CALLS);
  const kinds = new Map<string, { readonly text: string; readonly calls: Set<Seen> }>();
  for (const seen of calls) {
    if (seen.call.ok) continue;
    const said = seen.outputs.filter(({ cel }) => cel.startsWith("args"));
    const text = holes(rawText(seen.call), said)
      .map((part) => (typeof part === "string" ? literal(part) : `string(${part.cel})`))
      .join(" + ");
    const kind = kinds.get(text) ?? { text, calls: new Set() };
    kind.calls.add(seen);
    kinds.set(text, kind);
  }
  const refusals: Refusal[] = [];
  let rest = [...calls];
  const frequent = [...kinds.values()].sort((a, b) => b.calls.size - a.calls.size);
  const open = new Set(frequent.slice(0, MOST_KINDS));
  for (;;) {
    let best:
      | {
          readonly refusal: Refusal;
          readonly kind: typeof kinds extends Map<string, infer K> ? K : never;
          readonly score: number;
          readonly claims: Set<Seen>;
        }
      | undefined;
    for (const kind of open)
      for (const [i, { cel }] of (calls[0]?.conditions ?? []).entries()) {
        const claims = new Set<Seen>();
        let [met, wrong, unsure, unsureMet] = [0, 0, 0, 0];
        for (const seen of rest) {
          const held = seen.conditions[i]?.value;
          const own = kind.calls.has(seen);
          if (held === undefined) {
            unsure++;
            if (own) unsureMet++;
          } else if (held) {
            claims.add(seen);
            if (own) met++;
            else wrong++;
          }
        }
        // What can be told of every call is looked at first.
        const score = unsure === 0 ? met + rest.length : met;
        if (wrong > 0 || met < (cel.startsWith("!t") ? 1 : 2) || score <= (best?.score ?? 0)) continue;
        const lenient = unsure > 0 && unsureMet <= unsure * SELDOM;
        best = {
          refusal: { when: lenient ? `unknown_as_null(${cel}) == true` : cel, text: kind.text },
          kind,
          score,
          claims,
        };
      }
    if (!best) break;
    const { refusal, kind, claims } = best;
    refusals.push(refusal);
    rest = rest.filter((seen) => !claims.has(seen));
    if (![...kind.calls].some((seen) => rest.includes(seen))) open.delete(kind);
  }
  return { refusals, answer: fitAnswer(calls.filter(({ call }) => call.ok)) };
}
