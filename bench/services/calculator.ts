import { type Args, call, fieldOf, type InventedService, num, type Plan, Refusal, str, tool } from "./service.ts";

/** Each unit with what it measures and how many base units it is; temperatures have an offset too. */
const UNITS: Readonly<Record<string, readonly [kind: string, factor: number, offset?: number]>> = {
  m: ["length", 1],
  km: ["length", 1000],
  cm: ["length", 0.01],
  mi: ["length", 1609.344],
  ft: ["length", 0.3048],
  kg: ["mass", 1],
  g: ["mass", 0.001],
  lb: ["mass", 0.45359237],
  oz: ["mass", 0.028349523125],
  l: ["volume", 1],
  ml: ["volume", 0.001],
  gal: ["volume", 3.785411784],
  c: ["temperature", 1, 0],
  f: ["temperature", 5 / 9, -32],
  k: ["temperature", 1, -273.15],
};

const exact = (value: number): number => Number(value.toPrecision(10));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Refusal("Error: the result is not a finite number");
  return exact(value);
}

function number(args: Args, key: string, otherwise?: number): number {
  const value = args[key] ?? otherwise;
  if (typeof value !== "number") throw new Refusal(`Error: '${key}' must be a number`);
  return value;
}

function numbers(value: unknown, least = 1): number[] {
  if (!Array.isArray(value) || value.some((one) => typeof one !== "number"))
    throw new Refusal("Error: a list of numbers is expected");
  if (value.length < least) throw new Refusal(`Error: at least ${least} numbers are needed, got ${value.length}`);
  return value;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? num(sorted[middle]) : (num(sorted[middle - 1]) + num(sorted[middle])) / 2;
}

function deviation(values: readonly number[], sample: boolean): number {
  const centre = mean(values);
  return Math.sqrt(sum(values.map((value) => (value - centre) ** 2)) / (values.length - (sample ? 1 : 0)));
}

/** The value of an expression of numbers, `+ - * / ^` and brackets. */
function evaluate(text: string): number {
  const tokens = text.match(/\d+(?:\.\d+)?|[-+*/^()]|\S/g) ?? [];
  let at = 0;
  const expected = (): never => {
    throw new Refusal(
      at < tokens.length ? `Error: unexpected '${tokens[at]}'` : "Error: unexpected end of the expression",
    );
  };
  function atom(): number {
    const token = tokens[at];
    if (token === "-") {
      at++;
      return -power();
    }
    if (token === "(") {
      at++;
      const value = terms();
      if (tokens[at] !== ")") expected();
      at++;
      return value;
    }
    if (token === undefined || !/^\d/.test(token)) return expected();
    at++;
    return Number(token);
  }
  function power(): number {
    const base = atom();
    if (tokens[at] !== "^") return base;
    at++;
    return base ** power();
  }
  function factors(): number {
    let value = power();
    while (tokens[at] === "*" || tokens[at] === "/") {
      const divide = tokens[at++] === "/";
      const by = power();
      if (divide && by === 0) throw new Refusal("Error: division by zero");
      value = divide ? value / by : value * by;
    }
    return value;
  }
  function terms(): number {
    let value = factors();
    while (tokens[at] === "+" || tokens[at] === "-") value += tokens[at++] === "-" ? -factors() : factors();
    return value;
  }
  const value = terms();
  return at === tokens.length ? value : expected();
}

const two = { a: "number", b: "number" };
const list = { numbers: "numbers" };

/** Arithmetic, units and statistics: no state at all; results as objects, sentences, a list and a table. */
export const calculator: InventedService = {
  name: "calculator",
  form: "mcp",
  refusals: "flag",
  tools: [
    tool("add", "a + b", two),
    tool("subtract", "a - b", two),
    tool("multiply", "a * b", two),
    tool("divide", "a / b", two),
    tool("modulo", "The remainder of a / b, with the sign of b.", two),
    tool("power", "base to the power of exponent.", { base: "number", exponent: "number" }),
    tool("root", "The root of a value.", { value: "number", degree: "integer? 2 by default" }),
    tool("logarithm", "The logarithm of a value.", { value: "number", base: "number? e by default" }),
    tool("factorial", "n!", { n: "integer" }),
    tool("round", "Rounds half away from zero.", { value: "number", digits: "integer? 0 by default" }),
    tool("percent_change", "The change between two values in per cent.", { from: "number", to: "number" }),
    tool("convert", "Converts between units of length, mass, volume and temperature.", {
      value: "number",
      from: "string",
      to: "string",
    }),
    tool("mean", "The arithmetic mean.", list),
    tool("median", "The median.", list),
    tool("mode", "The most frequent values.", list),
    tool("standard_deviation", "The standard deviation.", { ...list, sample: "boolean? of a sample; true by default" }),
    tool("describe", "A table of what numbers are like.", { ...list, digits: "integer? 2 by default" }),
    tool("evaluate", "The value of an expression.", { expression: "string" }),
  ],
  start(task, _session) {
    const result = (value: number) => ({ result: finite(value) });
    const handlers = {
      add: (args: Args) => result(number(args, "a") + number(args, "b")),
      subtract: (args: Args) => result(number(args, "a") - number(args, "b")),
      multiply: (args: Args) => result(number(args, "a") * number(args, "b")),
      divide: (args: Args) => {
        if (number(args, "b") === 0) throw new Refusal("Error: division by zero");
        return result(number(args, "a") / number(args, "b"));
      },
      modulo: (args: Args) => {
        const [a, b] = [number(args, "a"), number(args, "b")];
        if (b === 0) throw new Refusal("Error: modulo by zero");
        return result(((a % b) + b) % b);
      },
      power: (args: Args) => result(number(args, "base") ** number(args, "exponent")),
      root: (args: Args) => {
        const [value, degree] = [number(args, "value"), number(args, "degree", 2)];
        if (degree < 1) throw new Refusal("Error: 'degree' must be at least 1");
        if (value < 0 && degree % 2 === 0) throw new Refusal(`Error: ${value} has no real root of degree ${degree}`);
        return result(Math.sign(value) * Math.abs(value) ** (1 / degree));
      },
      logarithm: (args: Args) => {
        const [value, base] = [number(args, "value"), number(args, "base", Math.E)];
        if (value <= 0) throw new Refusal("Error: the logarithm needs a positive value");
        if (base <= 0 || base === 1) throw new Refusal(`Error: ${base} cannot be a base`);
        return result(Math.log(value) / Math.log(base));
      },
      factorial: (args: Args) => {
        const n = number(args, "n");
        if (n < 0 || !Number.isInteger(n)) throw new Refusal("Error: 'n' must be a whole number of at least 0");
        if (n > 20) throw new Refusal(`Error: ${n}! is too large, at most 20`);
        return String(Array.from({ length: n }, (_, i) => BigInt(i + 1)).reduce((product, i) => product * i, 1n));
      },
      round: (args: Args) => {
        const [value, shift] = [number(args, "value"), 10 ** number(args, "digits", 0)];
        return result((Math.sign(value) * Math.round(exact(Math.abs(value) * shift))) / shift);
      },
      percent_change: (args: Args) => {
        const [from, to] = [number(args, "from"), number(args, "to")];
        if (from === 0) throw new Refusal("Error: no change in per cent from 0");
        const change = exact((100 * (to - from)) / Math.abs(from));
        if (change === 0) return "No change";
        return `${change > 0 ? "Increase" : "Decrease"} of ${Math.abs(change).toFixed(2)}%`;
      },
      convert: (args: Args) => {
        const value = number(args, "value");
        const unitOf = (name: unknown) => {
          const unit = UNITS[str(name).toLowerCase()];
          if (!unit) throw new Refusal(`Error: unknown unit '${name}'`);
          return unit;
        };
        const [kind, factor, offset = 0] = unitOf(args.from);
        const [other, divisor, shift = 0] = unitOf(args.to);
        if (kind !== other) throw new Refusal(`Error: cannot convert ${kind} to ${other}`);
        const base = (value + offset) * factor;
        return `${value} ${args.from} = ${Number((base / divisor - shift).toFixed(4))} ${args.to}`;
      },
      mean: ({ numbers: of }: Args) => result(mean(numbers(of))),
      median: ({ numbers: of }: Args) => result(median(numbers(of))),
      mode: ({ numbers: of }: Args) => {
        const counts = new Map<number, number>();
        for (const value of numbers(of)) counts.set(value, (counts.get(value) ?? 0) + 1);
        const most = Math.max(...counts.values());
        return [...counts]
          .filter(([, count]) => count === most)
          .map(([value]) => value)
          .sort((a, b) => a - b);
      },
      standard_deviation: ({ numbers: of, sample }: Args) =>
        result(deviation(numbers(of, sample === false ? 1 : 2), sample !== false)),
      describe: (args: Args) => {
        const of = numbers(args.numbers, 2);
        const digits = number(args, "digits", 2);
        if (digits < 0 || digits > 10) throw new Refusal("Error: 'digits' must be between 0 and 10");
        const rows = { min: Math.min(...of), max: Math.max(...of), mean: mean(of), median: median(of) };
        return [
          "| measure | value |",
          "| --- | --- |",
          `| count | ${of.length} |`,
          ...Object.entries({ ...rows, "std dev": deviation(of, true) }).map(
            ([name, value]) => `| ${name} | ${value.toFixed(digits)} |`,
          ),
        ].join("\n");
      },
      evaluate: ({ expression }: Args) => `${expression} = ${finite(evaluate(str(expression)))}`,
    };
    const some = Array.from({ length: task.between(4, 7) }, () => task.between(1, 60) / task.pick([1, 1, 2, 10]));
    const [a, b, c] = [task.between(2, 400), task.between(0, 25), task.between(1, 12)];
    const price = task.between(100, 9999) / 100;
    const kind = task.pick(["length", "mass", "volume", "temperature"]);
    const [from, to] = task.some(
      Object.keys(UNITS).filter((unit) => UNITS[unit]?.[0] === kind),
      2,
    ) as [string, string];
    const goal = task.between(0, 4);
    const expression = task.pick([
      `(${a} + ${b}) * ${c}`,
      `${a} - ${b} / ${c}`,
      `2 ^ ${c} - (${b} + 1)`,
      `${a} / ${b}`,
    ]);
    const resultOf = (answer: unknown, otherwise: number) => num(fieldOf(answer, "result"), otherwise);
    function* plan(): Plan {
      if (goal === 0) {
        const net = resultOf(yield call("multiply", { a: price, b: c }), price * c);
        const tax = resultOf(yield call("multiply", { a: net, b: 0.19 }), net * 0.19);
        const gross = resultOf(yield call("add", { a: net, b: tax }), net + tax);
        yield call("round", { value: gross, digits: 2 });
        yield call("percent_change", { from: a, to: gross });
      } else if (goal === 1) {
        const centre = resultOf(yield call("mean", { numbers: some }), 1);
        yield call("median", { numbers: some });
        const spread = resultOf(
          yield call("standard_deviation", { numbers: some, sample: task.pick([undefined, true, false]) }),
          1,
        );
        yield call("divide", { a: spread, b: centre });
        yield call("describe", { numbers: some, digits: task.pick([undefined, 1, 3]) });
      } else if (goal === 2) {
        yield call("convert", { value: a, from, to });
        yield call("convert", { value: price, from: to, to: from });
        yield call("root", { value: a, degree: task.pick([undefined, 3]) });
        yield call("logarithm", { value: a, base: task.pick([undefined, 2, 10]) });
      } else if (goal === 3) {
        yield call("evaluate", { expression });
        yield call("factorial", { n: b });
        yield call("modulo", { a, b: c });
        yield call("power", { base: b, exponent: task.pick([2, 3, -1]) });
      } else {
        const rest = resultOf(yield call("subtract", { a, b: price }), a - price);
        yield call("divide", { a: rest, b });
        yield call("mode", { numbers: some.map(Math.round) });
        yield call("percent_change", { from: a, to: rest });
        yield call("round", { value: rest });
      }
    }
    return {
      request: `Work this out: ${[`${c} pieces at ${price} with 19 % tax, and compare the total with ${a}`, `the mean and the spread of ${some.join("; ")}`, `${a} ${from} in ${to}, ${price} ${to} in ${from}, root and logarithm of ${a}`, `${expression}, ${b}!, ${a} modulo ${c}`, `what is left of ${a} after ${price} for each of ${b}; the most frequent of ${some.join("; ")}`][goal]}.`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("add", { a: random.between(0, 50), b: random.between(0, 50) }),
          call("divide", { a, b: random.between(0, 3) }),
          call("convert", { value: random.between(1, 40), from, to: random.pick(["km", "lb", to, "parsec"]) }),
          call("root", { value: random.between(-9, 90), degree: random.pick([undefined, 3]) }),
          call("factorial", { n: random.between(-2, 24) }),
          call("evaluate", { expression: random.pick([`${a} * ${random.between(1, 9)}`, `${a} + `, `(${b} - 1`]) }),
          call("mean", { numbers: some.slice(0, random.between(0, 3)) }),
          call("percent_change", { from: random.between(0, 4), to: b }),
        ]),
    };
  },
};
