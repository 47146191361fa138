import { calculate, fixed, round } from "../../behaviour/functions/numbers.ts";
import type { Json } from "../../json.ts";
import type { Candidate } from "../fit/fit-read.ts";
import type { Call } from "../observations.ts";

/** One way to answer the value of an arithmetic text. */
interface Writing {
  readonly cel: string;
  write(value: number): Json;
}

const DECIMALS = [0, 1, 2, 3, 4, 6];

/** Every way of writing: exact or rounded, as a number, as a text, as a text with a decimal at least, with all of its decimals. */
const WRITINGS: readonly Writing[] = [undefined, ...DECIMALS].flatMap((digits): Writing[] => {
  const x = digits === undefined ? "x" : `round(x, ${digits})`;
  const of = (value: number) => (digits === undefined ? value : round(value, digits));
  const long = (value: number) => (Number.isInteger(value) ? fixed(value, 1) : String(value));
  return [
    { cel: x, write: of },
    { cel: `string(${x})`, write: (value) => String(of(value)) },
    { cel: `(${x} == math.trunc(${x}) ? fixed(${x}, 1) : string(${x}))`, write: (value) => long(of(value)) },
    ...(digits === undefined ? [] : [{ cel: `fixed(x, ${digits})`, write: (value: number) => fixed(value, digits) }]),
  ];
});

/** Arithmetic in an argument; only what every observed notation agrees on is answered. */
export function calculation(calls: readonly Call[]): Candidate | undefined {
  const ok = calls.filter((call) => call.ok);
  for (const arg of Object.keys(ok[0]?.args ?? {})) {
    if (!/^[A-Za-z_]\w*$/.test(arg)) continue;
    const seen = ok.flatMap(({ args, value }) => {
      const result = resultOf(args[arg]);
      return result === undefined ? [] : [{ result, value }];
    });
    const written = ok.some((call) => /\d[\s)]*[-+*/][\s(]*\d/.test(String(call.args[arg])));
    if (seen.length < Math.max(written ? 1 : 2, ok.length * 0.9)) continue;
    const ways = WRITINGS.filter(({ write }) => seen.every(({ result, value }) => write(result) === value));
    const [first, ...others] = ways;
    if (!first) continue;
    const alike = others.map(({ cel }) => `${first.cel} == ${cel}`).join(" && ");
    return {
      steps: [
        { op: "let", name: "x", expr: `calculate(args.${arg})` },
        { op: "answer", expr: alike === "" ? first.cel : `(${alike} ? ${first.cel} : not_served())` },
      ],
      how: "calculation",
    };
  }
  return undefined;
}

function resultOf(text: Json | undefined): number | undefined {
  try {
    return calculate(String(text));
  } catch {
    return undefined;
  }
}
